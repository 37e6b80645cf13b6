import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../errors/errors.ts';
import { createLargeBodies } from './large-bodies.ts';

/** Notes who is inside, in the order in which they got in. */
function entering(options: Parameters<typeof createLargeBodies>[0]) {
  const bodies = createLargeBodies(options);
  const inside: string[] = [];
  const enter = (caller: string, name = caller) =>
    bodies.enter(caller).then((leave) => {
      inside.push(name);
      return leave;
    });
  return { enter, inside };
}
const turn = () => new Promise((done) => setImmediate(done));

test('so many are read at once, the others in the order in which they came', async () => {
  const { enter, inside } = entering({ places: 2, perCaller: 2 });
  const [first] = await Promise.all([enter('a'), enter('b')]);
  const waiting = [enter('c'), enter('d')];
  await turn();
  assert.deepEqual(inside, ['a', 'b']);
  first!();
  first!(); // given back once, however often
  await waiting[0];
  await turn();
  assert.deepEqual(inside, ['a', 'b', 'c']);
  (await waiting[0]!)();
  await waiting[1];
  assert.deepEqual(inside, ['a', 'b', 'c', 'd']);
});

test('nobody has more than his share, and nobody waits for somebody else’s', async () => {
  const { enter, inside } = entering({ places: 4, perCaller: 2 });
  const [first] = await Promise.all([enter('greedy'), enter('greedy')]);
  const third = enter('greedy', 'third');
  await enter('other');
  await turn();
  assert.deepEqual(inside, ['greedy', 'greedy', 'other']);
  first!();
  await third;
  assert.equal(inside.at(-1), 'third');
});

test('whoever waits too long is told to come again, and has no place', async () => {
  const { enter, inside } = entering({ places: 1, perCaller: 1, patienceMs: 1 });
  const leave = await enter('a');
  await assert.rejects(enter('b'), (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.retryAfterSeconds], ['RATE_LIMITED', 5]);
    assert.equal(error.facts.headers?.['ratelimit-policy'], '"large-bodies";q=1;qu="concurrent-requests"');
    return true;
  });
  leave();
  await enter('c');
  assert.deepEqual(inside, ['a', 'c']);
});
