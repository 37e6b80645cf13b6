import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HandOff } from './build-hand-offs.ts';
import { type LaneWork, runLane } from './run-lane.ts';

const lane = { accountSid: 'AC1', livemode: false, senderSid: 'WA1', holder: 'one', generation: '1' };
const handOffs = (count: number, from: number) =>
  Array.from({ length: count }, (_, i) => ({ message: { sid: `SM${from + i}` } }) as HandOff);

test('nothing is claimed ahead: what a claim took is called before anything else happens', async () => {
  const messages = 60;
  let [claimed, called, claims] = [0, 0, 0];
  const ahead: number[] = [];
  const work: LaneWork = {
    nowMs: () => performance.now(),
    freeCalls: () => 100,
    async claim(_lane, { limit }) {
      ahead.push(claimed - called);
      claims += 1;
      const taken = Math.min(limit, messages - claimed);
      const found = handOffs(taken, claimed);
      claimed += taken;
      // Looks once everything that follows from this claim without waiting has happened.
      void nextTurn().then(() => ahead.push(claimed - called));
      const more = claimed < messages;
      return { handOffs: found, unprepared: [], perSecond: 80, more, blocked: false };
    },
    async handOver() {
      called += 1;
      return { restMs: 0 };
    },
    prepare: async () => null,
  };
  await runLane(lane, work, 0).ended;
  assert.equal(called, messages);
  assert.ok(claims > 1);
  assert.deepEqual([...new Set(ahead)], [0]);
});
