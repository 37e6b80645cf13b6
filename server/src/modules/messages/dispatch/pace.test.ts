import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createPace } from './pace.ts';

/** Sends for some seconds, each claim taking as long as it is told; tells when each call left. */
function simulate(perSecond: number, claimMs: number[], forMs: number): number[] {
  let nowMs = 1_000;
  const left: number[] = [];
  const pace = createPace(() => nowMs, perSecond);
  for (let turn = 0; nowMs < 1_000 + forMs; turn += 1) {
    const room = pace.room();
    if (room <= 0) {
      nowMs += Math.max(1, pace.roomInMs());
      continue;
    }
    nowMs += claimMs[turn % claimMs.length]!;
    pace.count(room);
    for (let i = 0; i < room; i += 1) left.push(nowMs);
  }
  return left;
}

const rates = fc.constantFrom(1, 5, 20, 40, 80, 1_000);

test('no second holds more calls than the number may send, however long claims take', () => {
  fc.assert(
    fc.property(rates, fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1 }), (perSecond, claimMs) => {
      const left = simulate(perSecond, claimMs, 5_000);
      for (let i = perSecond; i < left.length; i += 1) assert.ok(left[i]! - left[i - perSecond]! >= 1_000);
    }),
  );
});

test('time that claims take is caught up with: a busy lane sends at least four fifths of what its number may', () => {
  fc.assert(
    fc.property(rates, fc.integer({ min: 0, max: 100 }), (perSecond, claimMs) => {
      const left = simulate(perSecond, [claimMs], 10_000);
      assert.ok(left.length >= perSecond * 8, `${left.length} of ${perSecond * 10}`);
    }),
  );
});

test('a lane that rested begins with one call, and a limit of the provider is waited out', () => {
  let nowMs = 0;
  const pace = createPace(() => nowMs, 80);
  pace.count(pace.room());
  nowMs = 10_000;
  assert.ok(pace.room() > 1, 'a busy lane catches up');
  pace.rest();
  assert.equal(pace.room(), 1);
  pace.holdFor(1_000);
  assert.equal(pace.room(), 0);
  nowMs += 1_000;
  assert.equal(pace.room(), 1);
});
