// Money goes back: at once, later, or not after all.
import { cardWith } from '../objects/cards.ts';
import { book } from '../objects/new-balance.ts';
import { makeRefund, type RefundInput } from '../objects/new-refund.ts';
import { later, type Payments } from '../objects/payments.ts';
import type { ChargeRow, RefundRow } from '../objects/rows.ts';
import { bookCharge } from './charging.ts';

export const unrefunded = (charge: ChargeRow): number => charge.amount_captured - charge.amount_refunded;

export function refund(payments: Payments, charge: ChargeRow, input: Omit<RefundInput, 'status'>): RefundRow {
  bookCharge(payments, charge);
  const { refund: fate } = cardWith(payments.tables.cardSecrets.get(charge.payment_method!)!.number);
  const status = fate === 'pending' ? 'pending' : 'succeeded';
  const made = makeRefund(payments, charge, { ...input, status });
  made.balance_transaction = book(payments, {
    ...bookingOf(made),
    type: 'refund',
    category: 'refund',
    amount: -made.amount,
  }).id;
  const before = { amount_refunded: charge.amount_refunded, refunded: charge.refunded };
  changeRefunded(charge, made.amount);
  payments.emit('refund.created', made);
  payments.emit('charge.refunded', charge, before);
  const { refundMs } = payments.settings;
  if (fate === 'pending') later(payments, 'finish-refund', made.id, refundMs);
  if (fate === 'fails') later(payments, 'fail-refund', made.id, refundMs);
  return made;
}

const bookingOf = (made: RefundRow) => ({
  fee: 0,
  feeText: '',
  currency: made.currency,
  source: made.id,
  description: 'REFUND FOR CHARGE',
});

function changeRefunded(charge: ChargeRow, by: number): void {
  charge.amount_refunded += by;
  charge.refunded = charge.amount_refunded === charge.amount_captured;
}

export function finishRefund(payments: Payments, made: RefundRow): void {
  if (made.status !== 'pending') return;
  made.status = 'succeeded';
  delete made.pending_reason;
  told(payments, made, 'pending');
}

export function failRefund(payments: Payments, made: RefundRow, reason = 'expired_or_canceled_card'): void {
  if (made.status !== 'pending' && made.status !== 'succeeded') return;
  const before = made.status;
  made.status = 'failed';
  delete made.pending_reason;
  made.failure_reason = reason;
  made.failure_balance_transaction = book(payments, {
    ...bookingOf(made),
    type: 'refund_failure',
    category: 'refund_failure',
    amount: made.amount,
    description: 'REFUND FAILURE',
  }).id;
  changeRefunded(payments.tables.charges.get(made.charge!)!, -made.amount);
  told(payments, made, before);
  payments.emit('refund.failed', made);
}

/** The service tells of every change twice, under the old name and under the new one. */
function told(payments: Payments, made: RefundRow, before: string): void {
  payments.changed();
  payments.emit('charge.refund.updated', made, { status: before });
  payments.emit('refund.updated', made, { status: before });
}
