// What of a payment can be given back, and how much of it is asked for. One place decides, under the payment's lock: what was
// paid, less what was refunded, is being refunded or was taken by a bank; of an invoice's payment no more than the invoice owes back.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors/errors.ts';
import { format } from '../../platform/money.ts';
import { isoScale } from '../billing/index.ts';
import { invoiceForRefund } from '../invoices/index.ts';
import { type Intent, intentsOfInvoice, lockIntent, moneyOf, refundableOf } from '../payments/index.ts';
import type { NewRefundRequest } from './schema.ts';

export type Target = { intent: Intent; invoiceSid: string | null; amountMinor: bigint };

const together = ['amountMinor', 'currency', 'scale'] as const;

/** What is wrong with the input alone, all of it at once. */
export function judgeTarget(body: NewRefundRequest): void {
  const details: ErrorDetail[] = [];
  const { invoiceSid, paymentIntentId, currency, scale } = body;
  if ((invoiceSid === undefined) === (paymentIntentId === undefined)) {
    const issue = 'exactly one of invoiceSid and paymentIntentId says what is refunded';
    details.push({ path: 'invoiceSid', issue }, { path: 'paymentIntentId', issue });
  }
  const given = together.filter((name) => body[name] !== undefined);
  if (given.length > 0 && given.length < together.length) {
    const issue = 'amountMinor, currency and scale go together, or are left out for all that can be refunded';
    for (const name of together) if (body[name] === undefined) details.push({ path: name, issue });
  }
  const known = currency === undefined ? null : isoScale(currency);
  if (currency !== undefined && known === null)
    details.push({ path: 'currency', issue: 'is the currency of no wallet of this account' });
  if (known !== null && scale !== undefined && scale !== known)
    details.push({ path: 'scale', issue: `must be ${known}, that of ${currency}` });
  if (details.length > 0) throw invalid(...details);
}

/** The payment that is given back, locked, and how much of it. */
export async function resolveTarget(t: TenantTx, body: NewRefundRequest): Promise<Target> {
  judgeTarget(body);
  const path = body.invoiceSid === undefined ? 'paymentIntentId' : 'invoiceSid';
  const found = await lockTarget(t, body).catch((error) => {
    if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
    throw new ApiError('NOT_FOUND', {
      details: [{ path, issue: 'is none of this account and environment' }],
    });
  });
  const { intent, invoiceSid, leftMinor } = found;
  if (body.currency !== undefined && body.currency !== intent.currency)
    throw invalid({ path: 'currency', issue: `must be ${intent.currency}, in which it was paid` });
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
