import type { Module } from '../../platform/module.ts';
import type { PaymentHooks } from './hooks.ts';
import { operations } from './routes.ts';

export type * from './hooks.ts';
export {
  findIntent,
  type Intent,
  intentsOfInvoice,
  lockIntent,
  moneyOf,
  refundableOf,
  type TaxLine,
  toPayment,
} from './intents/intents.ts';
export * from './ports.ts';
export { PaymentCardResource, PaymentIntentResource } from './schema.ts';
export { isPaid, type PaymentState } from './states.ts';

export const paymentsModule = (_hooks: PaymentHooks): Module => ({
  name: 'payments',
  tables: [
    'payment_customers',
    'payment_intents',
    'payment_attempts',
    'payment_disputes',
    'receipts',
    'payment_callbacks',
    'payment_event_lists',
  ],
  tags: { Payments: 'Money that is paid in: top-ups, payments of invoices and their receipts.' },
  operations,
  jobs: [],
  crons: [],
});
