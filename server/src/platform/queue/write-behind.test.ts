// Runs in a process of its own: it moves the timers of its process.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Tenant } from '../db/database.ts';
import { createLog } from '../observability/logging.ts';
import { createWriteBehind } from './write-behind.ts';

const tenant = { accountSid: 'AC1', livemode: false };

/** A database that can be away, and time that stands still until the test moves it. */
function standIn(context: TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const logged: { level: string; msg: string; unwritten?: number }[] = [];
  const database = { away: false, silent: false, tries: 0, mostInTime: Number.POSITIVE_INFINITY };
  const batches: string[][] = [];
  const told: string[] = [];
  const results = createWriteBehind<string>({
    what: 'answers',
    async write({ accountSid, livemode }: Tenant, items) {
      database.tries += 1;
      if (database.silent) await new Promise(() => {});
      if (database.away) throw new Error('the database is away');
      if (items.length > database.mostInTime)
        throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
      batches.push([`${accountSid} ${livemode}`, ...items]);
      await nextTurn();
    },
    onWritten: (items) => void told.push(...items),
    log: createLog('info', { write: (line) => void logged.push(JSON.parse(line)) }),
  });
  const pass = async (ms: number) => {
    context.mock.timers.tick(ms);
    await nextTurn();
  };
  return { results, database, batches, told, logged, pass };
}

test('while one batch is written the next gathers, account by account', async (context) => {
  const { results, batches, told } = standIn(context);
  for (const item of ['a', 'b', 'c']) results.add(tenant, item);
  results.add({ ...tenant, livemode: true }, 'd');
  await results.written();
  assert.deepEqual(batches, [
    ['AC1 false', 'a'],
    ['AC1 true', 'd'],
    ['AC1 false', 'b', 'c'],
  ]);
  assert.deepEqual(told.toSorted(), ['a', 'b', 'c', 'd']);
});

test('one transaction writes at most 500', async (context) => {
  const { results, batches } = standIn(context);
  for (let i = 0; i <= 1_001; i += 1) results.add(tenant, String(i));
  await results.written();
  assert.deepEqual(
    batches.map((batch) => batch.length - 1),
    [1, 500, 500, 1],
  );
});

test('a result that comes in the very moment the last one was written is written too', async () => {
  // Every moment there is between the end of a transaction and the end of the writing.
  for (let moment = 0; moment < 10; moment += 1) {
    const written: string[] = [];
    const committed = Promise.withResolvers<void>();
    const results = createWriteBehind<string>({
      what: 'answers',
      write: async () => (written.length === 0 ? committed.promise : undefined),
      onWritten: (items) => void written.push(...items),
      log: createLog('silent'),
    });
    results.add(tenant, 'first');
    committed.resolve();
    for (let passed = 0; passed < moment; passed += 1) await null;
    results.add(tenant, 'second');
    await results.written();
    assert.deepEqual(written, ['first', 'second'], `${moment} moments later`);
  }
});

test('what cannot be written is kept and tried again, after rests that grow to two seconds', async (context) => {
  const { results, database, batches, pass } = standIn(context);
  database.away = true;
  results.add(tenant, 'a');
  await pass(0);
  for (const restMs of [100, 200, 400, 800, 1_600, 2_000, 2_000]) {
    const { tries } = database;
    results.add(tenant, `after ${tries}`);
    await pass(restMs - 1);
    assert.equal(database.tries, tries, `${restMs} ms`);
    await pass(1);
    assert.equal(database.tries, tries + 1, `${restMs} ms`);
  }
  database.away = false;
  await pass(2_000);
  await results.written();
  assert.equal(batches.length, 1);
  assert.equal(batches[0]!.length, 1 + 8);
});

test('what takes too long is written in smaller parts, and the next page in whole ones again', async (context) => {
  const { results, database, batches, pass } = standIn(context);
  database.mostInTime = 100;
  results.add(tenant, 'first');
  for (let i = 0; i < 450; i += 1) results.add(tenant, String(i));
  for (let turns = 0; turns < 10; turns += 1) await pass(2_000);
  await results.written();
  assert.deepEqual(
    batches.map((batch) => batch.length - 1),
    [1, 57, 57, 57, 57, 57, 57, 57, 51],
  );
  database.mostInTime = Number.POSITIVE_INFINITY;
  results.add(tenant, 'alone');
  for (let i = 0; i < 450; i += 1) results.add(tenant, String(i));
  await results.written();
  assert.deepEqual(
    batches.slice(-2).map((batch) => batch.length - 1),
    [1, 450],
  );
});

test('an end waits for a database that comes back in time', async (context) => {
  const { results, database, told, logged, pass } = standIn(context);
  database.away = true;
  results.add(tenant, 'a');
  const ended = results.end(10_000);
  for (let second = 1; second < 8; second += 1) await pass(1_000);
  database.away = false;
  for (let second = 8; second < 10; second += 1) await pass(1_000);
  await ended;
  assert.deepEqual(told, ['a']);
  assert.deepEqual(
    logged.filter(({ level }) => level === 'error'),
    [],
  );
});

for (const kind of ['away', 'silent'] as const) {
  test(`an end has a limit when the database is ${kind}, says how much is lost, and nothing is tried after it`, async (context) => {
    const { results, database, logged, pass } = standIn(context);
    database[kind] = true;
    for (const item of ['a', 'b', 'c']) results.add(tenant, item);
    results.add({ ...tenant, livemode: true }, 'd');
    let settled = false;
    const ended = results.end(10_000).finally(() => {
      settled = true;
    });
    ended.catch(() => {});
    for (let second = 1; second < 10; second += 1) await pass(1_000);
    await pass(999);
    assert.equal(settled, false);
    await pass(1);
    await assert.rejects(ended, /^Error: 4 answers could not be written down in 10 s$/);
    const { level, unwritten, msg } = logged.at(-1)!;
    assert.deepEqual([level, unwritten], ['error', 4]);
    assert.equal(msg, '4 answers could not be written down in 10 s');
    const { tries } = database;
    await pass(60_000);
    assert.equal(database.tries, tries);
  });
}

test('an end with nothing left to write is at once', async (context) => {
  const { results } = standIn(context);
  results.add(tenant, 'a');
  await results.written();
  await results.end(10_000);
});
