// Statuses nobody can place yet: without our SID, and of a message the provider has not named to us. Either its hand-off is
// still being answered, or it was never ours. They are looked at again every minute, and dropped after a day.

import type { Tenant, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { JobContext } from '../../../platform/jobs/jobs.ts';
import type { ProviderStatus } from '../../provider/index.ts';

export async function parkStatuses(t: TenantTx, statuses: ProviderStatus[]): Promise<void> {
  if (statuses.length === 0) return;
  await t.run(sql`
    insert into parked_statuses (account_sid, livemode, id, provider_message_id, status, parked_at)
    select ${t.accountSid}, ${t.livemode}, item.id, item.name, item.status::json, ${t.now}
      from unnest(${statuses.map(() => newUuid(t.now))}::uuid[],
        ${statuses.map(({ providerMessageId }) => providerMessageId)}::text[],
        ${statuses.map((status) => JSON.stringify(status))}::text[]) as item (id, name, status)`);
}

/** Takes out the parked statuses whose messages are known by now. */
export async function unparkStatuses(t: TenantTx): Promise<{ sid: string; status: ProviderStatus }[]> {
  const rows = await t.many<{ sid: string; status: ProviderStatus }>(sql`
    delete from parked_statuses s using provider_messages p
     where s.account_sid = ${t.accountSid} and s.livemode = ${t.livemode} and p.account_sid = s.account_sid
       and p.livemode = s.livemode and p.provider_message_id = s.provider_message_id
    returning p.message_sid as sid, s.status`);
  return rows.map(({ sid, status }) => ({
    sid,
    status: { ...status, occurredAt: new Date(status.occurredAt) },
  }));
}

const keptMs = 24 * 60 * 60 * 1000;

/** The tenants that have any, after those too old were dropped. */
export async function tenantsWithParked({ database, now }: JobContext): Promise<Tenant[]> {
  return database.system(async (s) => {
    await s.run(sql`delete from parked_statuses where parked_at < ${new Date(now().getTime() - keptMs)}`);
    return s.many<Tenant>(sql`select distinct account_sid as "accountSid", livemode from parked_statuses`);
  });
}
