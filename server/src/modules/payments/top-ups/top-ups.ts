// Money an account pays in before it spends it.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { type ErrorDetail, invalid } from '../../../platform/errors/errors.ts';
import { Closed, Uuid } from '../../../platform/http/input/schema.ts';
import { format, money } from '../../../platform/money.ts';
import { isoScale, walletOf } from '../../billing/index.ts';
import { taxLinesFor, taxOf } from '../../billing-documents/index.ts';
import { accepted, defineOperationType, startOperation } from '../../operations/index.ts';
import { startIntent } from '../attempts/start-intent.ts';
import { findIntent, type Intent, intentAt, lockIntent } from '../intents/intents.ts';
import { leastPayment, mostPayment, requirePayments } from '../intents/service.ts';
import type { NewTopUp } from '../schema.ts';
import { isOpen, isPaid } from '../states.ts';

/** What is wrong with the input alone, before a second factor is asked for. */
export async function judgeTopUp(t: TenantTx, body: NewTopUp): Promise<void> {
  requirePayments(t);
  const { currency, amountMinor } = body;
  const scale = isoScale(currency);
  const details: ErrorDetail[] = [];
  if (scale === null || !(await walletOf(t, currency)))
    details.push({ path: 'currency', issue: 'is the currency of no wallet of this account' });
  const least = leastPayment(currency);
  if (scale !== null && BigInt(amountMinor) < least)
    details.push({
      path: 'amountMinor',
      issue: `must be at least ${format(money(least, currency, scale))}`,
    });
  if (details.length > 0) throw invalid(...details);
}

/** Answers 202 with an operation that waits until somebody has paid, and says where. */
export async function createTopUp(t: TenantTx, body: NewTopUp) {
  await judgeTopUp(t, body);
  const { currency, saveCardForInvoices = false } = body;
  const wallet = (await walletOf(t, currency))!;
  const net = money(BigInt(body.amountMinor), currency, isoScale(currency)!);
  const taxLines = await taxLinesFor(t, { net, at: t.now });
  const taxMinor = taxOf(taxLines);
  const most = mostPayment(currency);
  if (net.amountMinor + taxMinor > most) {
    const issue = `must be at most ${format({ ...net, amountMinor: most })} with tax`;
    throw invalid({ path: 'amountMinor', issue });
  }
  const { intent, hostedUrl } = await startIntent(t, {
    purpose: 'top_up',
    walletId: wallet.id,
    currency,
    netMinor: net.amountMinor,
    taxMinor,
    taxLines,
    description: 'Wallet top-up',
    saveCard: saveCardForInvoices,
  });
  const result = { paymentIntentId: intent.id };
  // Whoever has the link sees the bill: it lies sealed beside the operation, as beside the payment.
  const waiting = { result, secrets: { hostedUrl }, until: never(t) };
  const operation = await startOperation(t, topUp, { paymentIntentId: intent.id }, { waiting });
  await t.run(
    sql`update payment_intents set operation_sid = ${operation.sid} where ${intentAt(t, intent.id)}`,
  );
  return accepted(operation);
}

const endings: Record<string, string> = {
  expired: 'Nobody paid in time.',
  canceled: 'The payment was called off.',
  failed: 'The payment failed.',
};

export const topUp = defineOperationType({
  type: 'billing.top_up',
  input: Closed({ paymentIntentId: Uuid }),
  // Whoever is on the page may be paying at this moment. It ends by itself when the page does.
  cancelable: false,
  async run({ read }, { input: { paymentIntentId } }) {
    const intent = (await read((t) => findIntent(t, paymentIntentId)))!;
    if (isPaid(intent.state)) return { result: { paymentIntentId, receiptSid: intent.receiptSid } };
    if (!isOpen(intent.state)) {
      const message = endings[intent.state] ?? 'Nothing was paid.';
      return { failure: { code: 'CONFLICT', message, retryable: false } };
    }
    return { waitUntil: async (t) => nextRun(t, await lockIntent(t, paymentIntentId)) };
  },
});

// The end of the payment wakes it, in the same transaction: no time is worth waiting for.
const never = (t: TenantTx) => new Date(t.now.getTime() + 3650 * 86_400_000);

const nextRun = (t: TenantTx, { state }: Intent): Date => (isOpen(state) ? never(t) : t.now);
