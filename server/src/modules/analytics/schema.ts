import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  Money,
  NamedObject,
  Nullable,
  pageQuery,
  Sid,
  sample,
  Text,
  Word,
} from '../../platform/http/input/schema.ts';
import { sampleSid, sampleTime } from '../../platform/samples.ts';
import { MessageCategory, MessageDirection, MessageStatus } from '../messages/index.ts';

const maybe = Type.Optional;
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });
/** As billing reads it from an address: two letters, or OTHER where it cannot be told. */
const Country = Type.String({ pattern: '^([A-Z]{2}|OTHER)$' });

export const MessageAnalyticsQuery = Closed({
  from: maybe(Day),
  to: maybe(Day),
  /** Names of dimensions with commas between. */
  groupBy: maybe(Text(100)),
  direction: maybe(MessageDirection),
  senderSid: maybe(Sid('WA')),
  template: maybe(Text(512, 1)),
  category: maybe(MessageCategory),
  country: maybe(Country),
  campaignSid: maybe(Sid('CP')),
  status: maybe(MessageStatus),
  errorCode: maybe(Text(100, 1)),
  ...pageQuery,
});
export type MessageAnalyticsQuery = Static<typeof MessageAnalyticsQuery>;

/** What messages cost in one currency. */
const AnalyticsCost = NamedObject('AnalyticsCost', {
  /** Both of the following together. */
  total: Money,
  /** Final prices. */
  charged: Money,
  /** Estimates of messages whose final price is not known yet. */
  expected: Money,
});

export const MessageAnalytics = NamedObject('MessageAnalytics', {
  object: Word('message_analytics'),
  // What the group has in common. What was not grouped by, or does not apply to these messages, is null.
  day: Nullable(Day),
  hour: Nullable(DateTime),
  direction: Nullable(MessageDirection),
  senderSid: Nullable(Sid('WA')),
  template: Nullable(Type.String()),
  category: Nullable(MessageCategory),
  country: Nullable(Country),
  campaignSid: Nullable(Sid('CP')),
  status: Nullable(MessageStatus),
  errorCode: Nullable(Type.String()),
  messages: Type.Integer(),
  /** One a currency; none where nothing costs anything. */
  costs: Type.Array(AnalyticsCost),
});
export type MessageAnalytics = Static<typeof MessageAnalytics>;

const money = (amountMinor: string) => ({ amountMinor, currency: 'EUR', scale: 4 });
sample(MessageAnalytics, {
  object: 'message_analytics',
  day: sampleTime.slice(0, 10),
  hour: null,
  direction: null,
  senderSid: sampleSid('WA'),
  template: null,
  category: null,
  country: null,
  campaignSid: null,
  status: 'delivered',
  errorCode: null,
  messages: 1_204,
  costs: [{ total: money('624000'), charged: money('600000'), expected: money('24000') }],
});
