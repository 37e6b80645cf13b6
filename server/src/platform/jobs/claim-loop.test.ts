import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../test/harness/until.ts';
import { sql } from '../db/query.ts';
import { silentLog } from '../observability/logging.ts';
import { type Loop, startLoop, type Turns } from './claim-loop.ts';

const context = { log: silentLog } as never;
const loopOf = (turns: Turns): Loop => ({
  name: 'test',
  toldOn: [],
  nextDue: () => sql`null`,
  apartMs: 1,
  begin: () => turns,
});

test('turns follow one another without a rest while there is more to do', async () => {
  let left = 100;
  // Nobody wakes it: only turns that follow at once get through.
  const running = startLoop(loopOf({ turn: async () => --left > 0 }), context);
  await until('all turns are done', () => left === 0);
  await running.stop();
  assert.equal(left, 0);
});

test('a turn that fails is tried again', async () => {
  let turns = 0;
  const turn = async () => {
    turns += 1;
    if (turns < 3) throw new Error('the database went away');
    return false;
  };
  const running = startLoop(loopOf({ turn }), context);
  await until('it was tried again', () => turns >= 3);
  await running.stop();
});

test('stopping waits for the turn under way, then for what it began, and no turn follows', async () => {
  const told: string[] = [];
  const goOn = Promise.withResolvers<void>();
  const turn = async () => {
    told.push('turn');
    await goOn.promise;
    told.push('turned');
    return true;
  };
  const end = async () => void told.push('ended');
  const running = startLoop(loopOf({ turn, end }), context);
  await until('a turn is under way', () => told.length === 1);
  const stopped = running.stop();
  goOn.resolve();
  await stopped;
  // One that followed would begin at once.
  for (let turns = 0; turns < 10; turns += 1) await new Promise(setImmediate);
  assert.deepEqual(told, ['turn', 'turned', 'ended']);
});

test('a loop that found nothing sleeps until it is woken, and a call during a turn is followed by another', async () => {
  let turns = 0;
  const entered = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const turn = async () => {
    turns += 1;
    if (turns !== 2) return false;
    entered.resolve();
    await goOn.promise;
    return false;
  };
  const running = startLoop(loopOf({ turn }), context);
  await until('it looks when it begins', () => turns === 1);
  running.wake();
  await entered.promise;
  running.wake();
  running.wake();
  goOn.resolve();
  await until('what was told during the turn is looked at', () => turns === 3);
  await running.stop();
  assert.equal(turns, 3);
});

test('a loop sleeps no longer than its last turn allows', async () => {
  let turns = 0;
  const turn = async () => {
    turns += 1;
    return false;
  };
  const running = startLoop(loopOf({ turn, restMs: () => 1 }), context);
  await until('it looks again by itself', () => turns >= 3);
  await running.stop();
});
