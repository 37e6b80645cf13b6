// How the time of a wallet is divided into periods, and from which card its invoices are collected: set whole, once a currency.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, type ErrorDetail } from '../../../platform/errors/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Part } from '../../../platform/http/operations/operation.ts';
import { audit } from '../../audit/index.ts';
import { isoScale, lastPeriod, lockWalletOf, walletOf } from '../../billing/index.ts';
import { savedCardOf } from '../../payments/index.ts';
import { loadWabas } from '../../wabas/index.ts';
import { endedBy, type Period, type Step, stepOf } from './calendar.ts';
import { automationEvents } from './events.ts';
import type { Automation, NewAutomation } from './schema.ts';

const mostDelays = 24;
// What was asked for by mistake, such as days since 1970, would keep the service busy for hours.
const mostEnded = 60;

type Times = { nextPeriodStart: string; nextPeriodEnd: string };

const periodOf = (input: Times): Period => ({
  start: new Date(input.nextPeriodStart),
  end: new Date(input.nextPeriodEnd),
});

/** Everything that is wrong with it, at once. */
export async function issuesOfAutomation(t: TenantTx, input: Part<NewAutomation>): Promise<ErrorDetail[]> {
  const { currency, collection = {}, providerStatement = {} } = input;
  const { paymentIntentId, retryDelaysHours = [] } = collection;
  const { wabaSid } = providerStatement;
  return [
    ...(currency === undefined ? [] : await judgeCurrency(t, currency)),
    ...judgePeriod('', input),
    ...judgeEnded(t.now, input),
    ...(paymentIntentId === undefined ? [] : await judgeCard(t, paymentIntentId)),
    ...(retryDelaysHours.length <= mostDelays
      ? []
      : [{ path: 'collection.retryDelaysHours', issue: `must hold at most ${mostDelays} delays` }]),
    ...(wabaSid === undefined ? [] : await judgeWaba(t, wabaSid)),
    ...judgePeriod('providerStatement.', providerStatement),
  ];
}

async function judgeCurrency(t: TenantTx, currency: string): Promise<ErrorDetail[]> {
  const known = isoScale(currency) !== null && (await walletOf(t, currency));
  return known ? [] : [{ path: 'currency', issue: 'the account has no wallet in it' }];
}

const hasBoth = (input: Part<Times>): input is Times =>
  input.nextPeriodStart !== undefined && input.nextPeriodEnd !== undefined;

function judgePeriod(path: string, input: Part<Times>): ErrorDetail[] {
  if (!hasBoth(input)) return [];
  const { start, end } = periodOf(input);
  return start < end ? [] : [{ path: `${path}nextPeriodEnd`, issue: 'must be after nextPeriodStart' }];
}

function judgeEnded(now: Date, input: Part<Times>): ErrorDetail[] {
  if (!hasBoth(input)) return [];
  const period = periodOf(input);
  if (period.start >= period.end || endedBy(now, period, stepOf(period), mostEnded + 1) <= mostEnded)
    return [];
  const issue = `leaves more than ${mostEnded} periods of this length to be closed at once`;
  return [{ path: 'nextPeriodEnd', issue }];
}

async function judgeCard(t: TenantTx, paymentIntentId: string): Promise<ErrorDetail[]> {
  if (await savedCardOf(t, paymentIntentId)) return [];
  const issue = 'must be a payment that succeeded with saveCardForInvoices';
  return [{ path: 'collection.paymentIntentId', issue }];
}

async function judgeWaba(t: TenantTx, wabaSid: string): Promise<ErrorDetail[]> {
  if ((await loadWabas(t, [wabaSid])).has(wabaSid)) return [];
  return [{ path: 'providerStatement.wabaSid', issue: 'is not a business account of this account' }];
}

type Row = {
  walletId: string;
  currency: string;
  nextPeriodStart: string;
  nextPeriodEnd: string;
  step: Step;
  paymentIntentId: string;
  retryDelaysHours: number[];
  providerStatement: Automation['providerStatement'];
  version: number;
  createdAt: string;
  updatedAt: string;
};

const columns = sql`wallet_id as "walletId", next_starts_at as "nextPeriodStart", next_ends_at as "nextPeriodEnd", step,
  payment_intent_id as "paymentIntentId", retry_delays_hours as "retryDelaysHours",
  provider_statement as "providerStatement", version, created_at as "createdAt", updated_at as "updatedAt"`;

/** The period must begin where the last one ended; the first takes everything older too. What is asked for has no issues. */
export async function setAutomation(t: TenantTx, input: NewAutomation): Promise<Automation> {
  const { currency, collection, providerStatement = null } = input;
  const period = periodOf(input);
  const wallet = (await lockWalletOf(t, currency))!;
  await refuseGap(t, wallet, period);
  const step = JSON.stringify(stepOf(period));
  const row = await t.one<Omit<Row, 'currency'>>(sql`
    insert into billing_automations as a (account_sid, livemode, wallet_id, next_starts_at, next_ends_at, step,
      payment_intent_id, retry_delays_hours, provider_statement, version, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${wallet.id}, ${period.start}, ${period.end}, ${step}::json,
      ${collection.paymentIntentId}, ${collection.retryDelaysHours}::integer[],
      ${providerStatement && JSON.stringify(providerStatement)}::json, 1, ${t.now}, ${t.now})
    on conflict (account_sid, wallet_id) do update set next_starts_at = excluded.next_starts_at,
      next_ends_at = excluded.next_ends_at, step = excluded.step, payment_intent_id = excluded.payment_intent_id,
      retry_delays_hours = excluded.retry_delays_hours, provider_statement = excluded.provider_statement,
      version = a.version + 1, updated_at = excluded.updated_at
    returning ${columns}`);
  const automation = await toAutomation(t, { ...row, currency });
  const { collection: collected, nextPeriodStart, nextPeriodEnd, version } = automation;
  audit(t, {
    action: 'billing_automation.updated',
    resource: wallet.id,
    facts: { currency, nextPeriodStart, nextPeriodEnd, paymentIntentId: collected.paymentIntentId, version },
  });
  emit(t, automationEvents.updated, automation);
  return automation;
}

async function refuseGap(
  t: TenantTx,
  { id, closedUntil }: { id: string; closedUntil: string | null },
  { start }: Period,
): Promise<void> {
  if (closedUntil === null) return;
  const last = await lastPeriod(t, id);
  if (last?.endsAt !== closedUntil) {
    throw new ApiError('CONFLICT', { message: 'A period is being closed at this moment. Try again.' });
  }
  if (start.getTime() === new Date(closedUntil).getTime()) return;
  throw new ApiError('CONFLICT', {
    message: `The last closed period ended at ${closedUntil}: the next one starts there.`,
    details: [{ path: 'nextPeriodStart', issue: `must be ${closedUntil}` }],
  });
}

async function toAutomation(t: TenantTx, row: Row): Promise<Automation> {
  return {
    object: 'billing_automation',
    accountSid: t.accountSid,
    livemode: t.livemode,
    walletId: row.walletId,
    currency: row.currency,
    nextPeriodStart: row.nextPeriodStart,
    nextPeriodEnd: row.nextPeriodEnd,
    step: row.step,
    collection: {
      paymentIntentId: row.paymentIntentId,
      card: await savedCardOf(t, row.paymentIntentId),
      retryDelaysHours: row.retryDelaysHours,
    },
    providerStatement: row.providerStatement,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
