// A cardholder's bank takes a payment back, and gives it again or does not.
import { book } from '../objects/new-balance.ts';
import { type DisputeInput, makeDispute } from '../objects/new-dispute.ts';
import type { Payments } from '../objects/payments.ts';
import type { ChargeRow, DisputeRow } from '../objects/rows.ts';
import { bookCharge } from './charging.ts';

const closedStates = ['won', 'lost', 'warning_closed'];
export const isOpen = ({ status }: DisputeRow): boolean => !closedStates.includes(status);

/** The dispute that keeps a charge from being refunded. */
export function chargeBack({ tables }: Payments, charge: ChargeRow): DisputeRow | undefined {
  return [...tables.disputes.values()].find(
    (dispute) => dispute.charge === charge.id && !dispute.is_charge_refundable,
  );
}

export function openDispute(payments: Payments, charge: ChargeRow, input: DisputeInput): DisputeRow {
  bookCharge(payments, charge);
  const dispute = makeDispute(payments, charge, input);
  payments.emit('charge.dispute.created', dispute);
  if (!charge.disputed) {
    charge.disputed = true;
    payments.emit('charge.updated', charge, { disputed: false });
  }
  if (!input.inquiry) withdraw(payments, dispute);
  return dispute;
}

function withdraw(payments: Payments, dispute: DisputeRow): void {
  move(payments, dispute, 'dispute', -dispute.amount, payments.settings.disputeFee);
  payments.emit('charge.dispute.funds_withdrawn', dispute);
}

function move(
  payments: Payments,
  dispute: DisputeRow,
  category: 'dispute' | 'dispute_reversal',
  amount: number,
  fee: number,
): void {
  const row = book(payments, {
    type: 'adjustment',
    category,
    amount,
    fee,
    feeText: 'Dispute fee',
    currency: dispute.currency,
    source: dispute.id,
    description: `Chargeback ${category === 'dispute' ? 'withdrawal' : 'reversal'} for ${dispute.charge}`,
  });
  dispute.balance_transactions.push(row);
}

/** Won: the money comes back, the fee does not. An inquiry ends without either, unless the bank takes the money after all. */
export function closeDispute(payments: Payments, dispute: DisputeRow, outcome: 'won' | 'lost'): void {
  const inquiry = dispute.status.startsWith('warning');
  const before = dispute.status;
  if (inquiry && outcome === 'lost') {
    dispute.is_charge_refundable = false;
    withdraw(payments, dispute);
  }
  dispute.status = inquiry && outcome === 'won' ? 'warning_closed' : outcome;
  dispute.is_charge_refundable = outcome === 'won';
  if (!inquiry && outcome === 'won') {
    move(payments, dispute, 'dispute_reversal', dispute.amount, 0);
    payments.emit('charge.dispute.funds_reinstated', dispute);
  }
  payments.changed();
  payments.emit('charge.dispute.closed', dispute, { status: before });
}
