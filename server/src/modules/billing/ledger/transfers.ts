// Every movement of money is written here. A caller names the kind and the amount; which account is debited and which is
// credited is the kind's, in the table ledger_transfer_kinds, and the database moves the balances with the transfer.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import type { MoneyWire } from '../../../platform/money.ts';

/** The kinds of ledger_transfer_kinds. */
export const transferKinds = [
  'play_money',
  'operator_credit',
  'hold',
  'release',
  'capture',
  'overage',
] as const;
export type TransferKind = (typeof transferKinds)[number];

export type Transfers = {
  /** Rows with an `account_sid`, a `wallet_id` and a `reference`: a part of the statement, or a query in brackets. */
  of: Sql;
  /** What moves for each of the rows, from its columns. An amount of zero moves nothing, one below is refused. */
  amounts: Partial<Record<TransferKind, Sql>>;
  /** A kind happens once to a reference. Whatever would repeat it is refused with the whole statement, unless skipped. */
  repeated?: 'refused' | 'skipped';
};

/** SQL that moves money: a statement of its own, or a part of a larger one. The wallets' locks are taken before it. */
export function transfers(
  { livemode, now }: Pick<TenantTx, 'livemode' | 'now'>,
  { of, amounts, repeated = 'refused' }: Transfers,
): Sql {
  const legs = Object.entries(amounts).map(([kind, amount]) => sql`(${sql.lit(kind)}, ${amount})`);
  // Joined loosely: a kind that is not listed has no accounts, which the table refuses, and loses no money in silence.
  return sql`
    insert into ledger_transfers (account_sid, livemode, wallet_id, kind, reference, debit_account, credit_account,
      amount_minor, created_at)
    select moved.account_sid, ${livemode}, moved.wallet_id, leg.kind, moved.reference, k.debit_account, k.credit_account,
      leg.amount_minor, ${now}
      from ${of} as moved
     cross join lateral (values ${sql.join(legs)}) as leg (kind, amount_minor)
      left join ledger_transfer_kinds k on k.kind = leg.kind
     where leg.amount_minor <> 0
    ${repeated === 'skipped' ? sql`on conflict (account_sid, reference, kind) do nothing` : sql``}`;
}

type MessageKind = Extract<TransferKind, 'hold' | 'capture' | 'overage' | 'release'>;
export type Movement = { kind: MessageKind; amount: MoneyWire; at: string };

/** The money that was moved for a message, the earliest first. */
export async function movementsOf(t: TenantTx, messageSid: string): Promise<Movement[]> {
  const rows = await t.many<Omit<Movement, 'amount'> & MoneyWire>(sql`
    select l.kind, l.created_at as at, l.amount_minor as "amountMinor", w.currency, w.scale
      from ledger_transfers l join wallets w on w.account_sid = l.account_sid and w.id = l.wallet_id
     where l.account_sid = ${t.accountSid} and l.livemode = ${t.livemode} and l.reference = ${messageSid}
     order by l.created_at, l.kind`);
  return rows.map(({ kind, at, ...amount }) => ({ kind, at, amount }));
}
