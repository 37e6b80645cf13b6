// Why a message cost what it cost: the row of the rate card, the provider's word, what was held and what was moved.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { type MoneyWire, money, toWire } from '../../../platform/money.ts';
import { movementsOf } from '../ledger/transfers.ts';
import { loadRateCards, priceOf } from '../pricing/rates.ts';
import { type Charge, requireCharge, toResource } from './charges.ts';
import type { ChargeExplanation } from './schema.ts';

/** Everything but the line of the invoice, which those know who write invoices. */
export async function explainCharge(
  t: TenantTx,
  id: string,
): Promise<Omit<ChargeExplanation, 'invoiceLine'>> {
  const charge = await requireCharge(t, id);
  const [rate, hold, movements, period] = await Promise.all([
    rateOf(t, charge),
    holdOf(t, charge),
    moved(t, charge),
    periodOf(t, charge),
  ]);
  const [type, category, model, billable] = charge.reported ?? [];
  const report =
    type === undefined || category === undefined
      ? null
      : { type, category, model: model ?? null, billable: billable ?? null };
  const shown = toResource(t, charge);
  return { object: 'charge_explanation', charge: shown, rate, report, hold, movements, period };
}

/** What the card says today is what it said then: a published card never changes. */
async function rateOf(t: TenantTx, charge: Charge): Promise<ChargeExplanation['rate']> {
  const { rateCardVersion, category, pricingType, transport, market } = charge;
  if (rateCardVersion === null || !category || !pricingType || !transport || market === null) return null;
  const rates = (await loadRateCards(t, [rateCardVersion])).get(rateCardVersion)?.get(charge.currency);
  if (!rates) return null;
  const mode = charge.passThroughMinor === 0n ? 'direct' : 'partner';
  const quote = priceOf(rates, { category, pricingType, transport, market }, mode);
  return {
    version: rates.version,
    effectiveFrom: rates.effectiveFrom,
    market: quote.market,
    lines: quote.lines.map(({ kind, amountMinor }) => ({
      kind,
      price: toWire(money(amountMinor, quote.currency, quote.scale)),
    })),
  };
}

async function holdOf(t: TenantTx, { messageSid, currency, scale }: Charge) {
  if (messageSid === null) return null;
  const row = await t.maybe<{ amountMinor: string; heldAt: string; closedAt: string | null }>(sql`
    select amount_minor as "amountMinor", held_at as "heldAt", closed_at as "closedAt" from message_holds
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid = ${messageSid}`);
  if (!row) return null;
  const { amountMinor, heldAt, closedAt } = row;
  return { amount: { amountMinor, currency, scale }, heldAt, closedAt };
}

async function moved(t: TenantTx, charge: Charge): Promise<ChargeExplanation['movements']> {
  if (charge.kind === 'MESSAGE') return movementsOf(t, charge.messageSid!);
  const rows = await t.many<{ kind: string; at: string; amountMinor: string }>(sql`
    select kind, created_at as at, amount_minor as "amountMinor" from ledger_transfers
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and reference = ${charge.id} order by kind`);
  const amountOf = (amountMinor: string): MoneyWire => ({
    amountMinor,
    currency: charge.currency,
    scale: charge.scale,
  });
  return rows.map(({ kind, at, amountMinor }) => ({ kind, amount: amountOf(amountMinor), at }));
}

async function periodOf(t: TenantTx, { walletId, chargedAt }: Charge): Promise<ChargeExplanation['period']> {
  const row = await t.maybe<NonNullable<ChargeExplanation['period']>>(sql`
    select n as number, starts_at as "startsAt", ends_at as "endsAt", invoice_sid as "invoiceSid",
      statement_sid as "statementSid"
      from billing_periods
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId}
       and ends_at > ${chargedAt}::timestamptz
     order by ends_at limit 1`);
  return row ?? null;
}
