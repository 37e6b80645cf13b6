// What tests share of work in the background that a service is killed in: the service that dies beside the app that looks on, and waiting
// through its deaths.
import { isConnectionLoss } from '../../src/platform/db/failures.ts';
import { generateMasterKey } from '../../src/platform/sealing.ts';
import { keepPostgres } from '../chaos/machines.ts';
import { type AppOptions, methodsOf, startTestApp, type TestApp } from '../harness/app.ts';
import type { Subject } from '../harness/dying-service.ts';
import type { Lifetime } from '../harness/lifetime.ts';
import { freePort } from '../harness/ports.ts';
import { dataFolder, until } from './godwit.ts';
import { migratedFolder } from './migrated-folder.ts';
import { keepRunning, patientMs, type RestartedService, type Story } from './restarted-service.ts';

export type { RestartedService, Story };

type Surroundings = {
  /** What loses its database loses it by the end of all its processes. */
  ownPostgres?: boolean;
  /** Of the app that looks on; the service sends through the same one. */
  simulator?: AppOptions['simulator'];
};

export async function startKilledWork(
  lifetime: Lifetime,
  subject: Subject,
  { ownPostgres = false, simulator = false }: Surroundings = {},
): Promise<{ app: TestApp; service: RestartedService }> {
  const MASTER_KEY = generateMasterKey();
  const database = ownPostgres ? await killedPostgres(lifetime) : null;
  const options = { env: { MASTER_KEY }, simulator };
  const app = database
    ? patientApp(await startTestApp(lifetime, { ...options, databaseUrl: database.url }))
    : await startTestApp(lifetime, options);
  // Jobs fall due by the database's clock, so that of the services stays near to it.
  app.clock.set(new Date());
  const service = await keepRunning(
    lifetime,
    app,
    subject,
    {
      PORT: String(await freePort()),
      MASTER_KEY,
      HOST: '127.0.0.1',
      DATA_DIR: await dataFolder(lifetime),
      ...(simulator && { SIMULATOR_URL: app.simulator.url }),
    },
    database?.dies,
  );
  return { app, service };
}

/** Looks again where the database was away. */
function patientApp(app: TestApp): TestApp {
  const sql: TestApp['sql'] = async (text, values) => {
    const found = await until(
      'the database answers',
      () =>
        app.sql(text, values).then(
          (rows) => ({ rows }),
          (error) => {
            if (!isConnectionLoss(error)) throw error;
            return null;
          },
        ),
      patientMs,
    );
    return found.rows as never;
  };
  const send: TestApp['send'] = (method, path, init) =>
    until(
      `${method} ${path} is answered`,
      async () => {
        const reply = await app.send(method, path, init);
        return method === 'GET' && reply.status >= 500 ? null : reply;
      },
      patientMs,
    );
  return { ...app, sql, send, ...methodsOf(send) };
}

async function killedPostgres(lifetime: Lifetime) {
  const { machine, url } = await keepPostgres(lifetime, await migratedFolder(lifetime), await freePort());
  const dies = async () => {
    await machine.kill();
    await machine.back();
  };
  return { url, dies };
}

/** What failed is tried again later, and what waits goes on later: both are due at once. */
export async function dueAtOnce({ sql }: Pick<TestApp, 'sql'>): Promise<void> {
  await sql(
    'update graphile_worker._private_jobs set run_at = now() where locked_at is null and run_at > now()',
  );
  // The tries that a service has are spread over minutes: those that are made to follow one another at once do not count.
  await sql('update operations set tries = 0 where finished_at is null and tries > 0');
}

/** What is due by the clock of the service is due by that of the database, which each death leaves further behind. */
export const dueByClock = ({ sql, clock }: Pick<TestApp, 'sql' | 'clock'>) =>
  sql(
    'update graphile_worker._private_jobs set run_at = now() where locked_at is null and run_at > now() and run_at <= $1',
    [clock.now()],
  );

/** Until something has happened. */
export const waitFor = (
  { app, service }: { app: TestApp; service: RestartedService },
  what: string,
  condition: () => Promise<unknown>,
) =>
  until(
    what,
    async () => {
      await service.ready();
      await dueAtOnce(app);
      return condition();
    },
    patientMs,
  );
