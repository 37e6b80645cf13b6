// Runs a job where a test wants it to run: once, now, with an outside world of the test's own making.
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Static, TSchema } from 'typebox';
import type { MediaStore } from '../../src/modules/media/index.ts';
import type { Provider } from '../../src/modules/provider/index.ts';
import type { TenantTx } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/ids.ts';
import type { Cron, Job, JobContext, TenantJobContext } from '../../src/platform/jobs/jobs.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import type { Ports } from '../../src/platform/ports.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import { createSpool } from '../../src/platform/spool.ts';
import type { TestApp } from './app.ts';

type Place = { app: TestApp; accountSid?: string; livemode?: boolean };

function requestContext({ app, livemode = false }: Place) {
  const principal = systemPrincipal('test', livemode);
  return { principal, now: app.clock.now(), requestId: 'test', log: silentLog };
}

/** One transaction inside the account's sandbox, or wherever the place says. */
export function write<T>(place: Place, work: (t: TenantTx) => Promise<T>): Promise<T> {
  const { app, accountSid = app.accountSid, livemode = false } = place;
  return app.database.write({ accountSid, livemode }, requestContext(place), work);
}

/** A provider that answers what it was told to, and fails the test when it is asked for anything else. */
export function scripted(calls: Partial<Provider>): Provider {
  return new Proxy(calls as Provider, {
    get(target, name) {
      const call = target[name as keyof Provider];
      if (!call) throw new Error(`the provider was asked for ${String(name)}`);
      return call;
    },
  });
}

/** Files that a job writes are taken, and kept by nobody. */
const onlyFiles: Pick<Ports, 'spool' | 'mediaStore'> = {
  spool: createSpool(join(tmpdir(), 'godwit-test-spool')),
  mediaStore: { put: (_name, { path }) => rm(path, { force: true }) } as MediaStore,
};

/** Runs what is due on a clock, once and now. */
export const runCron = (app: TestApp, cron: Cron, more: Partial<JobContext> = {}): Promise<void> =>
  cron.run({
    database: app.database,
    now: () => app.clock.now(),
    log: silentLog,
    signal: new AbortController().signal,
    ports: {} as never,
    site: {} as never,
    sealer: app.sealer,
    processId: '',
    ...more,
  });

/** Asks whoever works on jobs for what it does on the clock of the wall, now instead of at the next minute or hour. */
export async function callFor(app: Pick<TestApp, 'sql'>, due: Cron[]): Promise<void> {
  for (const { name } of due)
    await app.sql('select graphile_worker.add_job($1, job_key := $2)', [name, `test ${name}`]);
}

export function runJob<P extends TSchema>(
  place: Place & { provider?: Partial<Provider>; ports?: Partial<Ports> },
  job: Job<P>,
  payload: Static<P>,
): Promise<void> {
  const { app, accountSid = app.accountSid, livemode = false, provider = {}, ports = {} } = place;
  const tenant = { accountSid, livemode };
  const context = {
    database: app.database,
    sealer: app.sealer,
    now: () => app.clock.now(),
    log: silentLog,
    site: app.site(),
    ports: { ...onlyFiles, ...ports, provider: scripted(provider) },
    signal: new AbortController().signal,
    processId: newUuid(app.clock.now()),
    write: (work: never) => app.database.write(tenant, requestContext(place), work),
    read: (work: never) => app.database.read(tenant, requestContext(place), work),
  } as unknown as TenantJobContext;
  return job.run(context, payload);
}
