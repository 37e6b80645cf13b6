import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { openDoor } from '../../../test/harness/database-door.ts';
import { write } from '../../../test/harness/jobs.ts';
import { ownerPool } from '../../../test/harness/postgres.ts';
import { until } from '../../../test/harness/until.ts';
import type { Log } from '../observability/logging.ts';
import type { Site } from '../ports.ts';
import { openDatabase } from './open-database.ts';

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
function open(app: TestApp, url = app.databaseUrl) {
  const failures: { atMs: number }[] = [];
  const log = { warn: () => failures.push({ atMs: performance.now() }) } as unknown as Log;
  const site = () => ({ publicUrl: app.url }) as Site;
  return { database: openDatabase({ url, sealer: app.sealer, site, log }), failures };
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
    await until('it is heard', () => heard.length === 1);
    await withoutDatabase(app, async () => {
      await until('the loss is told', () => losses === 1);
      await until('it has tried four times', () => failures.length >= 4);
      // One that goes on trying, and not two: each try rests twice as long as the one before.
      for (const [index, restMs] of [100, 200, 400].entries()) {
        const restedMs = failures[index + 1]!.atMs - failures[index]!.atMs;
        assert.ok(restedMs >= restMs - 2, `${restedMs} ms after try ${index + 1}`);
      }
    });
    await until('the return is told', () => losses === 2);
    await app.sql("select pg_notify('news', 'after')");
    await until('the next is heard', () => heard.length === 2);
    assert.deepEqual([heard, losses], [['before', 'after'], 2]);
  } finally {
    await stop();
    await database.close();
  }
});

test('a channel that is first listened to while the connection is opened again is heard', async (context) => {
  const app = await startTestApp(context);
  const waiting: (() => void)[] = [];
  let isOpen = true;
  const door = await openDoor(app.databaseUrl, (letIn) => (isOpen ? letIn() : waiting.push(letIn)));
  context.after(door.close);
  const { database } = open(app, door.url);
  const heard: string[] = [];
  const stops: (() => Promise<void>)[] = [];
  const listen = async (channel: string, onLost = () => {}) => {
    stops.push(await database.listen(channel, () => heard.push(channel), onLost));
  };
  const begun: Promise<void>[] = [];
  let losses = 0;
  await listen('known', () => {
    losses += 1;
    if (losses === 2) begun.push(listen('as it stands again'));
  });
  try {
    isOpen = false;
    door.cut();
    await until('it connects again', () => waiting.length > 0);
    await listen('while it connects');
    isOpen = true;
    for (const letIn of waiting) letIn();
    await until('the return is told', () => losses === 2);
    await Promise.all(begun);
    await app.sql(`
      select pg_notify('while it connects', ''), pg_notify('as it stands again', ''), pg_notify('known', '')`);
    // They come in this order, so that whatever is not listened to is missing once the last is there.
    await until('the last is heard', () => heard.includes('known'));
    assert.deepEqual(heard, ['while it connects', 'as it stands again', 'known']);
  } finally {
    for (const stop of stops) await stop();
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
    await until('it has tried twice', () => failures.length >= 2);
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
  await until('it is heard', () => heard.length > 0);
  // Whatever the first had told would have been heard by now: one connection tells, in order.
  await app.sql("select pg_notify('news', '')");
  await until('the next is heard', () => heard.length > 1);
  assert.equal(heard.length, 2);
});

test('what a process tells is heard once, here and in others, and by nobody else while it is alone', async (context) => {
  const app = await startTestApp(context);
  const [here, there] = [open(app).database, open(app).database];
  const heard: Record<string, string[]> = { here: [], there: [] };
  const stops = [
    await here.listen(
      'news',
      (told) => heard.here!.push(told),
      () => {},
    ),
    await there.listen(
      'news',
      (told) => heard.there!.push(told),
      () => {},
    ),
  ];
  let alone = true;
  here.isAloneWhile(() => alone);
  here.tell('news of one');
  assert.deepEqual(heard.here, ['of one'], 'at once, and without the database');
  alone = false;
  here.tell('news of two');
  await until('the other process hears of the second', () => heard.there!.length > 0);
  assert.deepEqual(heard, { here: ['of one', 'of two'], there: ['of two'] });
  for (const stop of stops) await stop();
  await Promise.all([here.close(), there.close()]);
});
