// The pair rate: one message to one person every 6 seconds, and a burst borrowed from the time after it. What is kept is when
// a sender may next write to an address without borrowing; how far that lies ahead is what has been borrowed.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { pairRate } from '../../senders/index.ts';

const everyMs = pairRate.secondsPerMessage * 1000;
const loanMs = (pairRate.burst - 1) * everyMs;

export type Paired = { address: string; pairFreeAt: string | null };

/**
 * Of messages in their turn, which may go now, and when the others may: one after the other, so that a queue to one person
 * spreads over the time it takes.
 */
export function judgePairs<M extends Paired>(
  messages: readonly M[],
  now: Date,
): { ready: M[]; later: { message: M; at: Date }[] } {
  const freeAt = new Map<string, number>();
  const ready: M[] = [];
  const later: { message: M; at: Date }[] = [];
  for (const message of messages) {
    const { address, pairFreeAt } = message;
    const known = freeAt.get(address) ?? (pairFreeAt === null ? 0 : Date.parse(pairFreeAt));
    const free = Math.max(known, now.getTime());
    const mayGoAt = free - loanMs;
    if (mayGoAt <= now.getTime()) ready.push(message);
    else later.push({ message, at: new Date(mayGoAt) });
    freeAt.set(address, free + everyMs);
  }
  return { ready, later };
}

/** Counts messages that go out now. Whoever else counts at the same moment is added to, not overwritten. */
export async function countPairs(
  t: TenantTx,
  messages: readonly { senderSid: string; address: string }[],
): Promise<void> {
  const counts = new Map<string, number>();
  for (const { address } of messages) counts.set(address, (counts.get(address) ?? 0) + 1);
  const rows = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  // Messages of one lane.
  const { senderSid } = messages[0]!;
  await t.run(sql`
    insert into pair_rates as p (account_sid, livemode, sender_sid, address, free_at)
    select ${t.accountSid}, ${t.livemode}, ${senderSid}, item.address,
      ${t.now}::timestamptz + item.messages * make_interval(secs => ${pairRate.secondsPerMessage})
      from unnest(${rows.map(([address]) => address)}::text[], ${rows.map(([, count]) => count)}::integer[])
        as item (address, messages)
    on conflict (account_sid, sender_sid, address) do update
      set free_at = greatest(p.free_at, ${t.now}::timestamptz) + (excluded.free_at - ${t.now}::timestamptz)`);
}
