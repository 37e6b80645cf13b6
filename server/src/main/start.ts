// `godwit start`: the whole service, or one role of it, until it is told to stop.
import { systemClock } from '../platform/clock.ts';
import { type Config, ConfigError } from '../platform/config.ts';
import { holdLock } from '../platform/db/lock.ts';
import { createLog } from '../platform/logging.ts';
import { banner } from './banner.ts';
import { reachDatabase } from './database-url.ts';
import { createDemo } from './demo.ts';
import { type Role, startService } from './service.ts';

// Measured from the birth of the process, so that what a person waits for is what is told.
const sinceBirthMs = () => performance.now();

export async function start(config: Config, role: Role): Promise<void> {
  const log = createLog(config.logLevel);
  const database = await reachDatabase(config);
  const unlock = database.location ? await ownDataDir(database.url, config) : async () => {};
  const leave = async () => {
    await unlock();
    await database.release();
  };
  const service = await startService({ config, databaseUrl: database.url, role, log }).catch(
    async (error) => {
      await leave();
      throw error;
    },
  );
  const hands = { database: service.core.database, clock: systemClock, log };
  const demo = database.location ? await createDemo(hands, config.region) : null;

  const stop = async () => {
    await service.stop();
    await leave();
  };
  stopOnSignals(stop, log);
  const facts = {
    url: service.url ?? '(this process only works)',
    role: role === 'all' ? 'API and worker' : role,
    readyMs: sinceBirthMs(),
    database: database.location
      ? `embedded PostgreSQL in ${database.location}`
      : 'PostgreSQL at DATABASE_URL',
    demo,
  };
  process.stdout.write(`${banner(facts)}\n`);
}

/** Two services on one data folder would each believe to own the database they start and stop. */
async function ownDataDir(url: string, config: Config): Promise<() => Promise<void>> {
  const unlock = await holdLock(url, 'service');
  if (unlock) return unlock;
  throw new ConfigError(
    `Another Godwit runs on ${config.dataDir}. Stop it, or give this one its own DATA_DIR and PORT.`,
  );
}

type Log = ReturnType<typeof createLog>;

function stopOnSignals(stop: () => Promise<void>, log: Log): void {
  let stopping = false;
  const end = (code: number) => {
    if (stopping) return process.exit(130); // asked twice: a person wants it gone now
    stopping = true;
    if (process.stdout.isTTY) process.stdout.write('\n  Stopping: requests in flight may finish.\n');
    stop().then(
      () => process.exit(code),
      (error) => {
        log.error({ err: error }, 'did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', () => end(0));
  process.on('SIGTERM', () => end(0));
  // An error nobody caught leaves the process in a state nobody knows: it stops taking work and ends.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      log.fatal({ err: error }, 'an error nobody caught');
      if (!stopping) end(1);
    });
  }
}
