// Work that a clock finds across accounts and that is done in each by itself.
import type { Tenant, TenantTx } from '../db/database.ts';
import { systemPrincipal } from '../principal.ts';
import type { JobContext } from './jobs.ts';

export type DueItem = Tenant & { sid: string };

/** Looks for items across accounts, `limit` at a time, and changes each inside its own, until fewer are due. */
export async function eachItem(
  { database, now, log, signal }: Pick<JobContext, 'database' | 'now' | 'log' | 'signal'>,
  cron: string,
  limit: number,
  due: () => Promise<DueItem[]>,
  work: (t: TenantTx, sid: string) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const items = await due();
    for (const { sid, ...tenant } of items) {
      if (signal.aborted) return;
      const principal = systemPrincipal(`cron:${cron}`, tenant.livemode);
      await database.write(tenant, { principal, now: now(), requestId: 'cron', log }, (t) => work(t, sid));
    }
    if (items.length < limit) return;
  }
}
