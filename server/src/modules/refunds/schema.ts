import { type Static, Type } from 'typebox';
import {
  BusinessKey,
  Closed,
  DateTime,
  ListOf,
  MinorUnits,
  Money,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  sample,
  Uuid,
  Word,
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTimes, sampleUuid } from '../../platform/samples.ts';
import { refundStates } from './states.ts';

const reason = named('RefundReason', Word('duplicate', 'fraudulent', 'requested_by_customer'));

/** What is to be refunded: all that can be, or an amount. */
const target = {
  amountMinor: Type.Optional(MinorUnits('^[1-9][0-9]*$')),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  scale: Type.Optional(Type.Integer({ minimum: 0, maximum: 9 })),
  invoiceSid: Type.Optional(Sid('IN')),
  paymentIntentId: Type.Optional(Uuid),
};

export const NewRefundRequest = NamedObject('RequestRefundRequest', { reason, ...target });
export type NewRefundRequest = Static<typeof NewRefundRequest>;

export const NewRefund = NamedObject('CreateRefundRequest', {
  approvalSid: Sid('AP'),
  idempotencyKey: BusinessKey,
  reason,
  stepUpToken: Type.String({ maxLength: 256 }),
  ...target,
});
export type NewRefund = Static<typeof NewRefund>;

export const Refund = NamedObject('Refund', {
  object: Word('refund'),
  id: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  state: named('RefundState', Word(...refundStates)),
  reason,
  amount: Money,
  paymentIntentId: Uuid,
  /** Whose credit is paid back; null for a top-up. */
  invoiceSid: Nullable(Sid('IN')),
  approvalSid: Sid('AP'),
  operationSid: Sid('OP'),
  /** Why the bank did not take it, in the payment service's word. */
  failure: Nullable(Type.String()),
  createdBy: Type.String(),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type Refund = Static<typeof Refund>;
export const RefundList = ListOf(Refund);
export const RefundQuery = Closed(pageQuery);

export const refundSample: Refund = {
  object: 'refund',
  id: sampleUuid,
  ...sampleOwner,
  state: 'pending',
  reason: 'requested_by_customer',
  amount: { amountMinor: '5000', currency: 'USD', scale: 2 },
  paymentIntentId: sampleUuid,
  invoiceSid: null,
  approvalSid: sampleSid('AP'),
  operationSid: sampleSid('OP'),
  failure: null,
  createdBy: `user:${sampleSid('US')}`,
  ...sampleTimes,
};
sample(Refund, refundSample);
