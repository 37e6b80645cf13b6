import type { Module } from '../../platform/module.ts';
import { paymentCallbackMount } from './callbacks/callback-mount.ts';
import { readEvents, sweepCallbacks } from './callbacks/crons.ts';
import { tellPayments } from './callbacks/metrics.ts';
import { callbackChannel } from './callbacks/store-callbacks.ts';
import { nextPaymentCallback, workOnCallbacks } from './callbacks/work-callbacks.ts';
import { paymentEvents } from './events.ts';
import type { PaymentHooks } from './hooks.ts';
import { lookAtSilent, paymentJobs } from './look/jobs.ts';
import { receiptEvents } from './receipts/events.ts';
import { operations } from './routes.ts';
import { topUp } from './top-ups/top-ups.ts';

export {
  cancelIntent,
  chargeSavedCard,
  hasUnresolvedAttempt,
  type NewIntent,
  retryOf,
  savedCardOf,
  startIntent,
} from './attempts/start-intent.ts';
export { type CashDifference, type CashReport, verifyCash, verifyPaidInto } from './cash/verify-cash.ts';
export type * from './hooks.ts';
export {
  findIntent,
  hostedUrlOf,
  type Intent,
  intentsOfInvoice,
  lockIntent,
  moneyOf,
  refundableOf,
  toPayment,
} from './intents/intents.ts';
export { leastPayment, requirePayments, serviceOf } from './intents/service.ts';
export { recordTransfer, type Transfer } from './look/record-transfer.ts';
export { type AskedRefund, submitRefund } from './look/refunds.ts';
export * from './ports.ts';
export { PaymentCardResource, PaymentIntentResource } from './schema.ts';
export { isOpen, isPaid, type PaymentState } from './states.ts';

export const paymentsModule = (hooks: PaymentHooks): Module => ({
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
  operations: operations(hooks),
  events: [...Object.values(paymentEvents), ...Object.values(receiptEvents)],
  jobs: [...paymentJobs(hooks), topUp.job],
  crons: [lookAtSilent, readEvents, sweepCallbacks],
  mounts: [paymentCallbackMount],
  loops: [
    {
      name: 'payment-callbacks',
      toldOn: [callbackChannel],
      nextDue: nextPaymentCallback,
      apartMs: 40,
      begin: (context) => ({ turn: () => workOnCallbacks(context) }),
    },
  ],
  observe: tellPayments,
});
