// Operations in tests: started as a feature would, and run by hand, one job after the other.
import type { TSchema } from 'typebox';
import { type OperationType, startOperation } from '../../src/modules/operations/index.ts';
import type { TenantTx } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/ids.ts';
import type { TenantJobContext } from '../../src/platform/jobs/jobs.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import type { TestApp } from './app.ts';
import { until } from './until.ts';

export function operationsOf(app: TestApp) {
  const tenant = { accountSid: app.accountSid, livemode: false };
  const processId = newUuid(app.clock.now());
  const requestContext = () => ({
    principal: systemPrincipal('test', false),
    now: app.clock.now(),
    requestId: 'test',
    log: silentLog,
  });
  const write = <T>(work: (t: TenantTx) => Promise<T>) => app.database.write(tenant, requestContext(), work);
  const jobContext = (signal: AbortSignal) =>
    ({
      database: app.database,
      now: () => app.clock.now(),
      log: silentLog,
      sealer: app.sealer,
      ports: {} as never, // the types tried this way call nobody
      site: {} as never,
      processId,
      signal,
      write,
      read: (work) => app.database.read(tenant, requestContext(), work),
    }) satisfies TenantJobContext;
  return {
    write,
    start: async <I extends TSchema>(
      type: OperationType<I>,
      input: object = {},
      options: Parameters<typeof startOperation>[3] = {},
    ) => (await write((t) => startOperation(t, type, input as never, options))).sid,
    /** Runs the job of an operation once, as a worker would that found it in the queue. */
    run: (type: OperationType, operationSid: string, signal = new AbortController().signal) =>
      type.job.run(jobContext(signal), { operationSid }),
    get: async (sid: string) => (await app.get(`${app.at}/operations/${sid}`)).body,
    children: async (sid: string) =>
      (await app.get(`${app.at}/operations/${sid}/children?limit=100`)).body.data,
    /** Asks until an operation worked on elsewhere has ended. */
    ended: (sid: string) =>
      until(`${sid} has ended`, async () => {
        const { body } = await app.get(`${app.at}/operations/${sid}`);
        return body.finishedAt ? body : null;
      }),
  };
}
