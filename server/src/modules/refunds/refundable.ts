// What of a payment can be given back, and how much of it is asked for. One place decides, under the payment's lock: what was
// paid, less what was refunded, is being refunded or was taken by a bank; of an invoice's payment no more than the invoice owes back.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError, type ErrorDetail } from '../../platform/errors/errors.ts';
import type { Part } from '../../platform/http/operations/operation.ts';
import { format } from '../../platform/money.ts';
import { isoScale } from '../billing/index.ts';
import { invoiceForRefund } from '../invoices/index.ts';
import {
  findIntent,
  type Intent,
  intentsOfInvoice,
  lockIntent,
  moneyOf,
  refundableOf,
} from '../payments/index.ts';
import type { NewRefundRequest } from './schema.ts';

export type Target = { intent: Intent; invoiceSid: string | null; amountMinor: bigint };

const together = ['amountMinor', 'currency', 'scale'] as const;

type Named = { body: Part<NewRefundRequest>; refused: ReadonlySet<string> };

/** What is wrong with the input, all of it at once. Whether so much can be refunded is asked under the payment's lock. */
export async function issuesOfTarget(t: TenantTx, { body, refused }: Named): Promise<ErrorDetail[]> {
  const details: ErrorDetail[] = [];
  // What is malformed was meant, too.
  const isGiven = (name: keyof NewRefundRequest) => body[name] !== undefined || refused.has(name);
  const oneTarget = isGiven('invoiceSid') !== isGiven('paymentIntentId');
  if (!oneTarget) {
    const issue = 'exactly one of invoiceSid and paymentIntentId says what is refunded';
    details.push({ path: 'invoiceSid', issue }, { path: 'paymentIntentId', issue });
  }
  const missing = together.filter((name) => !isGiven(name));
  if (missing.length > 0 && missing.length < together.length) {
    const issue = 'amountMinor, currency and scale go together, or are left out for all that can be refunded';
    for (const path of missing) details.push({ path, issue });
  }
  return [...details, ...judgeMoney(body, oneTarget ? await paidIn(t, body) : null)];
}

type PaidIn = { currency: string; scale: number };

/** In what the payment or invoice was paid; null where one of this account's is not named. */
async function paidIn(
  t: TenantTx,
  { invoiceSid, paymentIntentId }: Part<NewRefundRequest>,
): Promise<PaidIn | null> {
  if (paymentIntentId !== undefined) return findIntent(t, paymentIntentId);
  const [paid] = invoiceSid === undefined ? [] : await intentsOfInvoice(t, invoiceSid);
  return paid ?? null;
}

function judgeMoney({ currency, scale }: Part<NewRefundRequest>, paid: PaidIn | null): ErrorDetail[] {
  const known = paid?.scale ?? (currency === undefined ? null : isoScale(currency));
  const details: ErrorDetail[] = [];
  if (paid && currency !== undefined && currency !== paid.currency)
    details.push({ path: 'currency', issue: `must be ${paid.currency}, in which it was paid` });
  if (!paid && currency !== undefined && known === null)
    details.push({ path: 'currency', issue: 'is the currency of no wallet of this account' });
  if (known !== null && scale !== undefined && scale !== known)
    details.push({ path: 'scale', issue: `must be ${known}, that of ${paid?.currency ?? currency}` });
  return details;
}

/** The payment that is given back, locked, and how much of it. What is asked for has no issues. */
export async function resolveTarget(t: TenantTx, body: NewRefundRequest): Promise<Target> {
  const path = body.invoiceSid === undefined ? 'paymentIntentId' : 'invoiceSid';
  const found = await lockTarget(t, body).catch((error) => {
    if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
    throw new ApiError('NOT_FOUND', {
      details: [{ path, issue: 'is none of this account and environment' }],
    });
  });
  const { intent, invoiceSid, leftMinor } = found;
  const amountMinor = body.amountMinor === undefined ? leftMinor : BigInt(body.amountMinor);
  if (amountMinor > leftMinor || amountMinor === 0n) {
    const left = format(moneyOf(intent, leftMinor));
    throw new ApiError('CONFLICT', { message: `${left} of it can be refunded.` });
  }
  return { intent, invoiceSid, amountMinor };
}

const byAmount = (a: bigint, b: bigint) => Number(a - b);

type Locked = { intent: Intent; invoiceSid: string | null; leftMinor: bigint };

async function lockTarget(t: TenantTx, { invoiceSid, paymentIntentId }: NewRefundRequest): Promise<Locked> {
  if (paymentIntentId !== undefined) return locked(t, await lockIntent(t, paymentIntentId));
  // Those that paid are locked before the invoice is looked at, as whoever hears of a payment does.
  const paid = await intentsOfInvoice(t, invoiceSid!);
  const all: Locked[] = [];
  for (const { id } of paid) all.push(await locked(t, await lockIntent(t, id)));
  const [best] = all.sort((a, b) => byAmount(b.leftMinor, a.leftMinor));
  if (best) return best;
  const { currency, scale } = await invoiceForRefund(t, invoiceSid!);
  throw new ApiError('CONFLICT', {
    message: `${format({ amountMinor: 0n, currency, scale })} of it can be refunded.`,
  });
}

async function locked(t: TenantTx, intent: Intent): Promise<Locked> {
  const paidLeft = intent.provider === 'stripe' ? refundableOf(intent) : 0n;
  const { invoiceSid } = intent;
  if (invoiceSid === null) return { intent, invoiceSid, leftMinor: paidLeft };
  const { creditMinor } = await invoiceForRefund(t, invoiceSid);
  const [leftMinor] = [creditMinor, paidLeft].sort(byAmount);
  return { intent, invoiceSid, leftMinor: leftMinor! };
}
