// Which element shows which row, while rows go out of sight and others come.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { placesFor } from '../src/ui/rows/places.ts';

const between = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

suite('the places of rows', () => {
  test('stay theirs while they are drawn, and go to those that come', () => {
    const before = placesFor(new Map(), between(0, 9));
    const after = placesFor(before, between(4, 13));
    for (const row of between(4, 9)) assert.equal(after.get(row), before.get(row));
    assert.deepEqual(
      new Set(between(10, 13).map((row) => after.get(row))),
      new Set(between(0, 3).map((row) => before.get(row))),
    );
  });
  test('are never shared, however far somebody goes, also with a row that stays behind', () => {
    let places = new Map<number, number>();
    for (const first of [0, 4, 100, 97, 3, 0, 5_000]) {
      places = placesFor(places, [2, ...between(first, first + 9).filter((row) => row !== 2)]);
      assert.equal(new Set(places.values()).size, places.size);
    }
    assert.ok(Math.max(...places.values()) <= 10, 'no more than there are rows');
  });
});
