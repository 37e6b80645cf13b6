import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  Money,
  NamedObject,
  Nullable,
  Sid,
  sample,
  Text,
  Uuid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTimes, sampleUuid } from '../../../platform/samples.ts';
import { PaymentCardResource } from '../../payments/index.ts';

const { currency } = Money.properties;

export const ProviderStatement = NamedObject('ProviderStatementAutomation', {
  provider: Text(128),
  wabaSid: Sid('WB'),
  nextPeriodStart: DateTime,
  nextPeriodEnd: DateTime,
});
export type ProviderStatement = Static<typeof ProviderStatement>;

export const NewAutomation = NamedObject('SetBillingAutomationRequest', {
  currency,
  nextPeriodStart: DateTime,
  nextPeriodEnd: DateTime,
  collection: Closed({
    paymentIntentId: Uuid,
    retryDelaysHours: Type.Array(Type.Integer({ minimum: 0, maximum: 8760 })),
    stepUpToken: Text(4096),
  }),
  providerStatement: Type.Optional(ProviderStatement),
});
export type NewAutomation = Static<typeof NewAutomation>;

export const Automation = NamedObject('BillingAutomation', {
  object: Word('billing_automation'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  walletId: Uuid,
  currency,
  nextPeriodStart: DateTime,
  nextPeriodEnd: DateTime,
  /** How the periods after the next one follow each other: by months, on a day of the month in UTC, or by their length. */
  step: Type.Union([
    NamedObject('MonthStep', { unit: Word('month'), count: Type.Integer(), day: Type.Integer() }),
    NamedObject('LengthStep', { unit: Word('millisecond'), count: Type.Integer() }),
  ]),
  collection: Closed({
    paymentIntentId: Uuid,
    card: Nullable(PaymentCardResource),
    retryDelaysHours: Type.Array(Type.Integer()),
  }),
  providerStatement: Nullable(ProviderStatement),
  version: Type.Integer(),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type Automation = Static<typeof Automation>;

export const automationSample = sample(Automation, {
  object: 'billing_automation',
  ...sampleOwner,
  walletId: sampleUuid,
  currency: 'USD',
  nextPeriodStart: '2026-08-01T00:00:00.000Z',
  nextPeriodEnd: '2026-09-01T00:00:00.000Z',
  step: { unit: 'month', count: 1, day: 1 },
  collection: {
    paymentIntentId: sampleUuid,
    card: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2030 },
    retryDelaysHours: [24, 72, 168],
  },
  providerStatement: {
    provider: 'meta',
    wabaSid: sampleSid('WB'),
    nextPeriodStart: '2026-08-01T00:00:00.000Z',
    nextPeriodEnd: '2026-09-01T00:00:00.000Z',
  },
  version: 1,
  ...sampleTimes,
});
