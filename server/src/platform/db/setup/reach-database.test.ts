// The start of a process waits for its database, and not for one that will not have it.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openDoor } from '../../../../test/harness/database-door.ts';
import { cloneDatabase } from '../../../../test/harness/postgres.ts';
import { silentLog } from '../../observability/logging.ts';
import type { Sealer } from '../../sealing.ts';
import { openDatabase } from '../open-database.ts';
import { usualPatience } from '../pool.ts';
import { sql } from '../query.ts';
import { patiently, untilReached } from './reach-database.ts';

const site = () => {
  throw new Error('no tenant is entered here');
};

/** A database behind a door that takes every connection and answers only those after the first `silent`. */
async function behindDoor(context: TestContext, silent: number, connectionMs: number) {
  const { url, drop } = await cloneDatabase();
  let knocks = 0;
  const door = await openDoor(url, (letIn) => {
    knocks += 1;
    if (knocks > silent) letIn();
  });
  const patience = { ...usualPatience, connectionMs };
  const database = openDatabase({ url: door.url, sealer: {} as Sealer, site, patience, log: silentLog });
  context.after(async () => {
    await database.close();
    await door.close();
    await drop();
  });
  let tries = 0;
  const ask = () => {
    tries += 1;
    return database.system((s) => s.one<{ one: number }>(sql`select 1 as one`));
  };
  return { database, ask, tries: () => tries, door };
}

test('a database that does not answer in time is asked again, and served when it does', async (context) => {
  const { ask, tries } = await behindDoor(context, 3, 250);
  assert.deepEqual(await untilReached(ask), { one: 1 });
  assert.ok(tries() >= 4, `${tries()} tries`);
});

test('all that is begun with a patient database waits for a connection, and is done once', async (context) => {
  const { database } = await behindDoor(context, 3, 250);
  const patient = patiently(database);
  let times = 0;
  const count = async () => {
    times += 1;
    return times;
  };
  assert.equal(await patient.system(count), 1);
  assert.equal(times, 1);
});

test('one that never answers is asked 15 times, and then the reason is told', async (context) => {
  const { ask, tries } = await behindDoor(context, Number.POSITIVE_INFINITY, 10);
  await assert.rejects(untilReached(ask), /timeout/);
  assert.equal(tries(), 15);
});

test('one that refuses is asked once: waiting would not change its mind', async (context) => {
  const { ask, tries, door } = await behindDoor(context, 0, 1_000);
  await door.close();
  await assert.rejects(untilReached(ask), { code: 'ECONNREFUSED' });
  assert.equal(tries(), 1);
});

test('work that fails for another reason is not repeated', async () => {
  let tries = 0;
  const failing = untilReached(async () => {
    tries += 1;
    throw new Error('the master key is another');
  });
  await assert.rejects(failing, /another/);
  assert.equal(tries, 1);
});
