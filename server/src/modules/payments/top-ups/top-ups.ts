// Money an account pays in before it spends it.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import { Closed, Uuid } from '../../../platform/http/input/schema.ts';
import type { Part } from '../../../platform/http/operations/operation.ts';
import { format, type Money, money } from '../../../platform/money.ts';
import { isoScale, walletOf } from '../../billing/index.ts';
import { taxLinesFor, taxOf } from '../../billing-documents/index.ts';
import { accepted, defineOperationType, startOperation } from '../../operations/index.ts';
import { startIntent } from '../attempts/start-intent.ts';
import { findIntent, type Intent, intentAt, lockIntent } from '../intents/intents.ts';
import { leastPayment, mostPayment } from '../intents/service.ts';
import type { NewTopUp } from '../schema.ts';
import { isOpen, isPaid } from '../states.ts';

/** Everything that is wrong with it, at once. */
export async function issuesOfTopUp(t: TenantTx, { currency, amountMinor }: Part<NewTopUp>) {
  if (currency === undefined) return [];
  const scale = isoScale(currency);
  const details: ErrorDetail[] = [];
  if (scale === null || !(await walletOf(t, currency)))
    details.push({ path: 'currency', issue: 'is the currency of no wallet of this account' });
  if (scale !== null && amountMinor !== undefined)
    details.push(...(await issuesOfAmount(t, money(BigInt(amountMinor), currency, scale))));
  return details;
}

async function issuesOfAmount(t: TenantTx, net: Money): Promise<ErrorDetail[]> {
  const path = 'amountMinor';
  const least = leastPayment(net.currency);
  if (net.amountMinor < least)
    return [{ path, issue: `must be at least ${format({ ...net, amountMinor: least })}` }];
  const most = mostPayment(net.currency);
  const taxMinor = taxOf(await taxLinesFor(t, { net, at: t.now }));
  if (net.amountMinor + taxMinor <= most) return [];
  return [{ path, issue: `must be at most ${format({ ...net, amountMinor: most })} with tax` }];
}

/** Answers 202 with an operation that waits until somebody has paid, and says where. What is asked for has no issues. */
export async function createTopUp(t: TenantTx, body: NewTopUp) {
  const { currency, saveCardForInvoices = false } = body;
  const wallet = (await walletOf(t, currency))!;
  const net = money(BigInt(body.amountMinor), currency, isoScale(currency)!);
  const taxLines = await taxLinesFor(t, { net, at: t.now });
  const taxMinor = taxOf(taxLines);
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
