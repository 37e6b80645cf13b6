// `godwit start`: the whole service, or one role of it, until it is told to stop.
import { mkdir } from 'node:fs/promises';
import { systemClock } from '../../platform/clock.ts';
import { ConfigError } from '../../platform/config.ts';
import { patiently } from '../../platform/db/setup/reach-database.ts';
import { createLog, type Log } from '../../platform/observability/logging.ts';
import { openConsole } from '../console/open.ts';
import type { Config } from '../settings.ts';
import { type BannerFacts, banner } from './banner.ts';
import { holdServiceLock, type Reached, reachDatabase } from './database-url.ts';
import { createDemo } from './demo.ts';
import { openSealer } from './master-key.ts';
import { type Role, startService } from './service.ts';
import { greetCallbacks, startSandboxPayments, startSandboxProvider } from './simulator.ts';
import { stopWhenAsked } from './stopping.ts';

// Measured from the birth of the process, so that what a person waits for is what is told.
const sinceBirthMs = () => performance.now();

export async function start(config: Config, role: Role | 'simulator'): Promise<void> {
  const log = createLog(config.logLevel);
  const asked = new AbortController();
  const opening = role === 'simulator' ? openSimulator(config, log) : open(config, role, log, asked.signal);
  const stop = async () => {
    asked.abort();
    await (await opening).stop();
  };
  // Heard from the first moment: a signal during the start waits for what was begun, so that no database is left behind.
  stopWhenAsked(stop, log);
  const { facts } = await opening;
  if (facts) process.stdout.write(`${banner(facts)}\n`);
}

/** Without facts it was asked to stop before there was anything to tell of. */
type Opened = { facts: BannerFacts | null; stop(): Promise<void> };

async function open(config: Config, role: Role, log: Log, asked: AbortSignal): Promise<Opened> {
  const opened = new AsyncDisposableStack();
  try {
    // Built, where it must be, while the database starts.
    const console = role === 'worker' ? undefined : openConsole(log);
    if (console) opened.defer(() => console.stop());
    const database = await ownDatabase(config, opened);
    // What takes longest comes now: the first start fills the database.
    if (asked.aborted) return { facts: null, stop: () => opened.disposeAsync() };
    const service = await startService({ config, databaseUrl: database.url, role, log, console });
    opened.defer(() => service.stop());
    const context = { database: patiently(service.core.database), clock: systemClock, log };
    const demo = database.location ? await createDemo(context, config.region) : null;
    const facts = {
      url: service.url,
      simulatorUrl: service.simulator?.url ?? null,
      role: role === 'all' ? 'API and worker' : role,
      readyMs: sinceBirthMs(),
      database: database.location
        ? `embedded PostgreSQL in ${database.location}`
        : 'PostgreSQL at DATABASE_URL',
      demo,
    };
    return { facts, stop: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** The simulator alone: it needs the master key, and no database. */
async function openSimulator(config: Config, log: Log): Promise<Opened> {
  await mkdir(config.dataDir, { recursive: true });
  const sealer = await openSealer(config.masterKey, config.dataDir);
  const apiUrl = () => config.publicUrl ?? `http://localhost:${config.port}`;
  const simulator = await startSandboxProvider({ config, sealer, log, apiUrl });
  const payments = await startSandboxPayments({ config, sealer, log, apiUrl }).catch(async (error) => {
    await simulator.stop();
    throw error;
  });
  void greetCallbacks(simulator, log);
  const facts = {
    url: null,
    simulatorUrl: simulator.url,
    role: 'simulator',
    readyMs: sinceBirthMs(),
    database: null,
    demo: null,
  };
  const stop = async () => {
    await payments.stop();
    await simulator.stop();
  };
  return { facts, stop };
}

/** Two services on one data folder would each believe to own the database they start and stop. */
async function ownDatabase(config: Config, opened: AsyncDisposableStack): Promise<Reached> {
  const database = await reachDatabase(config);
  if (!database.location) return database;
  const unlock = await holdServiceLock(database.url);
  if (!unlock) {
    throw new ConfigError(
      `Another Godwit runs on ${config.dataDir}. Stop it, or give this one its own DATA_DIR and PORT.`,
    );
  }
  opened.defer(unlock);
  opened.defer(() => database.stop());
  return database;
}
