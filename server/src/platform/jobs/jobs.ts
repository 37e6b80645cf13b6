// Work for later: queued in the transaction that makes it necessary, run by a worker, tried again when it fails.
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Runner, WorkerPool } from 'graphile-worker';
import { Gauge } from 'prom-client';
import type { Static, TSchema } from 'typebox';
import type { Clock } from '../clock.ts';
import type { Database, Flush, Tenant, TenantTx } from '../db/database.ts';
import { openOwnerPool } from '../db/owner-pool.ts';
import { sql } from '../db/query.ts';
import { judgeBy } from '../http/input/validation.ts';
import type { Log } from '../observability/logging.ts';
import { askedOnce, type Metrics } from '../observability/metrics.ts';
import { errorTypeOf, type Tracing } from '../observability/tracing.ts';
import type { Ports, Site } from '../ports.ts';
import { systemPrincipal } from '../principal.ts';
import type { Sealer } from '../sealing.ts';

/** What a job may use. It opens its own transactions, so that no row stays locked while it calls outside. */
export type JobContext = {
  database: Database;
  now: () => Date;
  log: Log;
  ports: Ports;
  site: Site;
  sealer: Sealer;
  /** The process, in whose name something can be held. */
  processId: string;
  /** Aborted when the worker stops: long work ends at its next safe place. */
  signal: AbortSignal;
};

export type TenantJobContext = JobContext & {
  write<T>(work: (t: TenantTx) => Promise<T>): Promise<T>;
  read<T>(work: (t: TenantTx) => Promise<T>): Promise<T>;
};

export type Job<P extends TSchema = TSchema> = {
  name: string;
  /** Payloads hold SIDs only, never content: queues are read by operators. */
  payload: P;
  attempts: number;
  run(context: TenantJobContext, payload: Static<P>): Promise<void>;
};

/** Work on a clock, across accounts. `schedule` is a crontab line in UTC. */
export type Cron = {
  name: string;
  schedule: string;
  run(context: JobContext): Promise<void>;
};

/**
 * As many attempts as the queue can count: the waits between them grow to six hours, so that they last for 22 years. For work
 * nobody would ask for again; what it can leave half done must not be left.
 */
export const untilDone = 32_767;

export const defineJob = <P extends TSchema>(job: Job<P>): Job<P> => job;
export const defineCron = (cron: Cron): Cron => cron;

type Queued = {
  task: string;
  payload: object;
  maxAttempts: number;
  key?: string;
  runAt?: Date;
  priority?: number;
};
type When = { runAt?: Date; key?: string; priority?: number };

const jobQueue: Flush<Queued> = {
  name: 'jobs',
  write: (shares) => [
    sql`select enqueue_jobs(${JSON.stringify(shares.flatMap(({ items }) => items))}::json)`,
  ],
};

/** Queues a job with this transaction. Jobs of one `key` replace each other while they wait. */
export function enqueue<P extends TSchema>(
  t: TenantTx,
  job: Pick<Job<P>, 'name' | 'payload' | 'attempts'>,
  payload: Static<P>,
  when: When = {},
): void {
  const tenant: Tenant = { accountSid: t.accountSid, livemode: t.livemode };
  t.atCommit(jobQueue, {
    task: job.name,
    payload: { tenant, requestId: t.requestId, payload },
    maxAttempts: job.attempts,
    ...when,
  });
}

type Envelope = { tenant: Tenant; requestId: string; payload: unknown };
type WorkerOptions = {
  url: string;
  jobs: Job[];
  crons: Cron[];
  concurrency: number;
  database: Database;
  clock: Clock;
  metrics: Metrics;
  tracing: Tracing;
  log: Log;
  ports: Ports;
  site: () => Site;
  sealer: Sealer;
  processId: string;
  /** Told the name under which each worker locks its jobs, so that they can be freed when this process dies. */
  onWorker(workerId: string): void;
  /** How long the database may leave the queue without an answer. */
  answerMs: number;
};

export type Worker = {
  /** A job may be due. */
  wake(): void;
  stop(): Promise<void>;
};

/**
 * Runs jobs until it is stopped. A runner that cannot write down how a job ended, because the database went away, ends
 * itself: its jobs are given back and another takes its place.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const stopping = new AbortController();
  // One more than run jobs, which hears of new ones.
  const pool = openOwnerPool(options.url, options.concurrency + 1, options.answerMs, options.log);
  let current = await runWorker(options, pool).catch(async (error) => {
    await pool.end();
    throw error;
  });
  const follow = async () => {
    for (;;) {
      await current.gone;
      if (stopping.signal.aborted) return;
      options.log.warn({ part: 'jobs' }, 'the runner ended; another takes its place');
      current = await replace(current, options, pool, stopping.signal);
    }
  };
  const followed = follow().catch((error) => {
    if (!stopping.signal.aborted) throw error;
  });
  return {
    wake: () => current.wake(),
    async stop() {
      stopping.abort();
      current.runner.stop().catch(() => {}); // it may have ended by itself
      await Promise.all([current.gone, followed]);
      // One that was given up may never give its connection back.
      await Promise.race([pool.end(), sleep(housekeepingMs, undefined, { ref: false })]);
    },
  };
}

type Running = {
  runner: Runner;
  poolIds: string[];
  wake(): void;
  /** Resolves when none of its jobs runs any more and none will. */
  gone: Promise<void>;
};
type Pool = ReturnType<typeof openOwnerPool>;

async function replace(
  ended: Running,
  options: WorkerOptions,
  pool: Pool,
  signal: AbortSignal,
): Promise<Running> {
  const { makeWorkerUtils } = await import('graphile-worker');
  ended.runner.stop().catch(() => {}); // its clock, if it still ticks
  for (;;) {
    await sleep(restartMs, undefined, { signal });
    try {
      const utils = await makeWorkerUtils({ pgPool: pool });
      await utils.forceUnlockWorkers(ended.poolIds).finally(() => utils.release());
      return await runWorker(options, pool);
    } catch (error) {
      options.log.warn({ err: error, part: 'jobs' }, 'the runner cannot be replaced yet');
    }
  }
}

// The queue is told of new jobs, and of those that fall due by their time it hears from the net (`watch-due.ts`). To look by
// itself, each worker for itself, is left for what neither knows of.
const pollMs = 600_000;
const restartMs = 500;
const housekeepingMs = 1_000;

/**
 * A runner ends its workers first and then puts its books in order, which can wait for ever: once writing down the end
 * of a job has failed, the queue miscounts what is left to write. What counts is that its workers have stopped.
 */
async function whenGone(runner: Runner, events: EventEmitter): Promise<void> {
  const stopped = ['gracefulShutdown:complete', 'forcefulShutdown:complete', 'forcefulShutdown:error'];
  const workersStopped = stopped.map((name) => once(events, `pool:${name}`));
  const givenUp = Promise.race(workersStopped).then(() => sleep(housekeepingMs, undefined, { ref: false }));
  await Promise.race([runner.promise.catch(() => {}), givenUp]);
}

async function runWorker(options: WorkerOptions, pool: Pool): Promise<Running> {
  const { Logger, parseCronItems, run } = await import('graphile-worker');
  const events = new EventEmitter();
  const poolIds: string[] = [];
  const pools: WorkerPool[] = [];
  // Jobs are locked in the name of the pool, not of the single worker that runs them.
  events.on('pool:create', ({ workerPool }: { workerPool: WorkerPool }) => {
    pools.push(workerPool);
    poolIds.push(workerPool.id);
    options.onWorker(workerPool.id);
  });
  const logger = new Logger(() => (level, message, meta) => {
    if (meta?.failure) return; // we have told it ourselves, and know whose failure it is
    const known = level === 'warning' ? 'warn' : level;
    if (known !== 'info') options.log[known]({ part: 'jobs' }, message);
  });
  const runner = await run({
    // Gathered results have somebody who hears that they could not be written; single ones end the whole process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    pgPool: pool,
    concurrency: options.concurrency,
    pollInterval: pollMs,
    noHandleSignals: true,
    events: events as never,
    logger,
    taskList: Object.fromEntries([
      ...options.jobs.map((job) => [job.name, tenantTask(job, options)]),
      ...options.crons.map((cron) => [cron.name, timed(options, cron.name, (context) => cron.run(context))]),
    ]),
    parsedCronItems: parseCronItems(
      options.crons.map(({ name, schedule }) => ({
        task: name,
        match: schedule,
        options: { maxAttempts: 1 },
      })),
    ),
  });
  // One looks, and whoever finds a job wakes the next: what is due is begun side by side, and a minute in which little or
  // nothing is due costs as little. To wake all of them for one job took a connection each.
  const wake = () => {
    for (const one of pools) one.nudge(1);
  };
  events.on('job:start', wake);
  return { runner, poolIds, wake, gone: whenGone(runner, events) };
}

type Helpers = { abortSignal?: AbortSignal; job?: { attempts: number } };

/** Thrown by a job that cannot go on for a reason outside of the service, such as a customer's host that does not answer. */
export class OthersNotReady extends Error {}

function timed(
  options: WorkerOptions,
  name: string,
  work: (context: JobContext, payload: unknown) => Promise<void>,
) {
  return async (payload: unknown, helpers: unknown) => {
    const stop = options.metrics.jobSeconds.startTimer({ task: name });
    const { abortSignal, job } = helpers as Helpers;
    const signal = abortSignal ?? new AbortController().signal;
    const from = payload as Partial<Envelope> | null; // a cron's payload names nobody
    const span = options.tracing.start(`job ${name}`, 'consumer', { of: from?.requestId ?? null });
    const traced = () => ({
      'godwit.job': name,
      'godwit.attempt': job?.attempts ?? null,
      'godwit.account': from?.tenant?.accountSid ?? null,
      'godwit.livemode': from?.tenant?.livemode ?? null,
      'godwit.request_id': from?.requestId ?? null,
    });
    const { database, clock, log, ports, sealer, processId } = options;
    const given = { database, log, ports, sealer, processId, signal };
    const context = { ...given, now: () => clock.now(), site: options.site() };
    try {
      await work(context, payload);
      stop({ outcome: 'done' });
      span?.end(traced());
    } catch (error) {
      stop({ outcome: 'failed' });
      span?.end(traced(), errorTypeOf(error));
      if (error instanceof OthersNotReady)
        options.log.info({ reason: error.message, task: name }, 'a job waits for others and is tried again');
      else options.log.error({ err: error, task: name }, 'a job failed');
      throw error;
    }
  };
}

function tenantTask(job: Job, options: WorkerOptions) {
  const judge = judgeBy(job.payload);
  return timed(options, job.name, async (context, raw) => {
    const { tenant, requestId, payload } = raw as Envelope;
    const issues = judge(payload);
    if (issues.length > 0) throw new Error(`bad payload of ${job.name}: ${JSON.stringify(issues)}`);
    const requestContext = () => ({
      principal: systemPrincipal(`job:${job.name}`, tenant.livemode),
      now: context.now(),
      requestId,
      log: context.log,
    });
    await job.run(
      {
        ...context,
        write: (work) => options.database.write(tenant, requestContext(), work),
        read: (work) => options.database.read(tenant, requestContext(), work),
      },
      payload,
    );
  });
}

/** When a job of these names is due next. */
export const nextJob = (names: string[]) => sql`next_job_at(${names}::text[])`;

/** How much is due and how long the oldest has waited: asked of the database when somebody asks here. */
export function observeQueue({ registry }: Metrics, database: Database): void {
  type State = { due: number; oldestSeconds: number };
  const ask = askedOnce(async () => (await database.ask<State>(sql`select * from queue_state()`))[0]);
  const gauge = (name: string, help: string, value: (state: State) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const state = await ask();
        if (state) this.set(value(state));
      },
    });
  gauge('godwit_jobs_due', 'Jobs that are due and not yet running', ({ due }) => due);
  const age = 'How long the oldest due job has been waiting';
  gauge('godwit_jobs_oldest_due_seconds', age, ({ oldestSeconds }) => oldestSeconds);
}
