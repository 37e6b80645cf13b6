import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sql } from '../db/query.ts';
import { createMetrics } from '../observability/metrics.ts';
import { noTracing } from '../observability/tracing.ts';
import { type Cron, nextJob, OthersNotReady, startWorker } from './jobs.ts';

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}

/** Jobs that run until the test lets each of them end. */
function heldJobs() {
  const ends: (() => void)[] = [];
  const cron: Cron = {
    name: 'held',
    schedule: '0 0 1 1 *',
    run: () => new Promise<void>((end) => void ends.push(end)),
  };
  return { cron, ends };
}

/** A worker for these, and what it wrote down. */
async function workOn(context: TestContext, app: TestApp, crons: Cron[]) {
  const failures: string[] = [];
  const told: string[] = [];
  const log = Object.assign(Object.create(app.log), {
    error: (_: unknown, message: string) => void failures.push(message),
    info: (_: unknown, message: string) => void told.push(message),
  });
  const worker = await startWorker({
    url: app.databaseUrl,
    jobs: [],
    crons,
    concurrency: 4,
    database: app.database,
    clock: app.clock,
    metrics: createMetrics(),
    tracing: noTracing,
    log,
    ports: app.ports,
    site: app.site,
    sealer: app.sealer,
    processId: '',
    onWorker: () => {},
    answerMs: 90_000,
  });
  context.after(() => worker.stop());
  return { failures, told, worker };
}

test('a job that waits for others is no error of ours, and one that fails is told once', async (context) => {
  const app = await startTestApp(context);
  const failing = (name: string, error: Error): Cron => ({
    name,
    schedule: '0 0 1 1 *',
    run: () => Promise.reject(error),
  });
  const { failures, told } = await workOn(context, app, [
    failing('waits', new OthersNotReady('The host has no address.')),
    failing('fails', new Error('a bug')),
  ]);
  for (const name of ['waits', 'fails'])
    await app.sql('select graphile_worker.add_job($1, max_attempts => 1)', [name]);
  const ended = 'select from graphile_worker._private_jobs where last_error is not null';
  await until(async () => (await app.sql(ended)).length === 2);
  assert.deepEqual([failures, told], [['a job failed'], ['a job waits for others and is tried again']]);
});

test('a worker that could not write down how its jobs ended is replaced, however many there were', {
  timeout: 120_000,
}, async (context) => {
  const app = await startTestApp(context);
  const { cron, ends } = heldJobs();
  const { failures } = await workOn(context, app, [cron]);
  const add = () => app.sql("select graphile_worker.add_job('held')");
  for (let count = 0; count < 4; count += 1) await add();
  await until(() => ends.length === 4);

  await app.sql('alter table graphile_worker._private_jobs rename to away');
  for (const [index, end] of ends.splice(0).entries()) {
    end();
    const told = () => failures.filter((message) => message.startsWith('Failed to complete jobs')).length;
    await until(() => told() > index);
  }
  await app.sql('alter table graphile_worker.away rename to _private_jobs');

  // The four jobs are given back and run again, by the one that took its place.
  await until(() => ends.length === 4);
  for (const end of ends.splice(0)) end();
  await until(async () => (await app.sql('select from graphile_worker._private_jobs')).length === 0);
  assert.equal(ends.length, 0);
});

test('jobs that fall due together begin side by side, though only one worker is woken', {
  timeout: 120_000,
}, async (context) => {
  const app = await startTestApp(context);
  const { cron, ends } = heldJobs();
  // Before there is a worker, which would be told of each.
  for (let count = 0; count < 4; count += 1)
    await app.sql("select graphile_worker.add_job('held', run_at => now() + interval '1 day')");
  const { worker } = await workOn(context, app, [cron]);
  // Each worker looks once when it starts. One that is late with it finds a job by itself, and proves nothing.
  for (let turn = 0; turn < 300; turn += 1) await app.sql('select');
  await app.sql('update graphile_worker._private_jobs set run_at = now()');
  worker.wake();
  await until(() => ends.length === 4);
  for (const end of ends) end();
});

test('a due job that a worker does not know is never due for it', async (context) => {
  const app = await startTestApp(context);
  const dueAt = async () =>
    (await app.database.ask<{ at: string | null }>(sql`select ${nextJob(['known'])} as at`))[0]!.at;
  await app.sql("select graphile_worker.add_job('stranger')");
  assert.equal(await dueAt(), null);
  await app.sql("select graphile_worker.add_job('known')");
  assert.notEqual(await dueAt(), null);
});
