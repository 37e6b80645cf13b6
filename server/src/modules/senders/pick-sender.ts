// Chooses, for people written to through a pool, the sender each of them hears from. Whoever was chosen before stays chosen
// while that sender can send; otherwise the member with the least load takes over and keeps the contact.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors.ts';
import { inForce, loadWabas, type Waba } from '../wabas/index.ts';
import { type Candidate, chooseMember } from './choose-member.ts';
import { loadSenders, type Sender } from './senders.ts';

/** Restrictions under which a sender cannot begin a conversation. */
const blocking = new Set(['RESTRICTED_BIZ_INITIATED_MESSAGING']);

/** Whether a sender can send now, and the account it belongs to lets it. */
export function canSend(sender: Sender, waba: Waba | undefined, now: Date): boolean {
  if (sender.status !== 'CONNECTED') return false;
  if (!waba) return sender.wabaSid === null;
  return (
    waba.connectionState === 'CONNECTED' &&
    waba.banState !== 'DISABLED' &&
    !inForce(waba.restrictions, now).some(({ type }) => blocking.has(type))
  );
}

/** The sender for one contact; null when no member of the pool can send. */
export async function pickSender(t: TenantTx, poolSid: string, contactSid: string): Promise<string | null> {
  return (await pickSenders(t, poolSid, [contactSid])).get(contactSid) ?? null;
}

/** The sender for each of many contacts; those for whom no member can send are left out. Unknown pools are NOT_FOUND. */
export async function pickSenders(
  t: TenantTx,
  poolSid: string,
  contactSids: readonly string[],
): Promise<Map<string, string>> {
  const wanted = [...new Set(contactSids)];
  await sharePool(t, poolSid);
  const ready = await readyMembers(t, poolSid);
  const known = await choicesOf(t, poolSid, wanted);
  const isKept = (sid: string) => ready.has(known.get(sid) ?? '');
  if (!wanted.every(isKept) && ready.size > 0) {
    // Under the lock both the loads and the choices are read afresh: whoever came first has chosen, and is followed.
    const candidates = await lockMembers(t, poolSid, ready);
    const fresh = await choicesOf(t, poolSid, wanted);
    for (const [contact, sender] of fresh) known.set(contact, sender);
    const open = wanted.filter((sid) => !isKept(sid));
    const chosen = new Map(open.map((contact) => [contact, assign(candidates)]));
    await storeChoices(t, poolSid, chosen, known);
    for (const [contact, sender] of chosen) known.set(contact, sender);
  }
  return new Map([...known].filter(([, sender]) => ready.has(sender)));
}

/** Held until the transaction ends: a pool that is being used is not deleted meanwhile. */
async function sharePool(t: TenantTx, poolSid: string): Promise<void> {
  const pool = await t.maybe(sql`
    select 1 from sender_pools
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${poolSid} and deleted_at is null
       for share`);
  if (pool) return;
  const issue = 'is no sender pool of this account and environment';
  throw new ApiError('NOT_FOUND', { details: [{ path: 'senderPoolSid', issue }] });
}

export async function readyMembers(t: TenantTx, poolSid: string): Promise<Set<string>> {
  const members = await t.many<{ senderSid: string }>(sql`
    select sender_sid as "senderSid" from sender_pool_members
     where account_sid = ${t.accountSid} and pool_sid = ${poolSid}`);
  const senders = await loadSenders(
    t,
    members.map(({ senderSid }) => senderSid),
  );
  const wabaSids = [...senders.values()].flatMap(({ wabaSid }) => wabaSid ?? []);
  const wabas = await loadWabas(t, [...new Set(wabaSids)]);
  const able = [...senders.values()].filter((sender) =>
    canSend(sender, wabas.get(sender.wabaSid ?? ''), t.now),
  );
  return new Set(able.map(({ sid }) => sid));
}

/** Who was chosen for these contacts before, able to send or not. */
export async function choicesOf(
  t: TenantTx,
  poolSid: string,
  contactSids: string[],
): Promise<Map<string, string>> {
  const rows = await t.many<{ contactSid: string; senderSid: string }>(sql`
    select contact_sid as "contactSid", sender_sid as "senderSid" from sender_pool_contacts
     where account_sid = ${t.accountSid} and pool_sid = ${poolSid} and contact_sid = any(${contactSids}::text[])`);
  return new Map(rows.map(({ contactSid, senderSid }) => [contactSid, senderSid]));
}

async function lockMembers(t: TenantTx, poolSid: string, ready: Set<string>): Promise<Candidate[]> {
  const rows = await t.many<Omit<Candidate, 'ready' | 'assigned'> & { assigned: string }>(sql`
    select sender_sid as "senderSid", weight, priority, assigned from sender_pool_members
     where account_sid = ${t.accountSid} and pool_sid = ${poolSid} order by sender_sid for update`);
  return rows.map((row) => ({
    ...row,
    assigned: Number(row.assigned),
    ready: ready.has(row.senderSid),
  }));
}

function assign(candidates: Candidate[]): string {
  const chosen = chooseMember(candidates)!;
  chosen.assigned += 1;
  return chosen.senderSid;
}

/** Writes the choices down and moves the loads with them. */
async function storeChoices(
  t: TenantTx,
  poolSid: string,
  chosen: Map<string, string>,
  previous: Map<string, string>,
): Promise<void> {
  await t.run(sql`
    insert into sender_pool_contacts (account_sid, livemode, pool_sid, contact_sid, sender_sid, chosen_at)
    select ${t.accountSid}, ${t.livemode}, ${poolSid}, c.contact, c.sender, ${t.now}
      from unnest(${[...chosen.keys()]}::text[], ${[...chosen.values()]}::text[]) as c (contact, sender)
    on conflict (account_sid, pool_sid, contact_sid) do update
      set sender_sid = excluded.sender_sid, chosen_at = excluded.chosen_at`);
  const moved = new Map<string, number>();
  const add = (sender: string | undefined, by: number) =>
    sender !== undefined && moved.set(sender, (moved.get(sender) ?? 0) + by);
  for (const [contact, sender] of chosen) {
    add(sender, 1);
    add(previous.get(contact), -1);
  }
  await t.run(sql`
    update sender_pool_members m set assigned = greatest(0, m.assigned + d.by)
      from unnest(${[...moved.keys()]}::text[], ${[...moved.values()]}::bigint[]) as d (sender, by)
     where m.account_sid = ${t.accountSid} and m.pool_sid = ${poolSid} and m.sender_sid = d.sender`);
}
