// Work that a clock finds across accounts and that is done in each by itself.
import type { Tenant, TenantTx } from '../db/database.ts';
import { isConnectionLoss } from '../db/failures.ts';
import { throwTogether } from '../errors/throw-together.ts';
import { systemPrincipal } from '../principal.ts';
import type { JobContext } from './jobs.ts';

export type DueItem = Tenant & { sid: string };

/**
 * Looks for items across accounts, `limit` at a time, and changes each inside its own, until fewer are due. One that fails keeps no
 * other back: the cron fails once all others are done.
 */
export async function eachItem(
  { database, now, log, signal }: Pick<JobContext, 'database' | 'now' | 'log' | 'signal'>,
  cron: string,
  limit: number,
  due: () => Promise<DueItem[]>,
  work: (t: TenantTx, sid: string) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for (;;) {
    const items = await due();
    const failedBefore = failures.length;
    for (const { sid, ...tenant } of items) {
      if (signal.aborted) return;
      const principal = systemPrincipal(`cron:${cron}`, tenant.livemode);
      await database
        .write(tenant, { principal, now: now(), requestId: 'cron', log }, (t) => work(t, sid))
        .catch((error) => {
          if (isConnectionLoss(error)) throw error;
          failures.push(error);
        });
    }
    // Those that failed are due again: once there is nothing else, it ends.
    if (items.length < limit || failures.length - failedBefore === items.length) break;
  }
  throwTogether(`${cron}: not everything that is due was done`, failures);
}
