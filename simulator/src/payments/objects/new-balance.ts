import type Stripe from 'stripe';
import { newId, nowS, type Payments } from './payments.ts';
import type { BalanceRow } from './rows.ts';

export type Booking = {
  type: 'charge' | 'refund' | 'refund_failure' | 'adjustment';
  category: 'charge' | 'refund' | 'refund_failure' | 'dispute' | 'dispute_reversal';
  /** Signed: what the service's balance changes by, before fees. */
  amount: number;
  fee: number;
  feeText: string;
  currency: string;
  source: string;
  description: string | null;
};

const availableAfterS = 2 * 86_400;

export function book(payments: Payments, booking: Booking): BalanceRow {
  const { amount, fee, currency } = booking;
  const createdS = nowS(payments);
  const row = {
    id: newId(payments, 'txn'),
    object: 'balance_transaction',
    amount,
    // What leaves is gone at once; what comes in may be used two days later.
    available_on: amount > 0 ? createdS + availableAfterS : createdS,
    balance_type: 'payments',
    created: createdS,
    currency,
    description: booking.description,
    exchange_rate: null,
    fee,
    fee_details:
      fee === 0
        ? []
        : [{ amount: fee, application: null, currency, description: booking.feeText, type: 'stripe_fee' }],
    net: amount - fee,
    reporting_category: booking.category,
    source: booking.source,
    status: 'pending',
    type: booking.type,
  } satisfies Stripe.BalanceTransaction;
  payments.tables.balance.set(row.id, row);
  payments.changed();
  return row;
}

/** As it is shown: by now it may be available. */
export const shownBalance = (payments: Payments, row: BalanceRow): BalanceRow => ({
  ...row,
  status: row.available_on <= nowS(payments) ? 'available' : 'pending',
});
