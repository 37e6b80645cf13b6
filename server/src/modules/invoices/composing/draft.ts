// What the invoice of a wallet would say if its time ended there. A preview and the closing of a period both call this.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { money } from '../../../platform/money.ts';
import { isoScale, lastPeriod, periodsOf, positionAt, type Wallet } from '../../billing/index.ts';
import { type TaxLine, taxLinesFor, taxOf, taxProfileOf } from '../../billing-documents/index.ts';
import { leastPayment } from '../../payments/index.ts';
import type { Period } from '../automation/calendar.ts';
import { type Composed, compose, type WhyNot, whyNotInvoiced } from './compose.ts';
import { feesOf, joined, readStretch, reversalsOf, type StretchOfTime, spentIn } from './read-periods.ts';

export type Draft = Composed & {
  /** The scale of the currency, in which its amounts are. */
  scale: number;
  /** The periods it is about, and the numbers of those that were closed before. */
  periods: Period[];
  unbilled: number[];
  /** What happened in the period itself, without those closed before. */
  own: StretchOfTime;
  openingMinor: bigint;
  positionMinor: bigint;
  taxLines: TaxLine[];
  taxMinor: bigint;
  notInvoiced: 'prepaid' | WhyNot | null;
};

export async function draftOf(t: TenantTx, wallet: Wallet, period: Period): Promise<Draft> {
  const [last, unbilled, profile] = await Promise.all([
    lastPeriod(t, wallet.id),
    unbilledPeriods(t, wallet.id, period.end),
    taxProfileOf(t, wallet.currency),
  ]);
  const earlier = await readEarlier(t, wallet.id, unbilled);
  const own = await readStretch(t, wallet.id, { from: last ? period.start : null, to: period.end });
  // A period that begins where the last one ended has all charges since then.
  const follows = last === null || last.endsAt === period.start.toISOString();
  const positionMinor = await positionAt(t, wallet.id, period.end, follows ? spentIn(own) : null);
  const all = joined([...earlier.map(({ stretch }) => stretch), own]);
  const scale = isoScale(wallet.currency)!;
  const composed = compose({
    currency: wallet.currency,
    scale: wallet.scale,
    isoScale: scale,
    positionMinor: positionMinor + (await bookedSince(t, wallet.id, period.end)),
    usage: all.usage,
    adjustments: all.adjustments,
    feesMinor: feesOf(all),
    reversalsMinor: reversalsOf(all),
    taxRef: profile?.taxCode ?? null,
  });
  const net = money(composed.netMinor, wallet.currency, scale);
  const taxLines = net.amountMinor > 0n ? await taxLinesFor(t, { net, at: t.now }) : [];
  const taxMinor = taxOf(taxLines);
  const least = leastPayment(wallet.currency);
  const whyNot = whyNotInvoiced(composed, composed.netMinor + taxMinor, least);
  return {
    ...composed,
    scale,
    periods: [...earlier.map(({ period }) => period), period],
    unbilled,
    own,
    openingMinor: last?.positionMinor ?? 0n,
    positionMinor,
    taxLines,
    taxMinor,
    notInvoiced: wallet.commercialMode === 'prepaid' ? 'prepaid' : whyNot,
  };
}

/** Closed periods whose debt no invoice had at that instant. */
async function unbilledPeriods(t: TenantTx, walletId: string, at: Date): Promise<number[]> {
  const rows = await t.many<{ n: number }>(sql`
    select n from unbilled_periods
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId}
       and since < ${at} order by n`);
  return rows.map(({ n }) => n);
}

async function readEarlier(t: TenantTx, walletId: string, numbers: number[]) {
  const read: { period: Period; stretch: StretchOfTime }[] = [];
  for (const n of numbers) {
    const [found] = await periodsOf(t, walletId, { from: n, to: n });
    const period = { start: new Date(found!.startsAt), end: new Date(found!.endsAt) };
    const stretch = await readStretch(t, walletId, { from: n === 1 ? null : period.start, to: period.end });
    read.push({ period, stretch });
  }
  return read;
}

/**
 * What invoices have taken over that the ledger heard of at this instant or later. A service that was away for weeks closes
 * several periods in a row, and the invoice of the first is booked after the end of the next: its debt must not be billed again.
 */
async function bookedSince(t: TenantTx, walletId: string, at: Date): Promise<bigint> {
  const { bookedMinor } = await t.one<{ bookedMinor: string }>(sql`
    select coalesce(sum(due_minor), 0)::bigint as "bookedMinor" from invoices
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId}
       and booked_at >= ${at} and state <> 'void'`);
  return BigInt(bookedMinor);
}
