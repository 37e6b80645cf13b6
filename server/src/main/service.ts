// Puts the parts together: database, credentials, API, worker. Everything the command line and the tests start.
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { startKeyAuthentication } from '../modules/api-keys/index.ts';
import { sessionAuthenticator } from '../modules/identity/index.ts';
import { type StepUpGate, stepUpRequired } from '../platform/call.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { type Config, ConfigError } from '../platform/config.ts';
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
  // What has been started, to be stopped in the opposite order, also when a later part cannot start.
  const started: (() => Promise<void>)[] = [() => core.database.close()];
  const stop = async () => {
    for (const end of started.splice(0).reverse()) await end();
  };
  try {
    const processId = newUuid(systemClock.now());
    const liveness = await startLiveness({ database: core.database, processId, role, log });
    started.push(liveness.stop);
    const metrics = createMetrics();
    metrics.observeDatabase(core.database);
    const parts: Parts = { ...options, clock, core, liveness, metrics };
    if (role !== 'api') started.push(await startJobs(parts));
    if (role === 'worker') return { url: null, core, stop };
    const api = await startApi(parts);
    started.push(api.stop);
    return { url: api.url, core, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Parts = ServiceOptions & { clock: Clock; core: Core; liveness: Liveness; metrics: Metrics };

async function startApi({ config, log, clock, core, liveness, metrics, checkAnswers = false }: Parts) {
  const { database, sealer } = core;
  const keys = await startKeyAuthentication({ database, sealer, log });
  let stopping = false;
  let url = '';
  const app = buildServer({
    operations,
    serving: {
      database,
      clock,
      sealer,
      buckets: chooseBuckets(config, database, liveness),
      guesses: localBuckets(),
      authenticators: [
        keys.authenticator,
        sessionAuthenticator({ database, sealer, origin: () => new URL(config.publicUrl ?? url).origin }),
      ],
      stepUp: refuseStepUp,
      processId: liveness.processId,
      limits: {
        perKey: { name: 'key', perSecond: config.requestsPerSecond, burst: config.requestsPerSecond * 2 },
        perAddress: { name: 'address', perSecond: 20, burst: 100 },
        guesses: { name: 'failures', perSecond: 2, burst: 60 },
      },
      docsUrl: () => `${config.publicUrl ?? url}/docs/errors`,
      checkAnswers,
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
  try {
    await app.listen({ port: config.port, host: config.host });
  } catch (error) {
    await keys.stop();
    throw explainListen(error as NodeJS.ErrnoException, config);
  }
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

function explainListen(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  if (error.code === 'EADDRINUSE')
    return new ConfigError(`PORT ${port} is in use. Set PORT to another, or to 0.`);
  if (error.code === 'EACCES')
    return new ConfigError(`PORT ${port} may not be opened by this user. Set PORT.`);
  if (error.code === 'EADDRNOTAVAIL')
    return new ConfigError(`HOST ${host} is not an address of this machine.`);
  return error;
}

function chooseBuckets(config: Config, database: Database, liveness: Liveness): Buckets {
  const local = localBuckets();
  const shared = sharedBuckets(database);
  if (config.rateLimitStore === 'memory') return local;
  if (config.rateLimitStore === 'postgres') return shared;
  return { take: (...request) => (liveness.sharesApi() ? shared : local).take(...request) };
}

async function startJobs({ log, clock, core, liveness, metrics }: Parts): Promise<() => Promise<void>> {
  const { database, databaseUrl } = core;
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
  return async () => {
    clearInterval(timer);
    await runner.stop();
  };
}
