// Every movement of money is written here. A caller names the kind and the amount; which account is debited and which is
// credited is the kind's, in the table ledger_transfer_kinds, and the database moves the balances with the transfer.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import type { MoneyWire } from '../../../platform/money.ts';

import { sqlOfMessages, type TransferKind } from './kinds.ts';

export type Transfers = {
  /**
   * Rows with an `account_sid`, a `wallet_id`, a `reference` and until when that wallet's time is closed, `closed_until`: a part of
   * the statement, or a query in brackets.
   */
  of: Sql;
  /** What moves for each of the rows, from its columns. An amount of zero moves nothing, one below is refused. */
  amounts: Partial<Record<TransferKind, Sql>>;
  /** What a row that stands for several lists: the amount of each of its references. */
  members?: Sql;
  /** A kind happens once to a reference. Whatever would repeat it is refused with the whole statement, unless skipped. */
  repeated?: 'refused' | 'skipped';
};

/**
 * SQL that moves money: a statement of its own, or a part of a larger one. The wallets' locks are taken before it, by
 * a statement of their own, so that it sees until when each wallet's time is closed and dates nothing before that.
 */
export function transfers(
  { livemode, now }: Pick<TenantTx, 'livemode' | 'now'>,
  { of, amounts, members = sql`null`, repeated = 'refused' }: Transfers,
): Sql {
  const legs = Object.entries(amounts).map(([kind, amount]) => sql`(${sql.lit(kind)}, ${amount})`);
  // Joined loosely: a kind that is not listed has no accounts, which the table refuses, and loses no money in silence.
  return sql`
    insert into ledger_transfers (account_sid, livemode, wallet_id, kind, reference, debit_account, credit_account,
      amount_minor, members, created_at)
    select moved.account_sid, ${livemode}, moved.wallet_id, leg.kind, moved.reference, k.debit_account, k.credit_account,
      leg.amount_minor, ${members}::json, greatest(${now}, moved.closed_until)
      from ${of} as moved
     cross join lateral (values ${sql.join(legs)}) as leg (kind, amount_minor)
      left join ledger_transfer_kinds k on k.kind = leg.kind
     where leg.amount_minor <> 0
    ${repeated === 'skipped' ? sql`on conflict (account_sid, reference, kind) do nothing` : sql``}`;
}

type MessageKind = 'hold' | 'capture' | 'overage' | 'release';
export type Movement = { kind: MessageKind; amount: MoneyWire; at: string };

/**
 * The money that was moved for a message, the earliest first. What was held may stand in a transfer among others; what the
 * provider gets of a price is part of it.
 */
export async function movementsOf(t: TenantTx, messageSid: string): Promise<Movement[]> {
  const rows = await t.many<Omit<Movement, 'amount'> & MoneyWire>(sql`
    select moved.kind, moved.at, moved.amount_minor as "amountMinor", w.currency, w.scale
      from (select 'hold' as kind, held_at as at, amount_minor, account_sid, wallet_id from message_holds
             where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid = ${messageSid}
               and amount_minor > 0
            union all
            select replace(kind, '_provider', ''), created_at, sum(amount_minor)::bigint, account_sid, wallet_id
              from ledger_transfers
             where account_sid = ${t.accountSid} and livemode = ${t.livemode} and reference = ${messageSid}
               and kind <> 'hold' and kind in (${sqlOfMessages})
             group by 1, 2, 4, 5) as moved
      join wallets w on w.account_sid = moved.account_sid and w.id = moved.wallet_id
     order by moved.at, moved.kind`);
  return rows.map(({ kind, at, ...amount }) => ({ kind, at, amount }));
}

/** The one row of a transfer that is made for itself. */
export const oneReference = (t: TenantTx, walletId: string, reference: string): Sql => sql`(
    select ${t.accountSid}::text as account_sid, ${walletId}::uuid as wallet_id, ${reference}::text as reference,
      (select closed_until from wallets where account_sid = ${t.accountSid} and id = ${walletId}) as closed_until)`;

/** What was moved for some references, which are no messages, by kind. */
export async function movedFor(
  t: TenantTx,
  references: string[],
): Promise<Partial<Record<TransferKind, bigint>>> {
  const rows = await t.many<{ kind: TransferKind; amountMinor: string }>(sql`
    select kind, sum(amount_minor) as "amountMinor" from ledger_transfers
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and reference = any(${references}::text[])
     group by kind`);
  return Object.fromEntries(rows.map(({ kind, amountMinor }) => [kind, BigInt(amountMinor)]));
}

export type MovedByKind = { kind: TransferKind; count: number; amountMinor: bigint };

/** What was moved for other reasons than messages, by kind; from the beginning where `from` is null, up to before `to`. */
export async function movementsBetween(
  t: TenantTx,
  walletId: string,
  from: Date | null,
  to: Date,
): Promise<MovedByKind[]> {
  const rows = await t.many<Omit<MovedByKind, 'amountMinor'> & { amountMinor: string }>(sql`
    select kind, count(*)::integer as count, sum(amount_minor) as "amountMinor" from ledger_transfers
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId}
       and kind not in (${sqlOfMessages})
       and created_at >= coalesce(${from}::timestamptz, '-infinity') and created_at < ${to}
     group by kind order by kind`);
  return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
}
