// Gives money back: sets it aside in the ledger and asks the payment service, in one transaction; what the service says moves it on.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { type EventType, emit } from '../../platform/events.ts';
import { Closed, Uuid } from '../../platform/http/input/schema.ts';
import { newUuid } from '../../platform/ids.ts';
import { money, multiplyRatio } from '../../platform/money.ts';
import { audit } from '../audit/index.ts';
import { balancesOf, lockWalletById, moveMoney, type TransferKind, widen } from '../billing/index.ts';
import { returnInvoiceCredit, takeInvoiceCredit } from '../invoices/index.ts';
import { accepted, defineOperationType, startOperation, wakeOperation } from '../operations/index.ts';
import { type Intent, type PaymentFollower, requirePayments, submitRefund } from '../payments/index.ts';
import { useConsent } from './consents.ts';
import { refundEvents } from './events.ts';
import { resolveTarget } from './refundable.ts';
import {
  findRefund,
  insertRefund,
  lockRefund,
  moveRefund,
  type RefundRow,
  standingRefunds,
  toRefund,
} from './refunds.ts';
import type { NewRefund, Refund } from './schema.ts';
import type { RefundState } from './states.ts';

export async function createRefund(t: TenantTx, body: NewRefund) {
  requirePayments(t);
  const target = await resolveTarget(t, body);
  const { intent, invoiceSid, amountMinor } = target;
  const id = newUuid(t.now);
  await useConsent(t, body, target, id);
  const waiting = { result: { refundId: id }, until: new Date(t.now.getTime() + neverMs) };
  const operation = await startOperation(t, refundOperation, { refundId: id }, { waiting });
  const row = await insertRefund(t, {
    id,
    reason: body.reason,
    approvalSid: body.approvalSid,
    operationSid: operation.sid,
    walletId: intent.walletId,
    paymentIntentId: intent.id,
    invoiceSid,
    currency: intent.currency,
    scale: intent.scale,
    amountMinor,
    taxMinor: invoiceSid === null ? await taxIn(t, intent, amountMinor) : null,
  });
  if (invoiceSid !== null) await takeInvoiceCredit(t, invoiceSid, amountMinor);
  await setAside(t, row);
  await submitRefund(t, { refundId: id, paymentIntentId: intent.id, amountMinor, reason: body.reason });
  const { approvalSid, paymentIntentId, reason } = row;
  audit(t, {
    action: 'refund.created',
    resource: id,
    facts: { amountMinor: row.amountMinor, currency: row.currency, approvalSid, paymentIntentId, reason },
  });
  tell(t, refundEvents.created, row);
  return accepted(operation);
}

// The end of the refund wakes it, in the same transaction.
const neverMs = 3650 * 86_400_000;

/** The tax in it: of everything refunded so far its part of the tax, less what was given back before, so that all of it sums up. */
async function taxIn(t: TenantTx, intent: Intent, amountMinor: bigint): Promise<bigint> {
  const before = await standingRefunds(t, intent.id);
  const refunded = before.reduce((sum, row) => sum + BigInt(row.amountMinor), 0n);
  const given = before.reduce((sum, row) => sum + BigInt(row.taxMinor ?? '0'), 0n);
  const tax = money(intent.taxMinor, intent.currency, intent.scale);
  const due = multiplyRatio(tax, refunded + amountMinor, intent.amountMinor).amountMinor - given;
  return due < 0n ? 0n : due < amountMinor ? due : amountMinor;
}

type Leg = 'refund_hold' | 'refund_failed';

/** Out of where the money is, or back into it, in the wallet's own units. */
async function legs(t: TenantTx, row: RefundRow, leg: Leg) {
  const wallet = (await lockWalletById(t, row.walletId))!;
  const wide = (minor: bigint) => widen(money(minor, row.currency, row.scale), wallet.scale).amountMinor;
  const amountMinor = BigInt(row.amountMinor);
  if (row.taxMinor === null) return { [`${leg}_credit`]: wide(amountMinor) };
  const taxMinor = BigInt(row.taxMinor);
  return { [leg]: wide(amountMinor - taxMinor), [`${leg}_tax`]: wide(taxMinor) };
}

type Moves = Partial<Record<TransferKind, bigint>>;

async function setAside(t: TenantTx, row: RefundRow): Promise<void> {
  const moves: Moves = await legs(t, row, 'refund_hold');
  // A top-up that was spent is gone; credit of the wallet's is not paid out.
  const { available } = await balancesOf(t, row.walletId);
  if ((moves.refund_hold ?? 0n) > (available > 0n ? available : 0n)) throw new ApiError('INSUFFICIENT_FUNDS');
  await moveMoney(t, { walletId: row.walletId, reference: row.id, moves });
}

const wholeOf = (moves: Moves) => Object.values(moves).reduce((sum, amount) => sum + amount, 0n);

/** What the payment service said of a refund moves its money once. */
export const refundsFollow: PaymentFollower = {
  async refundEnded(t, _intent, { refundId, state, failure }) {
    const row = await lockRefund(t, refundId);
    const moved = row && (await moveRefund(t, row, state, state === 'failed' ? failure : null));
    if (!row || !moved) return;
    if (state === 'succeeded') await payOut(t, moved);
    if (state === 'failed') await giveBack(t, moved, row.state);
    if (state === 'succeeded' || state === 'failed') {
      audit(t, { action: `refund.${state}`, resource: refundId, facts: { failure } });
      tell(t, refundEvents[state], moved);
      await wakeOperation(t, moved.operationSid);
    }
  },
};

async function payOut(t: TenantTx, row: RefundRow): Promise<void> {
  const refund_paid = wholeOf(await legs(t, row, 'refund_hold'));
  await moveMoney(t, { walletId: row.walletId, reference: row.id, moves: { refund_paid } });
}

async function giveBack(t: TenantTx, row: RefundRow, before: RefundState): Promise<void> {
  if (row.invoiceSid !== null) await returnInvoiceCredit(t, row.invoiceSid, BigInt(row.amountMinor));
  const moves: Moves = await legs(t, row, 'refund_failed');
  const returned: Moves = before === 'succeeded' ? { refund_returned: wholeOf(moves) } : {};
  await moveMoney(t, { walletId: row.walletId, reference: row.id, moves: { ...returned, ...moves } });
}

const tell = (t: TenantTx, event: EventType<Refund>, row: RefundRow) => emit(t, event, toRefund(t, row));

export const refundOperation = defineOperationType({
  type: 'billing.refund',
  input: Closed({ refundId: Uuid }),
  // The service may have been asked already.
  cancelable: false,
  async run({ read }, { input: { refundId } }) {
    const row = (await read((t) => findRefund(t, refundId)))!;
    if (row.state === 'succeeded') return { result: { refundId, state: row.state } };
    if (row.state === 'failed') {
      const message = `The bank did not take it${row.failure === null ? '' : `: ${row.failure}`}.`;
      return { failure: { code: 'CONFLICT', message, retryable: false } };
    }
    return {
      waitUntil: async (t) => {
        const { state } = (await lockRefund(t, refundId))!;
        const ended = state === 'succeeded' || state === 'failed';
        return ended ? t.now : new Date(t.now.getTime() + neverMs);
      },
    };
  },
});
