import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nextStep } from './dunning.ts';

const now = new Date('2026-08-21T10:00:00.000Z');
const exhausted = { state: 'exhausted', at: null };

test('the card is tried again as many hours after each failure as its delay says, and then no more', () => {
  assert.deepEqual(nextStep(1, [24, 72], 'later', now), {
    state: 'retrying',
    at: new Date('2026-08-22T10:00:00.000Z'),
  });
  assert.deepEqual(nextStep(2, [24, 72], 'later', now), {
    state: 'retrying',
    at: new Date('2026-08-24T10:00:00.000Z'),
  });
  assert.deepEqual(nextStep(3, [24, 72], 'later', now), exhausted);
  assert.deepEqual(nextStep(1, [], 'later', now), exhausted);
});

test('a card that was stolen or lost is not tried again', () => {
  assert.deepEqual(nextStep(1, [24], 'never', now), exhausted);
});

test('a card whose owner must agree waits for them', () => {
  const expected = { state: 'action_required', at: new Date('2026-08-21T11:00:00.000Z') };
  assert.deepEqual(nextStep(1, [1], 'authenticate', now), expected);
});

test('what no card can be charged for waits to be paid another way, and is not tried again', () => {
  for (const delays of [[], [24]])
    assert.deepEqual(nextStep(0, delays, 'another_way', now), { state: 'action_required', at: null });
});

test('there is one try more than there are delays, each not before the failure it follows', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 8760 }), { maxLength: 24 }), (delays) => {
      let at = now;
      let tries = 1;
      for (let failures = 1; ; failures += 1) {
        const step = nextStep(failures, delays, 'later', at);
        if (step.at === null) break;
        assert.ok(step.at >= at);
        at = step.at;
        tries += 1;
      }
      assert.equal(tries, delays.length + 1);
    }),
  );
});
