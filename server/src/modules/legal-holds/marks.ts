// What the holds of an account reach, and the lock between those who place a hold and those who remove something.
//
// Whoever removes takes the lock with others who do, and asks in the same transaction, after it; whoever places a hold has it alone.
// So every removal is over before a hold is placed, or sees it: once its answer has left, nothing it reaches goes. The lock is taken before
// any row is, or the two could wait for each other.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { lockName, lockNumber } from '../../platform/db/tenant-lock.ts';
import type { Reach } from './scopes.ts';

const place = (t: TenantTx) => lockNumber(lockName(t, 'legal-holds'));

/** To be called before a transaction locks or changes what it removes. */
export async function removing(t: TenantTx): Promise<void> {
  await t.run(sql`select pg_advisory_xact_lock_shared(${place(t)})`);
}

/** Nobody of the account removes anything until this transaction ends. */
export async function placing(t: TenantTx): Promise<void> {
  await t.run(sql`select pg_advisory_xact_lock(${place(t)})`);
}

/**
 * A row that somebody wants to remove: when it came to be, whom it was first for and what else it belongs to, by SID, and the sender
 * it passed through.
 */
export type Removable = { at: Sql; refs: readonly Sql[]; sender?: Sql };

type Asker = Pick<TenantTx, 'accountSid' | 'livemode' | 'now'>;

/** A condition that is true of a row under a hold; of one the customer can see, when asked `visibly`. */
export function isHeld(t: Asker, { at, refs, sender = sql`null` }: Removable, { visibly = false } = {}): Sql {
  const counts = sql`k.account_sid = ${t.accountSid} and k.livemode = ${t.livemode} and (k.until is null or k.until > ${t.now})
    and (k.visible or not ${visibly})`;
  const named = sql.join([sql`${t.accountSid}`, ...refs], sql`, `);
  return sql`(exists (select from legal_hold_marks k where ${counts} and k.ref = any (array[${named}]::text[])
      and (k.sender_sid is null or k.sender_sid = ${sender}))
    or exists (select from legal_hold_marks k where ${counts} and k.ref is null and k.from_at <= ${at} and k.to_at > ${at}))`;
}

/** Whether anything of the account is held. */
export async function holdsAnything(t: TenantTx): Promise<boolean> {
  const found = await t.maybe(sql`
    select from legal_hold_marks where account_sid = ${t.accountSid} and livemode = ${t.livemode} limit 1`);
  return found !== undefined;
}

type Marking = { holdId: string; visible: boolean; until: Date | null };

export async function mark(t: TenantTx, { holdId, visible, until }: Marking, reach: Reach): Promise<void> {
  const refs = 'refs' in reach ? reach.refs : [null];
  const { from, to } = 'refs' in reach ? { from: null, to: null } : reach;
  const senderSid = ('refs' in reach && reach.senderSid) || null;
  await t.run(sql`
    insert into legal_hold_marks (account_sid, livemode, hold_id, ref, sender_sid, from_at, to_at, until, visible)
    select ${t.accountSid}, ${t.livemode}, ${holdId}::uuid, ref, ${senderSid}, ${from}, ${to}, ${until}, ${visible} from unnest(${refs}::text[]) as ref`);
}

/** One that waited stands from now on. */
export async function keepMarks(t: TenantTx, holdId: string): Promise<void> {
  await t.run(sql`
    update legal_hold_marks set until = null where account_sid = ${t.accountSid} and livemode = ${t.livemode} and hold_id = ${holdId}`);
}

export async function removeMarks(t: TenantTx, holdId: string): Promise<void> {
  await t.run(sql`
    delete from legal_hold_marks where account_sid = ${t.accountSid} and livemode = ${t.livemode} and hold_id = ${holdId}`);
}

/** Wherever one of them is held, all are, until the release, also when they are taken apart again. To be called while `placing`. */
export async function holdTogether(t: TenantTx, contactSids: readonly string[]): Promise<void> {
  await t.run(sql`
    insert into legal_hold_marks (account_sid, livemode, hold_id, ref, sender_sid, until, visible)
    select k.account_sid, k.livemode, k.hold_id, one.ref, k.sender_sid, k.until, k.visible
      from legal_hold_marks k cross join unnest(${[...contactSids]}::text[]) as one (ref)
     where k.account_sid = ${t.accountSid} and k.livemode = ${t.livemode} and k.ref = any (${[...contactSids]}::text[])
    on conflict do nothing`);
}

/** A hold and what it is on: the SID of a contact, a campaign or the account, or a time. */
export type StandingMark = { holdId: string; visible: boolean } & (
  | { ref: string; from: null; to: null }
  | { ref: null; from: string; to: string }
);

/** What the holds of the account are on at this moment, without those that are known already. To be asked while `removing`. */
export const standingMarks = (t: TenantTx, known: readonly string[]): Promise<StandingMark[]> =>
  t.many<StandingMark>(sql`
    select hold_id as "holdId", visible, ref, from_at as "from", to_at as "to" from legal_hold_marks
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and (until is null or until > ${t.now})
       and not hold_id = any (${[...known]}::uuid[])`);
