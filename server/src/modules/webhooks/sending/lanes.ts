// Who delivers to an endpoint. A worker leases the lane in which something is due, and gives it back when nothing is: one
// process at a time, so that the endpoint's concurrency cap needs no counting across processes. A lane whose process died
// is free at once when the process is found to be dead, and what it had not recorded is sent again.
import type { SystemTx, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';

export type Lease = { accountSid: string; livemode: boolean; endpointSid: string; generation: string };

/**
 * Leases lanes in which something is due, those waiting longest first. While a lane is held its due instant is empty;
 * what is announced meanwhile fills it, and the holder finds it here as one of its own.
 */
export function leaseLanes(s: SystemTx, now: Date, processId: string, most: number): Promise<Lease[]> {
  return s.many<Lease>(sql`
    update webhook_lanes l
       set holder = ${processId}, due_at = null,
           generation = l.generation + case when l.holder = ${processId} then 0 else 1 end
      from (select account_sid, endpoint_sid from webhook_lanes
             where open and due_at <= ${now} and (holder = ${processId} or (holder is null and ${most}::integer > 0))
             order by due_at limit ${most + mostOwn} for update skip locked) due
     where l.account_sid = due.account_sid and l.endpoint_sid = due.endpoint_sid
    returning l.account_sid as "accountSid", l.livemode, l.endpoint_sid as "endpointSid", l.generation`);
}

const mostOwn = 64;

/**
 * Frees the lanes of dead processes, by the database's clock, as their beats are. What they held is due at once. Whoever
 * asks is alive, however late its own beat is.
 */
export async function freeOrphanedLanes(s: SystemTx, now: Date, processId: string): Promise<void> {
  await s.run(sql`
    update webhook_lanes l set holder = null, due_at = ${now}
      from (select account_sid, endpoint_sid from webhook_lanes
             where holder is not null and holder <> ${processId} and not exists (
               select from processes p
                where p.id = holder and p.beat_at > clock_timestamp() - interval '6 seconds')
             for update skip locked) orphaned
     where l.account_sid = orphaned.account_sid and l.endpoint_sid = orphaned.endpoint_sid`);
}

/**
 * Gives a lane back, due when the next of its deliveries is. The lane is locked before the deliveries are looked at: one
 * that is added at this moment would otherwise go unnoticed by both. Tells whether something is due already.
 */
export async function releaseLane(t: TenantTx, { endpointSid, generation }: Lease): Promise<boolean> {
  const held = await t.maybe(sql`
    select 1 from webhook_lanes
     where account_sid = ${t.accountSid} and endpoint_sid = ${endpointSid} and generation = ${generation} for update`);
  if (!held) return false; // taken over, because this process was believed to be dead
  const { due } = await t.one<{ due: boolean }>(sql`
    update webhook_lanes set holder = null, due_at = (
        select min(due_at) from webhook_undelivered
         where account_sid = ${t.accountSid} and endpoint_sid = ${endpointSid} and due_at is not null)
     where account_sid = ${t.accountSid} and endpoint_sid = ${endpointSid}
    returning open and due_at is not null and due_at <= ${t.now} as due`);
  return due;
}

/**
 * Says that something in these lanes is due at an instant, in the transaction that wrote it. The lanes are locked even
 * where they are due already: whoever gives one back at this moment must wait until what was written can be seen.
 */
export async function announceDue(t: TenantTx, endpointSids: string[], at: Date): Promise<void> {
  if (endpointSids.length === 0) return;
  await t.run(sql`
    update webhook_lanes l set due_at = least(l.due_at, ${at})
      from (select endpoint_sid from webhook_lanes
             where account_sid = ${t.accountSid} and endpoint_sid = any (${endpointSids}::text[])
             order by endpoint_sid for update) held
     where l.account_sid = ${t.accountSid} and l.endpoint_sid = held.endpoint_sid`);
}
