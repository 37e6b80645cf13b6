import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { cloneDatabase, ownerPool } from '../../../test/harness/postgres.ts';
import { until } from '../../../test/harness/until.ts';
import { silentLog } from '../logging.ts';
import type { Site } from '../ports.ts';
import type { Sealer } from '../sealing.ts';
import { type Circumstances, openDatabase } from './database.ts';
import { sql } from './query.ts';

const patience = { connectionMs: 30_000, lockMs: 30_000, statementMs: 60_000 };
const circumstances = {} as Circumstances;
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
  context.after(async () => {
    await database.close();
    await owner.end();
    await drop();
  });
  const read = <T>(accountSid: string, query: ReturnType<typeof sql>) =>
    database.read({ accountSid, livemode: false }, circumstances, (t) => t.one<T>(query));
  return { database, owner, read };
}

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
  const { owner, read } = await openReads(context, 4);
  const holder = await owner.connect();
  await holder.query('select pg_advisory_lock(77)');
  const long = read(accounts[0]!, sql`select pg_advisory_xact_lock_shared(77)`);
  await until('the long read waits', async () => {
    const { rowCount } = await owner.query(
      "select from pg_locks where locktype = 'advisory' and not granted",
    );
    return rowCount === 1;
  });
  for (let round = 0; round < 3; round += 1)
    await Promise.all(Array.from({ length: 100 }, () => read(accounts[1]!, whoAndWhere)));
  await holder.query('select pg_advisory_unlock(77)');
  holder.release();
  await long;
});

test('reads that shared a lost connection fail, and those after them do not', async (context) => {
  const { database, owner, read } = await openReads(context, 2);
  const holder = await owner.connect();
  await holder.query('select pg_advisory_lock(77)');
  const waiting = sql`select pg_advisory_xact_lock_shared(77)`;
  const doomed = Promise.allSettled(Array.from({ length: 20 }, () => read(accounts[0]!, waiting)));
  const victims = `select pid from pg_locks where locktype = 'advisory' and not granted`;
  await until('they wait', async () => (await owner.query(victims)).rowCount !== 0);
  const terminate = `select pg_terminate_backend(pid) from (${victims}) as v`;
  await until('all are lost', async () => {
    await owner.query(terminate);
    return database.stats().total === 0 || (await owner.query(victims)).rowCount === 0;
  });
  await holder.query('select pg_advisory_unlock(77)');
  holder.release();
  const failures = (await doomed).filter(({ status }) => status === 'rejected');
  assert.ok(failures.length > 0);
  const { who } = await read<WhoAndWhere>(accounts[2]!, whoAndWhere);
  assert.equal(who, accounts[2]);
  const { total, idle } = database.stats();
  assert.equal(idle, total);
});
