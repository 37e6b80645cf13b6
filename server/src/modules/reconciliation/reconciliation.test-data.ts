// Cases in tests: what messages doubted is looked into now, and what came of it is read back.
import type { TestApp } from '../../../test/harness/app.ts';
import { runJob } from '../../../test/harness/jobs.ts';
import type { Messages } from '../../../test/harness/messages.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { Provider } from '../provider/index.ts';
import type { ReconciliationCase } from './cases/schema.ts';
import { reconciliationModule } from './index.ts';

type Queued = { id: string; name: string; payload: { payload: never; tenant: { livemode: boolean } } };

const byName = new Map<string, Job>(reconciliationModule.jobs.map((job) => [job.name, job]));

export const casesOf = (app: TestApp, { accountSid }: Pick<Messages, 'accountSid'>) => {
  /** Takes the jobs that wait out of the queue. */
  const take = async (names: string[]) =>
    app.sql<Queued>(
      `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks k
        where k.id = j.task_id and k.identifier = any($1) and j.payload -> 'tenant' ->> 'accountSid' = $2
       returning j.id, k.identifier as name, j.payload`,
      [names, accountSid],
    );
  const run = (provider: Partial<Provider>, { name, payload }: Queued) =>
    runJob(
      { app, accountSid, livemode: payload.tenant.livemode, provider },
      byName.get(name)!,
      payload.payload,
    );
  const looks = [...byName.keys()].filter((name) => name !== 'reconciliation.enquire');
  return {
    take,
    run,
    /** Looks into what was doubted; the provider is asked nothing. */
    async look(): Promise<number> {
      const queued = await take(looks);
      for (const job of queued) await run({}, job);
      return queued.length;
    },
    /** Asks the provider about what was found. */
    async enquire(provider: Partial<Provider>): Promise<void> {
      for (const job of await take(['reconciliation.enquire'])) await run(provider, job);
    },
    async all(): Promise<ReconciliationCase[]> {
      const rows = await app.sql<{ data: ReconciliationCase }>(
        `select distinct on (resource_sid) data from events
          where account_sid = $1 and type like 'reconciliation_case.%' order by resource_sid, sequence desc`,
        [accountSid],
      );
      return rows.map(({ data }) => data);
    },
    async told(sid: string): Promise<string[]> {
      const rows = await app.sql<{ type: string }>(
        'select type from events where account_sid = $1 and resource_sid = $2 order by sequence',
        [accountSid, sid],
      );
      return rows.map(({ type }) => type.replace('reconciliation_case.', ''));
    },
  };
};
