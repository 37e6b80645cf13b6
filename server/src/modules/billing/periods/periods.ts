// Closed time of a wallet. Closing moves one mark under the wallet's lock; everything that is posted later is dated behind it, so
// what lies before it never changes and can be added up without a lock.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { ownAccounts, sqlOfMessages } from '../ledger/kinds.ts';
import { lockWallets } from '../wallets/wallets.ts';

export type Period = {
  n: number;
  /** Where it was meant to start. The first period takes everything older too. */
  startsAt: string;
  endsAt: string;
  /** What was available and held together at its end. */
  positionMinor: bigint;
  closedAt: string;
  invoiceSid: string | null;
  statementSid: string | null;
};

type PeriodRow = Omit<Period, 'positionMinor'> & { positionMinor: string };

const columns = sql`n, starts_at as "startsAt", ends_at as "endsAt", position_minor as "positionMinor",
  closed_at as "closedAt", invoice_sid as "invoiceSid", statement_sid as "statementSid"`;
const toPeriod = (row: PeriodRow): Period => ({ ...row, positionMinor: BigInt(row.positionMinor) });

/**
 * Closes the wallet's time up to before `end`, under its lock: whoever posts later is dated at `end` or after. Time that is closed
 * further already stays so.
 */
export async function closeUntil(t: TenantTx, walletId: string, end: Date): Promise<void> {
  if (end > t.now) throw new ApiError('CONFLICT', { message: 'A period is closed when it is over.' });
  await Promise.all([
    lockWallets(t),
    t.run(sql`
      update wallets set closed_until = ${end}
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${walletId}
         and (closed_until is null or closed_until < ${end})`),
  ]);
}

/** The period that was closed last; null before the first. */
export async function lastPeriod(t: TenantTx, walletId: string): Promise<Period | null> {
  const row = await t.maybe<PeriodRow>(sql`
    select ${columns} from billing_periods
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId}
     order by n desc limit 1`);
  return row ? toPeriod(row) : null;
}

/** Periods by number, the first given up to the last given. */
export async function periodsOf(
  t: TenantTx,
  walletId: string,
  { from = 1, to = 2_147_483_647 }: { from?: number; to?: number } = {},
): Promise<Period[]> {
  const rows = await t.many<PeriodRow>(sql`
    select ${columns} from billing_periods
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId}
       and n between ${from} and ${to}
     order by n`);
  return rows.map(toPeriod);
}

export type NewPeriod = {
  walletId: string;
  startsAt: Date;
  endsAt: Date;
  /** What `positionAt` tells of its end, where that is known already. */
  positionMinor?: bigint;
};

/**
 * Writes the period that follows the last, whose time must be closed by then (`closeUntil`). A start that is not the end of the
 * last is refused by the database.
 */
export async function addPeriod(t: TenantTx, period: NewPeriod): Promise<Period> {
  const { walletId, startsAt, endsAt } = period;
  const positionMinor = period.positionMinor ?? (await positionAt(t, walletId, endsAt));
  const row = await t.one<PeriodRow>(sql`
    insert into billing_periods (account_sid, livemode, wallet_id, n, starts_at, ends_at, position_minor, closed_at)
    select ${t.accountSid}, ${t.livemode}, ${walletId}, coalesce(max(n), 0) + 1, ${startsAt}, ${endsAt}, ${positionMinor}, ${t.now}
      from billing_periods
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId}
    returning ${columns}`);
  return toPeriod(row);
}

type Named = { walletId: string; from: number; to: number };

/** Names the invoice made of some periods, or takes the name away when the invoice was voided. */
export async function nameInvoice(t: TenantTx, { walletId, from, to }: Named, invoiceSid: string | null) {
  await t.run(sql`
    update billing_periods set invoice_sid = ${invoiceSid}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId}
       and n between ${from} and ${to}`);
}

/** Names the statement made of a period, once. */
export async function nameStatement(t: TenantTx, walletId: string, n: number, statementSid: string) {
  await t.run(sql`
    update billing_periods set statement_sid = ${statementSid}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId} and n = ${n}`);
}

/**
 * What was available and held together just before an instant: what the last period before it ended with, what moved since, and
 * less what messages cost. Final where the instant lies in closed time. What is held for messages and given back cancels out,
 * so that few transfers are looked at. Whoever has added up the charges since that period says what messages cost: there may be
 * millions, and they need not be read twice.
 */
export async function positionAt(
  t: TenantTx,
  walletId: string,
  at: Date,
  spentMinor: bigint | null = null,
): Promise<bigint> {
  const { positionMinor } = await t.one<{ positionMinor: string }>(sql`
    with base as materialized (
      select coalesce(max(ends_at), '-infinity') as since,
        coalesce((array_agg(position_minor order by ends_at desc))[1], 0) as position_minor
        from billing_periods
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId} and ends_at <= ${at}),
    moved as (
      select sum(m.amount_minor * ((k.credit_account in (${ownAccounts}))::integer
          - (k.debit_account in (${ownAccounts}))::integer)) as amount_minor
        from ledger_transfers m join ledger_transfer_kinds k on k.kind = m.kind
       where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.wallet_id = ${walletId}
         and m.kind not in (${sqlOfMessages}) and m.created_at >= (select since from base) and m.created_at < ${at}),
    spent as (
      select sum(fee_minor + pass_through_minor) as amount_minor from charges
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId} and kind = 'MESSAGE'
         and charged_at >= (select since from base) and charged_at < ${at} and ${spentMinor}::bigint is null)
    select base.position_minor + coalesce(moved.amount_minor, 0) - coalesce(${spentMinor}::bigint, spent.amount_minor, 0)
        as "positionMinor"
      from base, moved, spent`);
  return BigInt(positionMinor);
}
