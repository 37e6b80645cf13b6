import type { MoneyWire } from '../../platform/money.ts';
import { sampleOwner, sampleSid, sampleTime, sampleTimes, sampleUuid } from '../../platform/samples.ts';
import { documentSample } from '../billing-documents/index.ts';
import type { PaymentIntentResource, PaymentPage, Receipt, ReceiptSummary } from './schema.ts';

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
  receiptSid: sampleSid('RC'),
  failure: null,
  provider: 'stripe',
  expiresAt: '2026-08-22T09:00:00.000Z',
  succeededAt: sampleTime,
  ...sampleTimes,
};

export const receiptSample: ReceiptSummary = {
  object: 'receipt',
  sid: sampleSid('RC'),
  ...sampleOwner,
  number: 'TEST-1E00000000000000-RC-000001',
  paymentIntentId: sampleUuid,
  net: dollars('5000'),
  taxLines: [
    {
      jurisdiction: 'TEST',
      code: 'standard',
      name: 'VAT',
      ratePpm: 190_000,
      base: dollars('5000'),
      amount: dollars('950'),
    },
  ],
  total: dollars('5950'),
  card: paymentSample.card,
  createdAt: sampleTime,
};

export const wholeReceiptSample: Receipt = { ...receiptSample, document: documentSample };

export const paymentPageSample: PaymentPage = {
  object: 'payment_page',
  state: 'paid',
  amount: dollars('5950'),
};

export const topUpSample = {
  object: 'operation',
  sid: sampleSid('OP'),
  ...sampleOwner,
  type: 'billing.top_up',
  state: 'WAITING',
  progress: { done: 0, failed: 0, total: null, ratePerSecond: null, estimatedEndAt: null },
  cancelable: false,
  retryEligible: false,
  awaits: null,
  nextAction: null,
  result: { paymentIntentId: sampleUuid, hostedUrl: 'https://godwit.example/pay/abc' },
  error: null,
  createdBy: `user:${sampleSid('US')}`,
  startedAt: null,
  finishedAt: null,
  ...sampleTimes,
};
