import { declareEvents } from '../../platform/events.ts';
import { paymentSample } from './samples.ts';
import { PaymentIntentResource } from './schema.ts';

const unpaid = { card: null, succeededAt: null };
const declined = {
  code: 'card_declined',
  declineCode: 'insufficient_funds',
  message: 'Your card was declined.',
};

export const paymentEvents = declareEvents('payment', PaymentIntentResource, paymentSample, {
  created: {
    since: '2026-08-21',
    description: 'A payment was asked for: a top-up, or the amount of an invoice.',
    sample: { ...unpaid, state: 'created', hostedUrl: 'https://godwit.example/pay/abc' },
  },
  processing: {
    since: '2026-08-21',
    description: 'The payer has done everything, and the money is on its way.',
    sample: { succeededAt: null, state: 'processing' },
  },
  succeeded: { since: '2026-08-21', description: 'The money has come in.' },
  failed: {
    since: '2026-08-21',
    description: 'The money will not come: `failure` says why.',
    sample: { ...unpaid, state: 'failed', failure: declined },
  },
  canceled: {
    since: '2026-08-21',
    description: 'The payment was called off before anything was paid.',
    sample: { ...unpaid, state: 'canceled' },
  },
  expired: {
    since: '2026-08-21',
    description: 'Nobody paid in time.',
    sample: { ...unpaid, state: 'expired' },
  },
  refunded: {
    since: '2026-08-21',
    description: 'Money of it went back, all or in part; `refunded` says how much by now.',
    sample: {
      state: 'partially_refunded',
      refunded: { amountMinor: '1000', currency: 'USD', scale: 2 },
    },
  },
  refund_failed: {
    since: '2026-08-21',
    description: 'Money that had gone back returned: the card could not take it.',
  },
  disputed: {
    since: '2026-08-21',
    description: 'The bank of whoever paid took the money back, until the dispute is decided.',
    sample: { state: 'disputed', disputed: paymentSample.amount },
  },
  reinstated: { since: '2026-08-21', description: 'A dispute was won, and the money is back.' },
  charged_back: {
    since: '2026-08-21',
    description: 'A dispute was lost: the money stays away.',
    sample: { state: 'charged_back', disputed: paymentSample.amount },
  },
});
