import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { cloneDatabase, ownerPool } from '../../../test/harness/postgres.ts';
import { until } from '../../../test/harness/until.ts';
import { silentLog } from '../observability/logging.ts';
import type { Site } from '../ports.ts';
import type { Sealer } from '../sealing.ts';
import type { RequestContext } from './database.ts';
import { openDatabase } from './open-database.ts';
import { sql } from './query.ts';

const patience = {
  connectionMs: 30_000,
  lockMs: 30_000,
  statementMs: 60_000,
  idleMs: 60_000,
  answerMs: 90_000,
};
const requestContext = {} as RequestContext;
const accounts = ['AAAA', 'BBBB', 'CCCC', 'DDDD'].map((end) => `AC01M7EFRXGBFCR29V3G3NK6${end}`);

async function openReads(context: TestContext, maxConnections: number) {
  const { url, drop } = await cloneDatabase();
  const database = openDatabase({
    url,
    sealer: {} as Sealer,
    site: () => ({}) as Site,
    maxConnections,
    patience,
    log: silentLog,
  });
  const owner = ownerPool(url);
  const holder = await owner.connect();
  await holder.query('select pg_advisory_lock(77)');
  context.after(async () => {
    holder.release(true);
    await database.close();
    await owner.end();
    await drop();
  });
  const waiting = async () => (await owner.query<{ pid: number }>(waitingHere)).rows.map(({ pid }) => pid);
  const letGo = () => holder.query('select pg_advisory_unlock(77)');
  const read = <T>(accountSid: string, query: ReturnType<typeof sql>) =>
    database.read({ accountSid, livemode: false }, requestContext, (t) => t.one<T>(query));
  return { database, owner, read, waiting, letGo };
}

/** Waits for as long as the test's own connection holds a lock. */
const untilLetGo = sql`select pg_advisory_xact_lock_shared(77)`;
const waitingHere = `select pid from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())`;

const whoAndWhere = sql`select current_setting('app.accounts') as who, pg_backend_pid() as pid`;
type WhoAndWhere = { who: string; pid: number };

test('many reads at once share few connections, each inside its own account, and give them back', async (context) => {
  const { database, read } = await openReads(context, 4);
  const asked = Array.from({ length: 400 }, (_, i) => accounts[i % accounts.length]!);
  const answers = await Promise.all(asked.map((account) => read<WhoAndWhere>(account, whoAndWhere)));
  assert.deepEqual(
    answers.map(({ who }) => who),
    asked,
  );
  assert.ok(new Set(answers.map(({ pid }) => pid)).size <= 4);
  const { total, idle, waiting } = database.stats();
  assert.deepEqual([idle, waiting], [total, 0]);
});

test('nobody waits behind a long read while another connection is to be had', async (context) => {
  const { read, waiting, letGo } = await openReads(context, 4);
  const long = read(accounts[0]!, untilLetGo);
  await until('the long read waits', async () => (await waiting()).length === 1);
  for (let round = 0; round < 3; round += 1)
    await Promise.all(Array.from({ length: 100 }, () => read(accounts[1]!, whoAndWhere)));
  await letGo();
  await long;
});

test('reads that shared a lost connection fail, and those after them do not', async (context) => {
  const { database, owner, read, waiting, letGo } = await openReads(context, 2);
  const doomed = Promise.allSettled(Array.from({ length: 20 }, () => read(accounts[0]!, untilLetGo)));
  await until(
    'the first of them waits, and the others behind it',
    async () => (await waiting()).length === 1,
  );
  await owner.query(`select pg_terminate_backend(pid) from (${waitingHere}) as w`);
  assert.deepEqual(new Set((await doomed).map(({ status }) => status)), new Set(['rejected']));
  await letGo();
  const { who } = await read<WhoAndWhere>(accounts[2]!, whoAndWhere);
  assert.equal(who, accounts[2]);
  const { total, idle } = database.stats();
  assert.equal(idle, total);
});
