import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fill, isIdle, newLane } from './lane.ts';
import type { Due } from './load-due.ts';

const state = {
  url: '',
  livemode: false,
  timeoutMs: 1_000,
  secrets: [],
  headers: {},
  open: true,
  concurrencyCap: 32,
  holder: 'one',
  generation: '1',
};

function loaded(found: number, wanted: number) {
  const lane = newLane({
    accountSid: 'AC1',
    livemode: false,
    endpointSid: 'WH1',
    holder: 'one',
    generation: '1',
  });
  lane.drained = true; // as when the loading begins
  fill(
    lane,
    state,
    Array.from({ length: found }, (_, i) => ({ deliverySid: `WD${i}` }) as Due),
    wanted,
  );
  lane.ready.length = 0;
  lane.atHand.clear();
  lane.loadedAtMs = Number.POSITIVE_INFINITY; // what was found stays news, however slow the machine is
  return lane;
}

suite('a lane', () => {
  test('is empty when less was found than was asked for', () => {
    for (const [found, wanted] of [
      [0, 1],
      [7, 8],
    ] as const)
      assert.equal(isIdle(loaded(found, wanted)), true);
  });

  test('is not taken to be empty when all that was asked for was found, were it nothing', () => {
    for (const many of [0, 1, 8]) assert.equal(isIdle(loaded(many, many)), false);
  });
});
