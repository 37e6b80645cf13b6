import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { runCron } from '../../../test/harness/jobs.ts';
import { silentLog } from '../observability/logging.ts';
import { analyzeUncounted } from './sweeps.ts';

test('a table that PostgreSQL never counted, as after a crash, is analysed once; a small one is left alone', async (context) => {
  const app = await startTestApp(context);
  await app.sql('create table crowded as select n from generate_series(1, 20000) as n');
  await app.sql('create table sparse as select 1 as n');
  const told: unknown[] = [];
  const log = { ...silentLog, info: (facts: unknown) => told.push(facts) };
  await runCron(app, analyzeUncounted, { log: log as never });
  await runCron(app, analyzeUncounted, { log: log as never });
  assert.deepEqual(told, [{ tables: ['crowded'] }]);
  const counted = await app.sql(
    "select relname as name, reltuples as rows from pg_class where relname in ('crowded', 'sparse') order by relname",
  );
  assert.deepEqual(counted, [
    { name: 'crowded', rows: 20_000 },
    { name: 'sparse', rows: -1 },
  ]);
});
