// Runs in a process of its own: it moves the timers of its process.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createWaiter } from './waiter.ts';

/** A waiter whose time stands still until the test moves it. */
function waiterOf(context: TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const waiter = createWaiter();
  const rests = { ended: 0 };
  const begin = (how: 'wait' | 'waitAnew', ms: number) =>
    void waiter[how](ms).then(() => {
      rests.ended += 1;
    });
  const pass = async (ms: number) => {
    context.mock.timers.tick(ms);
    await nextTurn();
  };
  return { waiter, rests, begin, pass };
}

test('a rest lasts as long as it was asked to', async (context) => {
  const { rests, begin, pass } = waiterOf(context);
  begin('wait', 100);
  await pass(99);
  assert.equal(rests.ended, 0);
  await pass(1);
  assert.equal(rests.ended, 1);
});

test('a call cuts a rest short, and the next one lasts', async (context) => {
  const { waiter, rests, begin, pass } = waiterOf(context);
  begin('wait', 100);
  waiter.wake();
  await pass(0);
  assert.equal(rests.ended, 1);
  begin('wait', 100);
  await pass(99);
  assert.equal(rests.ended, 1);
  await pass(1);
  assert.equal(rests.ended, 2);
});

test('a call that comes before the rest begins skips that one and no other', async (context) => {
  const { waiter, rests, begin, pass } = waiterOf(context);
  waiter.wake();
  waiter.wake();
  begin('wait', 100);
  await pass(0);
  assert.equal(rests.ended, 1);
  begin('wait', 100);
  await pass(99);
  assert.equal(rests.ended, 1);
});

test('a rest begun anew heeds only calls that come while it lasts', async (context) => {
  const { waiter, rests, begin, pass } = waiterOf(context);
  waiter.wake();
  begin('waitAnew', 100);
  await pass(99);
  assert.equal(rests.ended, 0);
  waiter.wake();
  await pass(0);
  assert.equal(rests.ended, 1);
});
