import type Stripe from 'stripe';
import { newId, nowS, type Payments } from './payments.ts';
import type { ChargeRow, RefundRow } from './rows.ts';

export type RefundInput = {
  amount: number;
  reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | null;
  metadata: Record<string, string>;
  status: 'pending' | 'succeeded';
};

export function makeRefund(payments: Payments, charge: ChargeRow, input: RefundInput): RefundRow {
  const refund = {
    id: newId(payments, 're'),
    object: 'refund',
    amount: input.amount,
    balance_transaction: null,
    charge: charge.id,
    created: nowS(payments),
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    metadata: input.metadata,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: input.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: input.status,
    ...(input.status === 'pending' && { pending_reason: 'processing' }),
    transfer_reversal: null,
  } satisfies Stripe.Refund;
  payments.tables.refunds.set(refund.id, refund);
  payments.changed();
  return refund;
}
