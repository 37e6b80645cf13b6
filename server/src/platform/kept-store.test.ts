import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createKeptStore } from './kept-store.ts';

const text = (bytes: number) => 'x'.repeat(bytes / 2);

suite('what is kept', () => {
  test('is there for the same version, and for no other', () => {
    const store = createKeptStore();
    store.keep(store.shelf('AC1', 'v1'), 'a', 1);
    assert.equal(store.shelf('AC1', 'v1').facts.get('a'), 1);
    assert.equal(store.shelf('AC2', 'v1').facts.has('a'), false);
    assert.equal(store.shelf('AC1', 'v2').facts.has('a'), false);
    assert.equal(store.shelf('AC1', 'v1').facts.has('a'), false);
  });

  test('is not found under a newer version by whoever still reads for an older one', () => {
    const store = createKeptStore();
    const older = store.shelf('AC1', 'v1');
    const newer = store.shelf('AC1', 'v2');
    store.keep(older, 'a', 'old');
    assert.equal(newer.facts.has('a'), false);
    assert.equal(store.shelf('AC1', 'v2').facts.has('a'), false);
  });

  test('of a scope without a version is nothing', () => {
    const store = createKeptStore();
    store.keep(store.shelf('AC1', undefined), 'a', 1);
    assert.equal(store.shelf('AC1', undefined).facts.has('a'), false);
    assert.equal(store.bytes(), 0);
  });

  test('cannot be changed', () => {
    const store = createKeptStore();
    const shelf = store.shelf('AC1', 'v1');
    store.keep(shelf, 'a', { list: [{ name: 'x' }] });
    const kept = shelf.facts.get('a') as { list: { name: string }[] };
    assert.throws(() => kept.list.push({ name: 'y' }), TypeError);
    assert.throws(() => {
      kept.list[0]!.name = 'y';
    }, TypeError);
  });

  test('is bounded: whoever was asked for longest ago goes first', () => {
    const store = createKeptStore({ shelves: 2, bytes: 1_000_000 });
    for (const scope of ['AC1', 'AC2']) store.keep(store.shelf(scope, 'v'), 'a', scope);
    store.shelf('AC1', 'v');
    store.keep(store.shelf('AC3', 'v'), 'a', 'AC3');
    const isKept = (scope: string) => store.shelf(scope, 'v').facts.has('a');
    assert.deepEqual([isKept('AC1'), isKept('AC3'), isKept('AC2')], [true, true, false]);
  });

  test('is bounded in bytes, and no scope takes more than its part', () => {
    const store = createKeptStore({ shelves: 1_000, bytes: 100_000 });
    for (let n = 0; n < 100; n += 1) store.keep(store.shelf(`AC${n}`, 'v'), 'a', text(4_000));
    assert.ok(store.bytes() <= 100_000 && store.bytes() > 80_000, String(store.bytes()));
    for (let n = 0; n < 100; n += 1) store.keep(store.shelf('AC1', 'v'), `a${n}`, text(1_000));
    assert.ok(store.shelf('AC1', 'v').bytes <= 100_000 / 16);
    assert.ok(store.bytes() <= 100_000);
    for (let n = 0; n < 100; n += 1) store.shelf(`AC${n}`, 'w');
    assert.equal(store.bytes(), 0);
  });
});
