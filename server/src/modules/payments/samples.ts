import type { MoneyWire } from '../../platform/money.ts';
import { sampleOwner, sampleTime, sampleTimes, sampleUuid } from '../../platform/samples.ts';
import type { PaymentIntentResource } from './schema.ts';

const dollars = (amountMinor: string): MoneyWire => ({ amountMinor, currency: 'USD', scale: 2 });

export const paymentSample: PaymentIntentResource = {
  object: 'payment_intent',
  id: sampleUuid,
  ...sampleOwner,
  purpose: 'top_up',
  state: 'succeeded',
  amount: dollars('5950'),
  net: dollars('5000'),
  tax: dollars('950'),
  refunded: dollars('0'),
  disputed: dollars('0'),
  hostedUrl: null,
  card: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2028 },
  invoiceSid: null,
  receiptSid: null,
  failure: null,
  provider: 'stripe',
  expiresAt: '2026-08-22T09:00:00.000Z',
  succeededAt: sampleTime,
  ...sampleTimes,
};
