import { type Static, Type } from 'typebox';
import { apiVersion } from '../../../platform/events.ts';
import {
  Closed,
  DateTime,
  ListOf,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  sample,
  Text,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime } from '../../../platform/samples.ts';
import { failureClass, SentRequest } from '../endpoints/schema.ts';

export const DeliveryError = NamedObject('WebhookDeliveryError', {
  code: Word('WEBHOOK_DELIVERY_ERROR'),
  /** Null when nothing was tried: the endpoint was suspended or disabled. */
  failure: Nullable(failureClass),
  message: Type.String(),
});
export type DeliveryError = Static<typeof DeliveryError>;

const fields = {
  object: Word('webhook_delivery'),
  sid: Sid('WD'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  endpointSid: Sid('WH'),
  eventSid: Sid('EV'),
  eventType: Type.String(),
  sequence: Type.Integer(),
  resourceSid: Nullable(Type.String()),
  apiVersion: Type.String(),
  state: named('WebhookDeliveryState', Word('pending', 'delivered', 'failed')),
  attemptCount: Type.Integer(),
  lastAttemptAt: Nullable(DateTime),
  lastStatus: Nullable(Type.Integer()),
  error: Nullable(DeliveryError),
  nextAttemptAt: Nullable(DateTime),
  createdAt: DateTime,
};

export const Delivery = NamedObject('WebhookDelivery', fields);
export type Delivery = Static<typeof Delivery>;

export const Attempt = NamedObject('WebhookAttempt', {
  number: Type.Integer(),
  attemptedAt: DateTime,
  durationMs: Type.Integer(),
  url: Type.String(),
  signature: Type.String(),
  status: Nullable(Type.Integer()),
  error: Nullable(DeliveryError),
  /** The first 1 KiB of the answer. */
  answer: Nullable(Type.String()),
});
export type Attempt = Static<typeof Attempt>;

export const DeliveryWithHistory = NamedObject('WebhookDeliveryWithHistory', {
  ...fields,
  /** What is sent, except for the signature, which is made at every attempt. */
  request: SentRequest,
  /** The newest first, at most 100. */
  attempts: Type.Array(Attempt),
});
export type DeliveryWithHistory = Static<typeof DeliveryWithHistory>;

export const DeliveryList = ListOf(Delivery);

export const DeliveryQuery = Closed({
  sort: Type.Optional(Word('createdAt', '-createdAt')),
  resourceSid: Type.Optional(Text(128)),
  eventId: Type.Optional(Sid('EV')),
  ...pageQuery,
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;

export const ResourceDeliveryQuery = Closed({ resourceSid: Text(128), ...pageQuery });

export const Retry = NamedObject('RetryWebhookDeliveriesRequest', {
  deliverySids: Type.Optional(Type.Array(Sid('WD'))),
  state: Type.Optional(Word('pending', 'failed')),
});
export type Retry = Static<typeof Retry>;

export const EventRedelivery = NamedObject('RedeliverEventRequest', {
  endpointSid: Type.Optional(Sid('WH')),
});
export type EventRedelivery = Static<typeof EventRedelivery>;

export const EventsRedelivery = NamedObject('RedeliverEventsRequest', {
  eventSids: Type.Array(Sid('EV')),
  endpointSid: Type.Optional(Sid('WH')),
});
export type EventsRedelivery = Static<typeof EventsRedelivery>;

const Sequence = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

export const Replay = NamedObject('ReplayEventsRequest', {
  endpointSid: Sid('WH'),
  fromSequence: Sequence,
  toSequence: Sequence,
  /** Leaves out what the endpoint acknowledged before. */
  unacknowledgedOnly: Type.Optional(Type.Boolean()),
});
export type Replay = Static<typeof Replay>;

/** What was taken up for another try. */
export const Redelivery = NamedObject('WebhookRedelivery', {
  object: Word('webhook_redelivery'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  /** How many deliveries are due now. */
  accepted: Type.Integer(),
  /** The first 100 of them, the oldest first. */
  deliverySids: Type.Array(Sid('WD')),
  /** True when more match than one request takes up: ask again. */
  hasMore: Type.Boolean(),
});
export type Redelivery = Static<typeof Redelivery>;

export const Gap = NamedObject('WebhookGap', {
  object: Word('webhook_gap'),
  sequence: Type.Integer(),
  eventSid: Sid('EV'),
  eventType: Type.String(),
  deliverySid: Nullable(Sid('WD')),
  /** `none` where no delivery was ever made, such as from before the endpoint was verified. */
  state: Word('pending', 'failed', 'none'),
});
export type Gap = Static<typeof Gap>;

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });

export const StatisticsQuery = Closed({ from: Type.Optional(Day), to: Type.Optional(Day) });
export type StatisticsQuery = Static<typeof StatisticsQuery>;

const tried = {
  attempts: Type.Integer(),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  /** The failed ones by class. */
  failures: NamedObject('WebhookFailureCounts', {
    dns: Type.Integer(),
    connect: Type.Integer(),
    tls: Type.Integer(),
    timeout: Type.Integer(),
    status: Type.Integer(),
    blocked: Type.Integer(),
  }),
  /** From looking up the name to the last byte, of all attempts; right to a third. Null without any. */
  p50Ms: Nullable(Type.Integer()),
  p95Ms: Nullable(Type.Integer()),
};
const Tried = Closed(tried);
export type Tried = Static<typeof Tried>;

export const Statistics = NamedObject('WebhookStatistics', {
  object: Word('webhook_statistics'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  endpointSid: Sid('WH'),
  from: Day,
  to: Day,
  ...tried,
  /** Days with attempts, the oldest first. */
  days: Type.Array(NamedObject('WebhookStatisticsDay', { day: Day, ...tried })),
});
export type Statistics = Static<typeof Statistics>;

const sequenceText = Type.String({ pattern: '^[0-9]{1,15}$' });

export const GapQuery = Closed({
  fromSequence: Type.Optional(sequenceText),
  toSequence: Type.Optional(sequenceText),
  ...pageQuery,
});
export type GapQuery = Static<typeof GapQuery>;

const deliverySample = sample(Delivery, {
  object: 'webhook_delivery',
  sid: sampleSid('WD'),
  ...sampleOwner,
  endpointSid: sampleSid('WH'),
  eventSid: sampleSid('EV'),
  eventType: 'message.delivered',
  sequence: 7,
  resourceSid: sampleSid('SM'),
  apiVersion,
  state: 'delivered',
  attemptCount: 1,
  lastAttemptAt: sampleTime,
  lastStatus: 200,
  error: null,
  nextAttemptAt: null,
  createdAt: sampleTime,
});

const url = 'https://example.com/hooks';

sample(DeliveryWithHistory, {
  ...deliverySample,
  request: {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body: '{"type":"message.delivered"}',
  },
  attempts: [
    {
      number: 1,
      attemptedAt: sampleTime,
      durationMs: 84,
      url,
      signature: 'v1=60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
      status: 200,
      error: null,
      answer: 'ok',
    },
  ],
});

sample(Redelivery, {
  object: 'webhook_redelivery',
  ...sampleOwner,
  accepted: 1,
  deliverySids: [sampleSid('WD')],
  hasMore: false,
});

sample(Gap, {
  object: 'webhook_gap',
  sequence: 8,
  eventSid: sampleSid('EV'),
  eventType: 'message.delivered',
  deliverySid: sampleSid('WD'),
  state: 'failed',
});

const triedSample = {
  attempts: 120,
  succeeded: 118,
  failed: 2,
  failures: { dns: 0, connect: 0, tls: 0, timeout: 1, status: 1, blocked: 0 },
  p50Ms: 80,
  p95Ms: 320,
};

sample(Statistics, {
  object: 'webhook_statistics',
  ...sampleOwner,
  endpointSid: sampleSid('WH'),
  from: '2026-08-15',
  to: '2026-08-21',
  ...triedSample,
  days: [{ day: '2026-08-21', ...triedSample }],
});
