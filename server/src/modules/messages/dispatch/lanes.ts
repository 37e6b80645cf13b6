// One lane per sender: whoever holds its lease hands its messages over, in turn and at the pace its number allows. The lease
// runs on the database's clock and is given up or runs out; what falls due is told on the clock of business rules.
//
// A lane that is leased owes nothing: its `next_at` is put out of reach when the lease begins, so that whatever is written
// into it afterwards came from somebody who added work meanwhile. Giving it back keeps that, or names what is next.
import type { Database, Tenant, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { patienceMs } from '../states/statuses.ts';

export type Lane = Tenant & { senderSid: string };
export type LeasedLane = Lane & { takenOver: boolean };

export const wakeChannel = 'dispatch';
const leaseMs = 6_000;
export const leaseBeatMs = 2_000;

/** Tells the workers that something in these lanes falls due at an instant; to be called where it is stored. */
export async function wakeLanes(t: TenantTx, dueAt: ReadonlyMap<string, Date>): Promise<void> {
  if (dueAt.size === 0) return;
  const lanes = [...dueAt].sort(([a], [b]) => (a < b ? -1 : 1));
  await t.run(sql`
    insert into dispatch_lanes as lane (account_sid, livemode, sender_sid, next_at)
    select ${t.accountSid}, ${t.livemode}, item.sender_sid, item.due_at
      from unnest(${lanes.map(([sid]) => sid)}::text[], ${lanes.map(([, at]) => at)}::timestamptz[])
        as item (sender_sid, due_at)
     order by item.sender_sid
    on conflict (account_sid, sender_sid) do update set next_at = least(lane.next_at, excluded.next_at)`);
  if (lanes.some(([, at]) => at <= t.now)) t.tell(wakeChannel);
}

/** As `wakeLanes`, for messages that wait. */
export function wakeFor(t: TenantTx, waiting: { senderSid: string; dueAt: string | null }[]): Promise<void> {
  const soonest = new Map<string, Date>();
  for (const { senderSid, dueAt } of waiting) {
    const at = new Date(dueAt!);
    const known = soonest.get(senderSid);
    if (!known || at < known) soonest.set(senderSid, at);
  }
  return wakeLanes(t, soonest);
}

/** Leases lanes in which something is due, and those whose holder fell silent; tells of our own to which work was added. */
export async function leaseLanes(
  database: Database,
  { processId, now, limit }: { processId: string; now: Date; limit: number },
): Promise<LeasedLane[]> {
  return database.system((s) =>
    s.many<LeasedLane>(sql`
      with due as (
        select account_sid, sender_sid, leased_by from dispatch_lanes
         where (next_at <= ${now} and (leased_until is null or leased_by = ${processId}))
            or leased_until < clock_timestamp()
         order by next_at limit ${limit} for no key update skip locked)
      update dispatch_lanes lane set leased_by = ${processId}, next_at = 'infinity',
        leased_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1000})
        from due where lane.account_sid = due.account_sid and lane.sender_sid = due.sender_sid
      returning lane.account_sid as "accountSid", lane.livemode, lane.sender_sid as "senderSid",
        due.leased_by is not null and due.leased_by <> ${processId} as "takenOver"`),
  );
}

/** Keeps the leases a process holds; one it no longer holds is missing from the answer. */
export async function keepLeases(database: Database, processId: string): Promise<Set<string>> {
  const rows = await database.system((s) =>
    s.many<{ senderSid: string }>(sql`
      update dispatch_lanes
         set leased_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1000})
       where leased_by = ${processId} and leased_until > clock_timestamp()
      returning sender_sid as "senderSid"`),
  );
  return new Set(rows.map(({ senderSid }) => senderSid));
}

// Whatever falls due before the first in turn has its turn at most this much after it.
const patience = sql`make_interval(secs => ${Math.max(...patienceMs) / 1000})`;

/** Gives a lane back. `retryAt` says when to look again at one that is blocked; else its next message decides. */
export async function releaseLane(
  database: Database,
  { accountSid, senderSid }: Lane,
  processId: string,
  retryAt: Date | null,
): Promise<void> {
  const waiting = sql`s.account_sid = ${accountSid} and s.sender_sid = ${senderSid} and s.waiting`;
  await database.system((s) =>
    s.run(sql`
      update dispatch_lanes set leased_by = null, leased_until = null,
        next_at = least(next_at, coalesce(${retryAt}::timestamptz, (
          select min(s.due_at) from message_states s
           where ${waiting} and s.turn_at <= ${patience} + (select min(s.turn_at) from message_states s where ${waiting})),
          'infinity'))
       where account_sid = ${accountSid} and sender_sid = ${senderSid} and leased_by = ${processId}`),
  );
}
