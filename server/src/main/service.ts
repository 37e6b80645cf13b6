// Puts the parts together: database, credentials, API, worker. Everything the command line and the tests start.
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { startKeyAuthentication } from '../modules/api-keys/index.ts';
import { type StepUpGate, stepUpRequired } from '../platform/call.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { migrate } from '../platform/db/migrate.ts';
import { sql } from '../platform/db/query.ts';
import { newUuid } from '../platform/ids.ts';
import { queueState, startWorker } from '../platform/jobs.ts';
import { type Liveness, startLiveness } from '../platform/liveness.ts';
import type { Log } from '../platform/logging.ts';
import { createMetrics, type Metrics } from '../platform/metrics.ts';
import { type Buckets, localBuckets, sharedBuckets } from '../platform/rate-limit.ts';
import type { Sealer } from '../platform/sealing.ts';
import { buildServer } from '../platform/server.ts';
import { openSealer, proveMasterKey } from './master-key.ts';
import { crons, jobs, operations } from './modules.ts';

export type Role = 'all' | 'api' | 'worker';

export type Core = { database: Database; sealer: Sealer; databaseUrl: string };

/** A migrated database and the key to its secrets: what every command needs. */
export async function openCore(config: Config, databaseUrl: string, log: Log): Promise<Core> {
  await mkdir(config.dataDir, { recursive: true });
  await migrate(databaseUrl, (name) => log.debug({ migration: name }, 'migrated'));
  const sealer = await openSealer(config.masterKey, config.dataDir);
  const database = openDatabase({
    url: databaseUrl,
    sealer,
    maxConnections: config.databaseConnections,
    log,
  });
  await proveMasterKey(database, sealer);
  return { database, sealer, databaseUrl };
}

export type Service = {
  /** Where the API answers; null in a process that only works. */
  url: string | null;
  core: Core;
  /** Lets requests and jobs in flight end, then closes. */
  stop(): Promise<void>;
};

type ServiceOptions = {
  config: Config;
  databaseUrl: string;
  role: Role;
  log: Log;
  clock?: Clock;
  checkAnswers?: boolean;
};

export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, role, log, clock = systemClock } = options;
  const core = await openCore(config, options.databaseUrl, log);
  const { database } = core;
  const processId = newUuid(systemClock.now());
  const liveness = await startLiveness({ database, processId, role, log });
  const metrics = createMetrics();
  metrics.observeDatabase(database);
  const parts: { stop(): Promise<void> }[] = [];
  let url: string | null = null;
  if (role !== 'worker') {
    const api = await startApi({ ...options, clock }, core, liveness, metrics);
    parts.push(api);
    url = api.url;
  }
  if (role !== 'api') parts.push(await startJobs(options, core, liveness, metrics, clock));
  return {
    url,
    core,
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
      await liveness.stop();
      await database.close();
    },
  };
}

async function startApi(
  options: ServiceOptions & { clock: Clock },
  { database, sealer }: Core,
  liveness: Liveness,
  metrics: Metrics,
) {
  const { config, log } = options;
  const keys = await startKeyAuthentication({ database, sealer, log });
  let stopping = false;
  let url = '';
  const app = buildServer({
    operations,
    serving: {
      database,
      clock: options.clock,
      sealer,
      buckets: chooseBuckets(config, database, liveness),
      guesses: localBuckets(),
      authenticators: [keys.authenticator],
      stepUp: refuseStepUp,
      processId: liveness.processId,
      limits: {
        perKey: { name: 'key', perSecond: config.requestsPerSecond, burst: config.requestsPerSecond * 2 },
        perAddress: { name: 'address', perSecond: 20, burst: 100 },
        guesses: { name: 'failures', perSecond: 2, burst: 60 },
      },
      docsUrl: () => `${config.publicUrl ?? url}/docs/errors`,
      checkAnswers: options.checkAnswers ?? false,
    },
    publicUrl: () => config.publicUrl ?? url,
    trustedProxies: config.trustedProxies,
    metrics,
    metricsToken: config.metricsToken,
    async ready() {
      if (stopping) throw new Error('the process is stopping');
      await database
        .system((s) => s.run(sql`select 1`))
        .catch(() => {
          throw new Error('the database does not answer');
        });
    },
    log,
  });
  await app.listen({ port: config.port, host: config.host });
  const { port } = app.server.address() as AddressInfo;
  url = config.publicUrl ?? `http://localhost:${port}`;
  return {
    url,
    app: app as FastifyInstance,
    async stop() {
      stopping = true;
      await app.close();
      await keys.stop();
    },
  };
}

/** Until people can sign in there is no second factor, so nobody can show one. */
const refuseStepUp: StepUpGate = async (_t, action) => {
  throw stepUpRequired(action);
};

function chooseBuckets(config: Config, database: Database, liveness: Liveness): Buckets {
  const local = localBuckets();
  const shared = sharedBuckets(database);
  if (config.rateLimitStore === 'memory') return local;
  if (config.rateLimitStore === 'postgres') return shared;
  return { take: (...request) => (liveness.sharesApi() ? shared : local).take(...request) };
}

async function startJobs(
  { log }: ServiceOptions,
  { database, databaseUrl }: Core,
  liveness: Liveness,
  metrics: Metrics,
  clock: Clock,
) {
  const runner = await startWorker({
    url: databaseUrl,
    jobs,
    crons,
    concurrency: 10,
    database,
    clock,
    metrics,
    log,
    onWorker: (workerId) => liveness.addWorker(workerId),
  });
  const observe = async () => {
    const { due, oldestSeconds } = await database.system(queueState);
    metrics.queueGauge.set(due);
    metrics.queueAgeGauge.set(oldestSeconds);
  };
  const timer = setInterval(
    () => void observe().catch((error) => log.warn({ err: error }, 'could not read the queue')),
    5_000,
  );
  return {
    async stop() {
      clearInterval(timer);
      await runner.stop();
    },
  };
}
