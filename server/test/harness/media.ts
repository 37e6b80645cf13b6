// A whole service with a folder of its own for files, and short ways to send it some.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jobs } from '../../src/main/modules.ts';
import type { JobContext, TenantJobContext } from '../../src/platform/jobs/jobs.ts';
import type { Ports } from '../../src/platform/ports.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import { type Reply, startTestApp } from './app.ts';
import type { Lifetime } from './lifetime.ts';
import { until } from './until.ts';

type Options = {
  env?: Record<string, string>;
  ports?: Partial<Ports>;
  role?: 'api' | 'all';
  simulator?: boolean;
};
type Sent = { fields?: Record<string, string>; filename?: string; mime?: string; headers?: object };

export type MediaApp = Awaited<ReturnType<typeof startMediaApp>>;

export async function startMediaApp(
  lifetime: Lifetime,
  { env = {}, ports = {}, role = 'all', simulator = false }: Options = {},
) {
  const dataDir = await mkdtemp(join(tmpdir(), 'godwit-media-'));
  const app = await startTestApp(lifetime, { role, ports, simulator, env, dataDir });
  const filesIn = async (folder: string) =>
    (await readdir(join(dataDir, folder), { recursive: true, withFileTypes: true }).catch(() => []))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));

  const upload = (
    bytes: Buffer,
    { fields = {}, filename, mime, headers = {} }: Sent = {},
  ): Promise<Reply> => {
    const { body, type } = formOf(bytes, fields, { filename, mime });
    return app.send('POST', `${app.at}/media`, { body, headers: { 'content-type': type, ...headers } });
  };
  /** The item once it is neither PENDING nor SCANNING. */
  const settled = (sid: string) =>
    until(`${sid} is settled`, async () => {
      const { body } = await app.get(`${app.at}/media/${sid}`);
      return ['PENDING', 'SCANNING'].includes(body.status) ? null : body;
    });
  const { database, sealer, log, clock } = app;
  const jobContext: JobContext = {
    database,
    sealer,
    log,
    now: () => clock.now(),
    ports: app.ports,
    site: app.site(),
    processId: randomUUID(),
    signal: new AbortController().signal,
  };
  /** A job of the account, in its sandbox unless said otherwise. */
  const tenantContext = (livemode = false): TenantJobContext => {
    const tenant = { accountSid: app.accountSid, livemode };
    const principal = systemPrincipal('job:test', livemode);
    const requestContext = () => ({ principal, now: clock.now(), requestId: 'test', log });
    return {
      ...jobContext,
      write: (work) => database.write(tenant, requestContext(), work),
      read: (work) => database.read(tenant, requestContext(), work),
    };
  };
  return {
    ...app,
    dataDir,
    jobContext,
    tenantContext,
    runJob: (name: string, payload: object, livemode = false) =>
      jobs.find((job) => job.name === name)!.run(tenantContext(livemode), payload as never),
    upload,
    settled,
    /** Uploads and waits for the verdict. */
    async take(bytes: Buffer, sent?: Sent) {
      const reply = await upload(bytes, sent);
      if (reply.status !== 202) throw new Error(reply.text);
      return settled(reply.body.sid);
    },
    stored: () => filesIn('media'),
    spooled: () => filesIn('spool'),
    /** Lets jobs that failed run again now. */
    retryJobs: () =>
      app.sql('update graphile_worker._private_jobs set run_at = now() where locked_at is null'),
  };
}

export function formOf(
  bytes: Buffer,
  fields: Record<string, string>,
  { filename = 'file', mime, name = 'file' }: { filename?: string; mime?: string; name?: string } = {},
) {
  const boundary = `test-${randomUUID()}`;
  const parts = Object.entries(fields).map(
    ([field, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const type = mime === undefined ? '' : `Content-Type: ${mime}\r\n`;
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n${type}\r\n`;
  const body = Buffer.concat([
    Buffer.from(parts.join('') + head),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { body, type: `multipart/form-data; boundary=${boundary}`, head };
}
