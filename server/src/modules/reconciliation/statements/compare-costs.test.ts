import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { compareCosts, type PlaceCost, type PlacePassedOn } from './compare-costs.ts';
import { isOff } from './tolerance.ts';

const place = {
  phoneNumber: '33180001000',
  day: '2026-11-20',
  country: 'FR',
  category: 'utility',
  type: 'regular',
};
const ours = (more: Partial<PlacePassedOn> = {}): PlacePassedOn => ({
  ...place,
  volume: 10,
  minor: 300_000n,
  currency: 'USD',
  scale: 6,
  comparable: true,
  ...more,
});
const theirs = (more: Partial<PlaceCost> = {}): PlaceCost => ({ ...place, volume: 10, cost: 0.3, ...more });
const found = (mine: PlacePassedOn[], bills: PlaceCost[]) =>
  compareCosts(mine, bills).map(({ messages, passedMinor, costMinor }) => [messages, passedMinor, costMinor]);

suite('the cost of a place', () => {
  test('differs beyond a cent and half a percent, in either direction, and not within', () => {
    assert.deepEqual(found([ours()], [theirs()]), []);
    assert.deepEqual(found([ours()], [theirs({ cost: 0.31 })]), []);
    assert.deepEqual(found([ours()], [theirs({ cost: 0.3101 })]), [[10, 300_000n, 310_100n]]);
    assert.deepEqual(found([ours()], [theirs({ cost: 0 })]), [[10, 300_000n, 0n]]);
    const [dear, bill] = [ours({ minor: 100_000_000n }), theirs({ cost: 100.5 })];
    assert.deepEqual(found([dear], [bill]), []);
    assert.deepEqual(found([dear], [{ ...bill, cost: 100.51 }]), [[10, 100_000_000n, 100_510_000n]]);
    assert.deepEqual([isOff(2n, 0n, 0), isOff(1n, 0n, 0)], [true, false]);
  });

  test('is compared only where both count the same, the operator pays for all of it, and the provider tells', () => {
    const off = theirs({ cost: 9 });
    assert.equal(found([ours()], [off]).length, 1);
    assert.deepEqual(found([ours()], [{ ...off, volume: 11 }]), []);
    assert.deepEqual(found([ours({ comparable: false })], [off]), []);
    assert.deepEqual(found([ours()], [{ ...off, cost: null }]), []);
    assert.deepEqual(found([ours()], [theirs({ volume: 5 }), theirs({ volume: 5, cost: null })]), []);
    assert.deepEqual(found([ours()], [{ ...off, country: 'DE' }]), []);
    assert.deepEqual(found([], [off]), []);
  });

  test('is the sum of what stands in one place, in whichever words', () => {
    const parts = [
      theirs({ category: 'marketing_lite', volume: 4, cost: 0.1 }),
      theirs({ category: 'marketing', volume: 6, cost: 0.5 }),
    ];
    const paid = [
      ours({ category: 'marketing', volume: 5, minor: 200_000n }),
      ours({ category: 'marketing', volume: 5, minor: 100_000n }),
    ];
    assert.deepEqual(found(paid, parts), [[10, 300_000n, 600_000n]]);
    assert.deepEqual(found([paid[0]!, { ...paid[1]!, currency: 'EUR' }], parts), []);
  });
});
