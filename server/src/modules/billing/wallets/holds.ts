// Money for messages: set aside when a message is accepted, taken when its final price is known, given back when it is
// not sent. Each is a transfer between two accounts of the wallet; the database moves the balances with it.
//
//   held ──settle──▶ settled     the final price goes to revenue, the rest back to available
//   held ──release─▶ released    all of it goes back
//
// A settled or released hold is closed for good. A thousand messages take as many statements as one.
import type {
  Asked,
  MergedQueries,
  Queries,
  SystemTx,
  Tenant,
  TenantTx,
} from '../../../platform/db/database.ts';
import { accountsOf } from '../../../platform/db/merge.ts';
import { plainArray, sql } from '../../../platform/db/query.ts';
import { transfers } from '../ledger/transfers.ts';
import { tellIfLow } from './alerts.ts';
import { refuseBeyondLimits } from './move-money.ts';
import { lockWallets } from './wallets.ts';

export type MessageAmount = { messageSid: string; amountMinor: bigint };

export type NewHold = MessageAmount & {
  /** The business account it is sent from. */
  wabaSid?: string | null;
};

/**
 * Sets money aside for new messages. The caller holds the wallet's lock and has asked what is spendable; where it did
 * not, the database refuses the whole statement.
 */
export async function hold(t: TenantTx, holds: NewHold[]): Promise<void> {
  const [stored] = await t.merged(storeHolds, holds).catch(refuseBeyondLimits);
  if ((stored?.kept ?? 0) !== holds.length) throw new Error('the account has no wallet to pay from');
  if (stored?.isLow) await tellIfLow(t);
}

const storeHolds = (q: MergedQueries, asked: readonly Asked<NewHold>[]) => {
  const items = asked.map(({ item }) => item);
  const accounts = plainArray([...new Set(asked.map(({ accountSid }) => accountSid))]);
  return q.many<{ accountSid: string; kept: number; isLow: boolean | null }>(sql`
    with paying as (
      select w.account_sid, w.id, w.closed_until, w.credit_minor - w.alert_minor as above_minor, w.alert_armed from unnest(${accounts}::text[]) as a (account_sid)
       cross join lateral (
         select * from wallets k where k.account_sid = a.account_sid and k.livemode = ${q.livemode} and k.pays limit 1) as w),
    given as (
      select paying.account_sid, paying.id as wallet_id, g.reference, g.amount_minor, g.waba_sid, paying.closed_until
        from unnest(${accountsOf(asked)}::text[], ${plainArray(items.map(({ messageSid }) => messageSid))}::text[],
          ${plainArray(items.map(({ amountMinor }) => amountMinor.toString()))}::bigint[],
          ${plainArray(items.map(({ wabaSid }) => wabaSid ?? null))}::text[])
          as g (account_sid, reference, amount_minor, waba_sid)
        join paying on paying.account_sid = g.account_sid),
    listed as (
      select account_sid, wallet_id, closed_until, sum(amount_minor)::bigint as amount_minor,
        case when count(*) = 1 then min(reference) else gen_random_uuid()::text end as reference,
        case when count(*) > 1 then json_object_agg(reference, amount_minor) end as members
        from given where amount_minor <> 0 group by account_sid, wallet_id, closed_until),
    moved as (${transfers(q, { of: sql`listed`, amounts: { hold: sql`amount_minor` }, members: sql`moved.members` })}),
    kept as (
      insert into message_holds (account_sid, livemode, message_sid, wallet_id, amount_minor, held_at, waba_sid)
      select account_sid, ${q.livemode}, reference, wallet_id, amount_minor, ${q.now}, waba_sid from given
      returning account_sid)
    select k.account_sid as "accountSid", k.kept,
      -- Looked up only where somebody is to be told; the balance is the one before this statement.
      case when paying.alert_armed then paying.above_minor < coalesce(listed.amount_minor, 0) - (
        select balance_minor from ledger_accounts a
         where a.account_sid = paying.account_sid and a.wallet_id = paying.id and a.account = 'available') end as "isLow"
      from (select account_sid, count(*)::integer as kept from kept group by 1) as k
      join paying on paying.account_sid = k.account_sid
      left join listed on listed.account_sid = k.account_sid`);
};

/** Gives back what was held for messages that were not sent. Tells which it released; closed holds are left as they are. */
export async function release(t: TenantTx, messageSids: string[]): Promise<string[]> {
  if (messageSids.length === 0) return [];
  const [, closed] = await Promise.all([
    lockWallets(t),
    t.many<{ messageSid: string }>(sql`
      with closed as (
        update message_holds h set state = 'released', closed_at = ${t.now}
         where h.account_sid = ${t.accountSid} and h.livemode = ${t.livemode} and h.message_sid = any (${messageSids})
           and h.state = 'held'
        returning h.account_sid, h.message_sid as reference, h.wallet_id, h.amount_minor,
          (select closed_until from wallets w where w.account_sid = h.account_sid and w.id = h.wallet_id) as closed_until),
      moved as (${transfers(t, { of: sql`closed`, amounts: { release: sql`amount_minor` } })})
      select reference as "messageSid" from closed`),
  ]);
  return closed.map(({ messageSid }) => messageSid);
}

export type OpenHolds = {
  accountSid: string;
  livemode: boolean;
  currency: string;
  count: number;
  amountMinor: bigint;
};

/** What is held and neither settled nor released, by wallet: of the tenant's, or of all for the system. */
export async function openHolds(q: Queries): Promise<OpenHolds[]> {
  const rows = await q.many<Omit<OpenHolds, 'amountMinor'> & { amountMinor: string }>(sql`
    select w.account_sid as "accountSid", w.livemode, w.currency, count(*)::integer as count,
      sum(h.amount_minor) as "amountMinor"
      from message_holds h join wallets w on w.account_sid = h.account_sid and w.id = h.wallet_id
     where h.state = 'held'
     group by w.account_sid, w.livemode, w.currency order by w.account_sid, w.livemode, w.currency`);
  return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
}

export type StretchOfHolds = {
  /** Messages of the environment for which money is still held. */
  open: string[];
  /** The last message of the stretch, of whichever environment; null when there are no more. */
  until: string | null;
};

/**
 * Some of the holds of an account in the order of their messages. At most `length`, so that the statement takes no longer for
 * an account of millions of messages; those of the other environment stand between them in the key, and count.
 */
export async function stretchOfHolds(
  s: SystemTx,
  { accountSid, livemode }: Tenant,
  { after, before, length }: { after: string; before: string; length: number },
): Promise<StretchOfHolds> {
  const rows = await s.many<{ messageSid: string; open: boolean }>(sql`
    select message_sid as "messageSid", state = 'held' and livemode = ${livemode} as open from message_holds
     where account_sid = ${accountSid} and message_sid > ${after} and message_sid < ${before}
     order by message_sid limit ${length}`);
  return {
    open: rows.flatMap(({ messageSid, open }) => (open ? [messageSid] : [])),
    until: rows.at(-1)?.messageSid ?? null,
  };
}
