// What a pool would choose now, without choosing: for whoever only wants to know.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { type Candidate, chooseMember } from './choose-member.ts';
import { choicesOf, readyMembers } from './pick-sender.ts';
import { loadSenders, type Sender } from './senders.ts';

/** The sender each contact would hear from, a stranger included; null when none can send. Null for a pool that is not there. */
export async function previewSenders(
  t: TenantTx,
  poolSid: string,
  contactSids: readonly string[],
): Promise<((contactSid: string | null) => Sender | null) | null> {
  const pool = await t.maybe(sql`
    select 1 from sender_pools
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${poolSid} and deleted_at is null`);
  if (!pool) return null;
  const ready = await readyMembers(t, poolSid);
  const [known, senders, members] = await Promise.all([
    choicesOf(t, poolSid, [...contactSids]),
    loadSenders(t, [...ready]),
    t.many<Omit<Candidate, 'ready' | 'assigned'> & { assigned: string }>(sql`
      select sender_sid as "senderSid", weight, priority, assigned from sender_pool_members
       where account_sid = ${t.accountSid} and pool_sid = ${poolSid}`),
  ]);
  const next = chooseMember(
    members.map((row) => ({ ...row, assigned: Number(row.assigned), ready: ready.has(row.senderSid) })),
  );
  return (contactSid) => {
    const kept = known.get(contactSid ?? '');
    const sid = kept !== undefined && ready.has(kept) ? kept : next?.senderSid;
    return sid === undefined ? null : (senders.get(sid) ?? null);
  };
}
