// What the provider billed the operator for the accounts its credit line pays for, month by month, against what those accounts were
// charged for it. The bills name no account, so a month that is off is no case of a customer's: the operator sees it.
import type { SystemTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { defineCron, type JobContext, OthersNotReady } from '../../../platform/jobs/jobs.ts';
import { type PassedOn, passedOnBetween } from '../../billing/index.ts';
import { partnerOf } from '../../billing-mode/index.ts';
import type { BusinessInvoice } from '../../provider/index.ts';
import { isOff } from '../statements/tolerance.ts';

/** Corrections come for some months after the bill. */
const monthsBack = 3;
/** Of every amount in the table. */
export const partnerTotalsScale = 6;
const scale = partnerTotalsScale;

export const lookAtPartnerTotals = defineCron({
  name: 'reconciliation.look-at-partner-totals',
  schedule: '23 5 * * *',
  async run(context) {
    // Beside each other: what keeps one from being looked at is none of the other's business.
    await Promise.all([lookAt(context, true), lookAt(context, false)]);
  },
});

async function lookAt(context: JobContext, livemode: boolean): Promise<void> {
  const partner = partnerOf(context, livemode);
  if (!partner) return;
  const span = lastMonths(context.now());
  const invoices: BusinessInvoice[] = [];
  for (let after: string | null = null; ; ) {
    const asked = { ...span, after };
    const answer = await context.ports.provider.listBusinessInvoices(
      partner.connection,
      partner.businessId,
      asked,
    );
    if (!answer.ok) {
      if (answer.failure.retryable) throw new OthersNotReady(answer.failure.reason);
      context.log.warn({ livemode, failure: answer.failure }, 'the provider tells no bills of the operator');
      return;
    }
    invoices.push(...answer.value.items);
    after = answer.value.after;
    if (after === null) break;
  }
  for (const [month, billed] of Map.groupBy(invoices, (invoice) => invoice.month)) {
    const from = new Date(`${month}-01`);
    const passedOn = await context.database.system((s) =>
      passedOnBetween(s, { livemode, from, to: monthAfter(from) }),
    );
    for (const total of totalsOf(billed, passedOn)) await store(context, { livemode, month, ...total });
  }
}

const monthAfter = (at: Date, months = 1) =>
  new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months));

/** The months that are over and whose bills may still change. */
const lastMonths = (now: Date) => ({ from: monthAfter(now, -monthsBack), to: monthAfter(now, 0) });

type Total = { currency: string; billedMinor: bigint; passedOnMinor: bigint };

/** By currency, in millionths. What accounts were charged in a currency the provider did not bill in stands against nothing. */
export function totalsOf(invoices: readonly BusinessInvoice[], passedOn: readonly PassedOn[]): Total[] {
  const totals = new Map<string, Total>();
  const of = (currency: string) => {
    const known = totals.get(currency) ?? { currency, billedMinor: 0n, passedOnMinor: 0n };
    totals.set(currency, known);
    return known;
  };
  for (const { kind, currency, netMinor, scale: digits } of invoices) {
    if (kind === null) continue;
    const amount = netMinor * 10n ** BigInt(scale - digits);
    of(currency).billedMinor += kind === 'credit' ? -amount : amount;
  }
  for (const { currency, amountMinor, scale: digits } of passedOn)
    of(currency).passedOnMinor += digits <= scale ? amountMinor * 10n ** BigInt(scale - digits) : amountMinor;
  return [...totals.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

type Stored = Total & { livemode: boolean; month: string };

async function store({ database, log, now }: JobContext, total: Stored): Promise<void> {
  const { livemode, month, currency, billedMinor, passedOnMinor } = total;
  const off = isOff(billedMinor, passedOnMinor, scale);
  await database.system((s) =>
    s.run(sql`
      insert into partner_totals (livemode, month, currency, billed_minor, passed_on_minor, is_off, looked_at)
      values (${livemode}, ${`${month}-01`}::date, ${currency}, ${billedMinor.toString()}::numeric, ${passedOnMinor.toString()}::numeric,
        ${off}, ${now()})
      on conflict (livemode, month, currency) do update set billed_minor = excluded.billed_minor,
        passed_on_minor = excluded.passed_on_minor, is_off = excluded.is_off, looked_at = excluded.looked_at`),
  );
  if (off)
    log.warn(
      { livemode, month, currency, billedMinor: `${billedMinor}`, passedOnMinor: `${passedOnMinor}`, scale },
      'the provider billed the operator another total than accounts were charged for it',
    );
}

export type PartnerTotal = {
  livemode: boolean;
  month: string;
  currency: string;
  billedMinor: string;
  passedOnMinor: string;
  isOff: boolean;
  lookedAt: string;
};

/** The newest month first. */
export const listPartnerTotals = (s: SystemTx): Promise<PartnerTotal[]> =>
  s.many<PartnerTotal>(sql`
    select livemode, to_char(month, 'YYYY-MM') as month, currency, billed_minor::text as "billedMinor",
      passed_on_minor::text as "passedOnMinor", is_off as "isOff", looked_at as "lookedAt"
      from partner_totals order by month desc, livemode desc, currency`);

/** How many of the months that are still looked at are off. */
export const totalsOff = (s: SystemTx, now: Date): Promise<{ live: number; sandbox: number }> =>
  s.one<{ live: number; sandbox: number }>(sql`
    select count(*) filter (where livemode)::integer as live, count(*) filter (where not livemode)::integer as sandbox
      from partner_totals where is_off and month >= ${lastMonths(now).from}::timestamptz at time zone 'UTC'`);
