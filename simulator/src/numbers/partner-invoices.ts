// What the provider bills the partner for the accounts its credit line pays for: one invoice a month and currency, once the month is
// over. `start_date` and `end_date` are about the billing period, which is named by its first day; the end is not in it.
import { GraphError, unknownObject } from '../errors.ts';
import type { Call } from '../http/http.ts';
import { choose, pageOf } from '../http/listing.ts';
import { roundCost } from '../messages/costs.ts';
import { isPartner } from './credit-lines.ts';

const types = ['CM', 'DM', 'INV', 'PRO_FORMA'];

export function listInvoices({ simulation, tenant, id, fields, request }: Call) {
  if (id !== tenant.businessId) throw unknownObject(id);
  const [from, to] = [dayIn('start_date', fields.start_date), dayIn('end_date', fields.end_date)];
  if (fields.type !== undefined && !types.includes(fields.type))
    throw new GraphError(100, `Param type must be one of {${types.join(', ')}}.`);
  const { analytics, timeline } = simulation;
  const billed = isPartner(tenant) ? invoicesOf(analytics.ofPartner(), timeline.nowMs()) : [];
  const found = billed.filter(
    ({ billing_period, type }) =>
      billing_period >= (from ?? '') &&
      (to === null || billing_period < to) &&
      (fields.type === undefined || type === fields.type),
  );
  return pageOf(
    request,
    found.map((invoice) => choose(invoice, fields.fields, ['billing_period', 'type'])),
  );
}

function dayIn(name: string, value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value) || Number.isNaN(Date.parse(value)))
    throw new GraphError(100, `Param ${name} must be a date in the format YYYY-MM-DD.`);
  return value;
}

type Billed = { startMs: number; currency: string; cost: number };

function invoicesOf(counts: Billed[], nowMs: number) {
  const sums = new Map<string, number>();
  for (const { startMs, currency, cost } of counts) {
    const key = `${new Date(startMs).toISOString().slice(0, 7)} ${currency}`;
    sums.set(key, roundCost((sums.get(key) ?? 0) + cost));
  }
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, cost]) => {
      const [month, currency] = key.split(' ') as [string, string];
      const issued = Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)));
      return issued > nowMs ? [] : [invoiceOf(month, currency, cost, issued)];
    });
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const termDays = 30;

function invoiceOf(month: string, currency: string, cost: number, issuedMs: number) {
  const net = cost.toFixed(2);
  const number = `${month.replace('-', '')}${currencyNumber(currency)}`;
  return {
    id: `32${number}`,
    invoice_id: number,
    type: 'INV',
    invoice_type: 'INVOICE',
    liability_type: 'Normal',
    entity: 'Meta Platforms, Inc.',
    billing_period: `${month}-01`,
    invoice_date: dayOf(issuedMs),
    due_date: dayOf(issuedMs + termDays * 86_400_000),
    payment_term: `Net ${termDays}`,
    payment_status: 'Unpaid',
    currency,
    amount: net,
    amount_due: { amount: net, amount_in_hundredths: net.replace('.', ''), currency },
    billed_amount_details: { currency, net_amount: net, tax_amount: '0.00', total_amount: net },
  };
}

/** Digits that tell the currencies apart: ids are numbers. */
const currencyNumber = (currency: string) =>
  [...currency].map((letter) => String(letter.charCodeAt(0) - 64).padStart(2, '0')).join('');
