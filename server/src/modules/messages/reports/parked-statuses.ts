// Statuses nobody can place yet: without our SID, and of a message the provider has not named to us. Either its hand-off is
// still being answered, or it was never ours. They are looked at again every minute, and dropped after a day.

import type { Tenant, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { JobContext } from '../../../platform/jobs/jobs.ts';
import type { ProviderStatus, Routed } from '../../provider/index.ts';
import { doubtUnknown } from '../doubts.ts';

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
// The rest is dropped in the next minute.
const mostDropped = 1_000;

/** Drops those too old. Where they say that the provider charges for a message, that is looked into: it is none of ours. */
export async function dropStrangers(t: TenantTx): Promise<void> {
  const rows = await t.many<{ status: Routed<ProviderStatus> }>(sql`
    delete from parked_statuses where account_sid = ${t.accountSid} and id in (
      select id from parked_statuses
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and parked_at < ${new Date(t.now.getTime() - keptMs)}
       limit ${mostDropped})
    returning status`);
  const charged = rows.map(({ status }) => status).filter(isCharged);
  doubtUnknown(
    t,
    charged.map(({ providerMessageId, senderSid = null, wabaSid = null, occurredAt }) => ({
      providerMessageId,
      senderSid,
      wabaSid,
      day: new Date(occurredAt).toISOString().slice(0, 10),
    })),
  );
}

/** The provider charges for what was delivered. Whether it does is told by the type; `billable` is on its way out. */
const isCharged = ({ status, pricing }: ProviderStatus) =>
  (status === 'delivered' || status === 'read') && (pricing?.billable ?? pricing?.type === 'regular');

/** The tenants that have any. */
export async function tenantsWithParked({ database }: JobContext): Promise<Tenant[]> {
  return database.system((s) =>
    s.many<Tenant>(sql`select distinct account_sid as "accountSid", livemode from parked_statuses`),
  );
}
