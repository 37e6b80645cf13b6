import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { write } from '../../../test/harness/jobs.ts';
import { ownerPool } from '../../../test/harness/postgres.ts';
import type { Log } from '../logging.ts';
import type { Site } from '../ports.ts';
import { openDatabase } from './database.ts';

/** Ends every connection of the service and lets none in until the work is done. */
async function withoutDatabase(app: TestApp, work: () => Promise<void>): Promise<void> {
  const [session] = await app.sql<{ name: string; pid: number }>(
    'select current_database() as name, pg_backend_pid() as pid',
  );
  const { name, pid } = session!;
  const owner = ownerPool(process.env.TEST_DATABASE_URL!);
  try {
    await owner.query(`alter database ${name} with allow_connections false`);
    await owner.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> $2',
      [name, pid],
    );
    await work();
  } finally {
    await owner.query(`alter database ${name} with allow_connections true`);
    await owner.end();
  }
}

/** A database of its own, and what it wrote down of failures. */
function open(app: TestApp) {
  const failures: string[] = [];
  const log = { warn: (_facts: object, message: string) => failures.push(message) } as unknown as Log;
  const site = () => ({ publicUrl: app.url }) as Site;
  return { database: openDatabase({ url: app.databaseUrl, sealer: app.sealer, site, log }), failures };
}

async function until(holds: () => boolean): Promise<void> {
  for (let waits = 0; !holds(); waits += 1) {
    assert.ok(waits < 400, 'it did not happen within 4 seconds');
    await sleep(10);
  }
}

test('a lost listener tries again, less and less often, and then hears what is announced', async (context) => {
  const app = await startTestApp(context);
  const { database, failures } = open(app);
  const heard: string[] = [];
  let losses = 0;
  const stop = await database.listen(
    'news',
    (payload) => heard.push(payload),
    () => {
      losses += 1;
    },
  );
  try {
    await app.sql("select pg_notify('news', 'before')");
    await until(() => heard.length === 1);
    await withoutDatabase(app, async () => {
      await until(() => losses === 1);
      // Tries come after 50, 100, 200, 400 and 800 ms, so that a second sees five of them.
      await sleep(1_000);
      assert.ok(failures.length >= 3 && failures.length <= 6, `${failures.length} tries`);
    });
    await until(() => losses === 2);
    await app.sql("select pg_notify('news', 'after')");
    await until(() => heard.length === 2);
    assert.deepEqual([heard, losses], [['before', 'after'], 2]);
  } finally {
    await stop();
    await database.close();
  }
});

test('a listener that is stopped while it tries leaves nothing behind', async (context) => {
  const app = await startTestApp(context);
  const { database, failures } = open(app);
  const stop = await database.listen(
    'news',
    () => {},
    () => {},
  );
  await withoutDatabase(app, async () => {
    await until(() => failures.length >= 2);
    await stop();
  });
  const before = failures.length;
  await sleep(500);
  assert.ok(failures.length <= before + 1);
  const listening = "pg_stat_activity where datname = current_database() and query like 'listen %news%'";
  assert.equal(await app.count(listening), 0);
  await database.close();
});

test('a transaction tells others once it has committed, and nothing when it has not', async (context) => {
  const app = await startTestApp(context);
  const heard: string[] = [];
  const stop = await app.database.listen(
    'news',
    () => heard.push('news'),
    () => {},
  );
  context.after(stop);
  const tell = (work: () => Promise<void>) =>
    write({ app }, async (t) => {
      t.tell('news');
      await work();
    });
  await assert.rejects(
    tell(() => Promise.reject(new Error('changed its mind'))),
    /changed its mind/,
  );
  await tell(async () => assert.deepEqual(heard, []));
  await until(() => heard.length > 0);
  // Whatever the first had told would have been heard by now: one connection tells, in order.
  await app.sql("select pg_notify('news', '')");
  await until(() => heard.length > 1);
  assert.equal(heard.length, 2);
});
