// One lane per sender: whoever holds its lease hands its messages over, in turn and at the pace its number allows.
import type { Database, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { type Lane, lanesOf } from '../../../platform/queue/lanes.ts';
import { patienceMs } from '../statuses.ts';

export type LeasedLane = Lane<'senderSid'>;

export const wakeChannel = 'dispatch';

export const dispatchLanes = lanesOf({ table: 'dispatch_lanes', column: 'sender_sid', key: 'senderSid' });

/** Tells the workers that something in these lanes falls due at an instant; to be called where it is stored. */
export async function wakeLanes(t: TenantTx, dueAt: ReadonlyMap<string, Date>): Promise<void> {
  await dispatchLanes.announce(t, dueAt);
  if (dueAt.values().some((at) => at <= t.now)) t.tell(wakeChannel);
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

// Whatever falls due before the first in turn has its turn at most this much after it.
const patience = sql`make_interval(secs => ${Math.max(...patienceMs) / 1000})`;

/** Gives a lane back. `retryAt` says when to look again at one that is blocked; else its next message decides. */
export async function releaseLane(database: Database, lane: LeasedLane, retryAt: Date | null): Promise<void> {
  const waiting = sql`s.account_sid = ${lane.accountSid} and s.sender_sid = ${lane.senderSid} and s.waiting`;
  const next = sql`coalesce(${retryAt}::timestamptz, (
    select min(s.due_at) from message_states s
     where ${waiting} and s.turn_at <= ${patience} + (select min(s.turn_at) from message_states s where ${waiting})))`;
  await database.system((s) => dispatchLanes.giveBack(s, lane, next));
}
