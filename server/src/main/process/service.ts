// Puts the parts together: database, credentials, API, worker. Everything the command line and the tests start.
import type { AddressInfo } from 'node:net';
import type { Simulator, SimulatorOptions } from '@godwit/simulator';
import type { PaymentSimulator, PaymentSimulatorOptions } from '@godwit/simulator/payments';
import { startKeyAuthentication } from '../../modules/api-keys/index.ts';
import { recordDenial } from '../../modules/audit/index.ts';
import { sessionAuthenticator, stepUpGate } from '../../modules/identity/index.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Patience } from '../../platform/db/pool.ts';
import { sql } from '../../platform/db/query.ts';
import { errorPageOf } from '../../platform/errors/errors.ts';
import { throwTogether } from '../../platform/errors/throw-together.ts';
import { observeConsumers } from '../../platform/event-consumers/metrics.ts';
import type { Console } from '../../platform/http/console.ts';
import { createUploads } from '../../platform/http/input/uploads.ts';
import { noteDenials } from '../../platform/http/limits/denials.ts';
import { type Buckets, localBuckets, sharedBuckets } from '../../platform/http/limits/rate-limit.ts';
import type { Measure } from '../../platform/http/operations/gather-accounts.ts';
import type { Serving } from '../../platform/http/operations/serving.ts';
import { buildServer } from '../../platform/http/server.ts';
import { newUuid } from '../../platform/ids.ts';
import { nextJob, observeQueue, startWorker, type Worker } from '../../platform/jobs/jobs.ts';
import { type Liveness, startLiveness } from '../../platform/jobs/liveness.ts';
import { runLoops } from '../../platform/jobs/run-loops.ts';
import type { Log } from '../../platform/observability/logging.ts';
import { createMetrics, type Metrics } from '../../platform/observability/metrics.ts';
import type { Tracing } from '../../platform/observability/tracing.ts';
import type { Ports } from '../../platform/ports.ts';
import { api, consumers, crons, jobs, loops, modules, mounts, pages } from '../modules.ts';
import type { Config } from '../settings.ts';
import { type Core, openCore } from './core.ts';
import { observeDatabase } from './database-metrics.ts';
import { explainListen } from './listening.ts';
import { connectPorts } from './ports.ts';
import { greetCallbacks, startSandboxPayments, startSandboxProvider } from './simulator.ts';
import { connectTracing } from './tracing.ts';

export type Role = 'all' | 'api' | 'worker';

export type Service = {
  /** Where the API answers; null in a process that only works. */
  url: string | null;
  core: Core;
  ports: Ports;
  /** The simulated provider, when it runs in this process. */
  simulator: Simulator | null;
  /** The simulated payment service, when it runs in this process. */
  paymentSimulator: PaymentSimulator | null;
  /** Lets requests and jobs in flight end, then closes. */
  stop(): Promise<void>;
};

type ServiceOptions = {
  config: Config;
  databaseUrl: string;
  role: Role;
  log: Log;
  clock?: Clock;
  /** Stands in for parts of the outside world, in tests. */
  ports?: Partial<Ports>;
  checkAnswers?: boolean;
  /** Served beside the API, where it is given. */
  console?: Console | undefined;
  /** More of it, for tests on a busy machine. */
  patience?: Patience | undefined;
  /** How sends gather, where a test must know which of them share a transaction. */
  together?: Measure;
  /** Starts the simulator in a role that would not, or otherwise than usual. */
  simulator?: Partial<SimulatorOptions>;
  /** The same of the payment simulator; null leaves it out. */
  payments?: Partial<PaymentSimulatorOptions> | null;
};

type Parts = {
  config: Config;
  log: Log;
  clock: Clock;
  core: Core;
  ports: Ports;
  liveness: Liveness;
  metrics: Metrics;
  tracing: Tracing;
  checkAnswers: boolean;
  console: Console | undefined;
  together: Measure;
};

export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, role, log, clock = systemClock, checkAnswers = false } = options;
  const together = options.together ?? togetherness(config);
  const core = await openCore(config, options.databaseUrl, log, options.patience);
  const ports = { ...connectPorts(config, core.sealer), ...options.ports };
  // What has been started, to be stopped in the opposite order, also when a later part cannot start.
  const started: (() => Promise<void>)[] = [
    () => core.database.close(),
    () => ports.outbound.close(),
    () => ports.mailer.close(),
    async () => ports.provider.close?.(),
    () => ports.payments.close(),
  ];
  const stop = () => endAll(started.splice(0));
  try {
    const processId = newUuid(systemClock.now());
    const liveness = await startLiveness({ database: core.database, processId, role, log });
    started.push(liveness.stop);
    const metrics = createMetrics();
    observeDatabase(metrics.registry, core.database);
    observeQueue(metrics, core.database);
    core.database.isAloneWhile(liveness.isAlone);
    const tracing = await connectTracing({ config, processId, role, metrics, log });
    started.unshift(tracing.stop); // the last to end: the others' last work is traced too
    const { database, site } = core;
    const observing = { registry: metrics.registry, database, now: () => clock.now(), site };
    observeConsumers(
      consumers.map(({ name }) => name),
      observing,
    );
    for (const { observe } of modules) observe?.(observing);
    const parts: Parts = {
      config,
      log,
      clock,
      core,
      ports,
      liveness,
      metrics,
      tracing,
      checkAnswers,
      console: options.console,
      together,
    };
    const wanted = options.simulator ?? (role === 'all' && config.simulatorUrl === null ? {} : null);
    const simulator = wanted && (await startSandbox(parts, wanted));
    if (simulator) started.push(simulator.stop);
    const wantedPayments = wantsPayments(options);
    const paymentSimulator = wantedPayments && (await startPayments(parts, wantedPayments));
    if (paymentSimulator) started.push(paymentSimulator.stop);
    if (role !== 'api') {
      const worker = await startJobs(parts);
      started.push(worker.stop, await startLoops(parts, worker));
    }
    if (role !== 'worker') started.push(await startApi(parts));
    if (simulator) void greetCallbacks(simulator, log);
    const url = role === 'worker' ? null : core.site().publicUrl;
    return { url, core, ports, simulator, paymentSimulator, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Stop = () => Promise<void>;

/** Ends the newest first. One that fails to end keeps no other alive: a part left running would hold the process. */
async function endAll(parts: Stop[]): Promise<void> {
  const failures: unknown[] = [];
  for (const end of parts.reverse()) await end().catch((error) => failures.push(error));
  throwTogether('not every part of the service could be ended', failures);
}

async function startSandbox(
  { config, core, log }: Parts,
  options: Partial<SimulatorOptions>,
): Promise<Simulator> {
  const { sealer } = core;
  const simulator = await startSandboxProvider({ config, sealer, log, apiUrl: core.localUrl }, options);
  core.simulatorAnswersAt(simulator.url);
  return simulator;
}

function wantsPayments({ payments, role, config }: ServiceOptions): Partial<PaymentSimulatorOptions> | null {
  if (payments !== undefined) return payments;
  return role === 'all' && config.paymentSimulatorUrl === null ? {} : null;
}

async function startPayments(
  { config, core, log }: Parts,
  options: Partial<PaymentSimulatorOptions>,
): Promise<PaymentSimulator> {
  const { sealer } = core;
  const simulator = await startSandboxPayments({ config, sealer, log, apiUrl: core.localUrl }, options);
  core.paymentsAnswerAt(simulator.url);
  return simulator;
}

async function startApi(parts: Parts): Promise<Stop> {
  const { config, log, core, metrics, tracing } = parts;
  const { database, sealer } = core;
  const keys = await startKeyAuthentication({ database, sealer, log });
  const sessions = sessionAuthenticator({
    database,
    sealer,
    origin: () => new URL(core.site().publicUrl).origin,
  });
  let stopping = false;
  const app = buildServer({
    ...api,
    mounts,
    pages,
    console: parts.console,
    serving: servingOf(parts, [keys.authenticator, sessions]),
    publicUrl: () => core.site().publicUrl,
    trustedProxies: config.trustedProxies,
    metrics,
    tracing,
    metricsToken: config.metricsToken,
    async ready() {
      if (stopping) throw new Error('the process is stopping');
      const asked = database.system((s) => s.run(sql`select 1`));
      await asked.catch(() => {
        throw new Error('the database does not answer');
      });
    },
    log,
  });
  try {
    await app.listen({ port: config.port, host: config.host });
  } catch (error) {
    await keys.stop();
    throw explainListen(error as NodeJS.ErrnoException, { ...config, variable: 'PORT' });
  }
  core.listensOn((app.server.address() as AddressInfo).port);
  parts.liveness.answersAt(core.site().publicUrl);
  return async () => {
    stopping = true;
    // A connection that is busy now would stay open afterwards for its client's next request, and be waited for.
    app.server.keepAliveTimeout = 1;
    await app.close();
    await keys.stop();
  };
}

function servingOf(parts: Parts, authenticators: Serving['authenticators']): Serving {
  const { config, core, clock, metrics, ports, liveness, checkAnswers, together } = parts;
  const { requestsPerSecond } = config;
  const buckets = chooseBuckets(config, core.database, liveness);
  return {
    database: core.database,
    sealer: core.sealer,
    keyedHash: core.keyedHash,
    site: core.site,
    clock,
    metrics,
    ports,
    uploads: createUploads(ports.spool),
    buckets,
    guesses: localBuckets(),
    authenticators,
    stepUp: stepUpGate,
    onDenied: noteDenials(buckets, recordDenial(core.database)),
    processId: liveness.processId,
    limits: {
      perKey: { name: 'key', perSecond: requestsPerSecond, burst: requestsPerSecond * 2 },
      perAddress: { name: 'address', perSecond: 20, burst: 100 },
      guesses: { name: 'failures', perSecond: 2, burst: 60 },
      together,
    },
    docsUrl: () => errorPageOf(core.site()),
    checkAnswers,
  };
}

// While one batch of an account is on its way to the disk, so many more are worth the statements of a second one.
const ample = 48;
// After so many answers at once, several clients are likely to come back at once.
const many = 8;

/** Batches take up to a quarter of the connections: others need some, and fewer batches at once are larger ones. */
function togetherness({ requestsTogether: most, databaseConnections }: Config): Measure {
  return most === 1
    ? { most, ample: 1 }
    : { most, ample, many, atOnce: Math.max(2, Math.ceil(databaseConnections / 4)) };
}

function chooseBuckets(config: Config, database: Database, liveness: Liveness): Buckets {
  const local = localBuckets();
  const shared = sharedBuckets(database);
  if (config.rateLimitStore === 'memory') return local;
  if (config.rateLimitStore === 'postgres') return shared;
  return { take: (...request) => (liveness.sharesApi() ? shared : local).take(...request) };
}

function startJobs({ log, clock, core, ports, liveness, metrics, tracing }: Parts): Promise<Worker> {
  const { database, sealer, site, databaseUrl } = core;
  return startWorker({
    url: databaseUrl,
    jobs,
    crons,
    concurrency: 10,
    database,
    sealer,
    site,
    ports,
    clock,
    metrics,
    tracing,
    log,
    processId: liveness.processId,
    onWorker: (workerId) => liveness.addWorker(workerId),
    answerMs: core.answerMs,
  });
}

/** The queues that modules work on themselves. */
function startLoops(
  { log, clock, core, ports, liveness, metrics, tracing }: Parts,
  worker: Worker,
): Promise<Stop> {
  const { database, sealer, site } = core;
  const { processId } = liveness;
  const context = { database, sealer, site, log, ports, processId, metrics, tracing };
  const known = [...jobs, ...crons].map(({ name }) => name);
  const queue = { nextDue: nextJob(known), now: () => systemClock.now(), wake: worker.wake };
  return runLoops({ loops, context, clock, others: [queue] });
}
