// Runs in a process of its own: it moves the timers of its process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patience, startTestApp } from '../../../test/harness/app.ts';
import { until } from '../../../test/harness/until.ts';
import { silentLog } from '../observability/logging.ts';
import type { Site } from '../ports.ts';
import { databaseFailure, isConnectionLoss } from './failures.ts';
import { openDatabase } from './open-database.ts';
import { sql } from './query.ts';

const answerMs = 3_000;

test('a statement without an answer is given up in time, and one that said it takes longer is not', async (context) => {
  // The service ends with the timers it began with, also where the test fails.
  context.after(() => context.mock.timers.reset());
  const app = await startTestApp(context);
  // Connections are looked at when the test says so, and a busy PostgreSQL has all the time it needs before that.
  context.mock.timers.enable({ apis: ['setInterval'] });
  const database = openDatabase({
    url: app.databaseUrl,
    sealer: app.sealer,
    site: () => ({ publicUrl: app.url }) as Site,
    patience: { ...patience, answerMs },
    log: silentLog,
  });
  context.after(() => database.close());
  const wait = sql`select pg_advisory_xact_lock(42)`;
  const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = app.database.system(async (s) => {
    await s.run(wait);
    locked.resolve();
    await held.promise;
  });
  await Promise.race([locked.promise, holding]);
  const patient = database.system(async (s) => {
    await s.takesUpTo(600);
    await s.run(wait);
    return 'answered';
  });
  const waiting = async (number: number) => {
    const [row] = await app.sql<{ count: number }>(
      "select count(*)::int as count from pg_locks where locktype = 'advisory' and objid = 42 and not granted",
    );
    return row!.count === number;
  };
  await until('the patient one waits', () => waiting(1));
  const impatient = database.system((s) => s.run(wait));
  await Promise.race([impatient, until('the other one waits too', () => waiting(2))]);
  context.mock.timers.tick(2 * answerMs);
  context.mock.timers.reset(); // what was begun with real timers ends with them
  await assert.rejects(
    impatient,
    (error) => isConnectionLoss(error) && databaseFailure(error)?.code === 'INTERNAL_TEMPORARY_ERROR',
  );
  assert.equal(database.givenUp(), 1);
  held.resolve();
  await holding;
  assert.equal(await patient, 'answered');
  // The others are as good as before.
  assert.equal(await database.system((s) => s.run(sql`select 1`)), 1);
});
