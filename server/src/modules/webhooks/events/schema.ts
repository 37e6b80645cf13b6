import { type Static, Type } from 'typebox';
import { apiVersion } from '../../../platform/events.ts';
import {
  Closed,
  DateTime,
  ListOf,
  NamedObject,
  Nullable,
  pageQuery,
  Sid,
  sample,
  Text,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleTimes } from '../../../platform/samples.ts';

const Data = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });

/** As it is delivered, and `object` beside it. */
export const Event = NamedObject('Event', {
  object: Word('event'),
  id: Sid('EV'),
  type: Type.String(),
  apiVersion: Type.String(),
  occurredAt: DateTime,
  createdAt: DateTime,
  sequence: Type.Integer(),
  livemode: Type.Boolean(),
  accountSid: Sid('AC'),
  subaccountSid: Nullable(Sid('AC')),
  data: Data,
});
export type Event = Static<typeof Event>;
export const EventList = ListOf(Event);

export const EventQuery = Closed({
  type: Type.Optional(Text(128)),
  resourceSid: Type.Optional(Text(128)),
  afterSequence: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' })),
  sort: Type.Optional(Word('sequence', '-sequence')),
  ...pageQuery,
});
export type EventQuery = Static<typeof EventQuery>;

const EventType = NamedObject('WebhookEventType', {
  object: Word('webhook_event_type'),
  name: Type.String(),
  since: Type.String(),
  description: Type.String(),
  sample: Data,
});
export const EventTypeList = ListOf(EventType);

export const Trigger = NamedObject('TriggerEventRequest', { type: Text(128) });
export type Trigger = Static<typeof Trigger>;

export const Triggered = NamedObject('TriggeredEvent', {
  object: Word('triggered_event'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  type: Type.String(),
  createdAt: DateTime,
});

const inbox = {
  object: 'inbox',
  sid: sampleSid('IB'),
  ...sampleOwner,
  name: 'Support',
  memberCount: 0,
  ...sampleTimes,
};

sample(Event, {
  object: 'event',
  id: sampleSid('EV'),
  type: 'inbox.created',
  apiVersion,
  occurredAt: sampleTime,
  createdAt: sampleTime,
  sequence: 7,
  ...sampleOwner,
  subaccountSid: null,
  data: inbox,
});

sample(EventType, {
  object: 'webhook_event_type',
  name: 'inbox.created',
  since: apiVersion,
  description: 'An inbox was created.',
  sample: inbox,
});

sample(Triggered, {
  object: 'triggered_event',
  ...sampleOwner,
  type: 'inbox.created',
  createdAt: sampleTime,
});
