// Which period of a wallet comes next: as its automation says, or the calendar month in UTC.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { getWallet, lastPeriod } from '../../billing/index.ts';
import { endAfter, monthly, monthOf, type Period, type Step } from './calendar.ts';

export type Collection = { paymentIntentId: string; retryDelaysHours: number[] };

type Row = {
  nextStartsAt: string;
  nextEndsAt: string;
  step: Step;
  paymentIntentId: string;
  retryDelaysHours: number[];
};

async function rowOf(t: TenantTx, walletId: string): Promise<Row | undefined> {
  return t.maybe<Row>(sql`
    select next_starts_at as "nextStartsAt", next_ends_at as "nextEndsAt", step, payment_intent_id as "paymentIntentId",
      retry_delays_hours as "retryDelaysHours" from billing_automations
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId}`);
}

/** The period after the last one that was written down: it runs, or it is over and not closed yet. */
export async function nextPeriod(t: TenantTx, walletId: string): Promise<Period> {
  const row = await rowOf(t, walletId);
  if (row) return { start: new Date(row.nextStartsAt), end: new Date(row.nextEndsAt) };
  const last = await lastPeriod(t, walletId);
  if (last === null) return monthOf(new Date((await getWallet(t, walletId)).createdAt));
  const start = new Date(last.endsAt);
  return { start, end: endAfter(start, monthly) };
}

/** From which card the invoices of a wallet are collected, and when again after a failure; null where nothing is collected. */
export async function collectionOf(t: TenantTx, walletId: string): Promise<Collection | null> {
  const row = await rowOf(t, walletId);
  return row ? { paymentIntentId: row.paymentIntentId, retryDelaysHours: row.retryDelaysHours } : null;
}

/** Goes on to the period after one that was closed. */
export async function advanceSchedule(t: TenantTx, walletId: string, { end }: Period): Promise<void> {
  const row = await rowOf(t, walletId);
  if (!row) return;
  await t.run(sql`
    update billing_automations set next_starts_at = ${end}, next_ends_at = ${endAfter(end, row.step)}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId} and next_ends_at = ${end}`);
}
