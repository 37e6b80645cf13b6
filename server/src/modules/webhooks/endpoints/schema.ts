import { type Static, Type } from 'typebox';
import { apiVersions } from '../../../platform/events.ts';
import {
  accountPath,
  Closed,
  DateTime,
  ErrorDetail,
  ListOf,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  sample,
  saying,
  Text,
  Uuid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime } from '../../../platform/samples.ts';

export const endpointPath = Closed({ ...accountPath, endpointSid: Sid('WH') });

const settings = {
  // The contract has a date here, of any day; which days there are is said without changing that.
  apiVersion: Type.Optional(
    Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', ...saying({ not: { not: { enum: apiVersions } } }) }),
  ),
  concurrencyCap: Type.Optional(Type.Integer({ minimum: 1, maximum: 256 })),
  eventFilters: Type.Optional(Type.Array(Text(128))),
  stepUpToken: Type.Optional(Text(256)),
  timeoutMs: Type.Optional(Type.Integer({ minimum: 1000, maximum: 30_000 })),
};
const url = Type.String({ format: 'uri', maxLength: 2048 });

export const NewEndpoint = NamedObject('CreateWebhookRequest', { url, ...settings });
export type NewEndpoint = Static<typeof NewEndpoint>;

export const EndpointChange = NamedObject('UpdateWebhookRequest', { url: Type.Optional(url), ...settings });
export type EndpointChange = Static<typeof EndpointChange>;

/** Stands in every answer for the value of a header. */
export const mask = '********';

export const Header = NamedObject('WebhookHeader', {
  name: Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", maxLength: 64 }),
  /** Visible ASCII, with spaces inside. */
  value: Type.String({ pattern: '^[\\x21-\\x7E]([\\x20-\\x7E]*[\\x21-\\x7E])?$', maxLength: 2048 }),
});
export type Header = Static<typeof Header>;

export const HeaderChange = NamedObject('SetWebhookHeadersRequest', {
  headers: Type.Array(Header, { maxItems: 20 }),
  stepUpToken: Type.Optional(Text(256)),
});
export type HeaderChange = Static<typeof HeaderChange>;

export const Sample = NamedObject('SendWebhookSampleRequest', { eventType: Text(128) });
export type Sample = Static<typeof Sample>;

/** What is sent, as it goes over the wire. */
export const SentRequest = NamedObject('SentWebhookRequest', {
  method: Word('POST'),
  url: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String(),
});

const status = named('WebhookStatus', Word('unverified', 'active', 'paused', 'suspended', 'disabled'));

const fields = {
  object: Word('webhook_endpoint'),
  sid: Sid('WH'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  url: Type.String(),
  status,
  eventFilters: Type.Array(Type.String()),
  apiVersion: Type.String(),
  timeoutMs: Type.Integer(),
  concurrencyCap: Type.Integer(),
  /** Sent with every request. Values are never shown. */
  headers: Type.Array(NamedObject('HiddenWebhookHeader', { name: Type.String(), value: Type.String() })),
  verifiedAt: Nullable(DateTime),
  pausedAt: Nullable(DateTime),
  suspendedAt: Nullable(DateTime),
  disabledAt: Nullable(DateTime),
  /** Until when deliveries carry a second signature, made with the secret before this one. */
  previousSecretExpiresAt: Nullable(DateTime),
  /** Since the last success; null when the last attempt succeeded. */
  failingSince: Nullable(DateTime),
  failures: Type.Integer(),
  warnings: Type.Array(ErrorDetail),
  createdAt: DateTime,
  updatedAt: DateTime,
};

export const Endpoint = NamedObject('WebhookEndpoint', fields);
export type Endpoint = Static<typeof Endpoint>;

/** With the signing secret, which is shown this once. */
export const EndpointWithSecret = NamedObject('WebhookEndpointWithSecret', {
  ...fields,
  secret: Type.String(),
});
export type EndpointWithSecret = Static<typeof EndpointWithSecret>;

export const EndpointList = ListOf(Endpoint);
export const PageQuery = Closed(pageQuery);

export const SecretRotation = NamedObject('RotateWebhookSecretRequest', {
  expiresAt: Type.Optional(DateTime),
  stepUpToken: Type.Optional(Text(256)),
});
export type SecretRotation = Static<typeof SecretRotation>;

export const failureClass = named(
  'WebhookFailure',
  Word('dns', 'connect', 'tls', 'timeout', 'status', 'blocked'),
);

/** How the endpoint answered a signed test.ping, or a sample. */
export const TestReport = NamedObject('WebhookTestReport', {
  object: Word('webhook_test'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  endpointSid: Sid('WH'),
  eventSid: Sid('EV'),
  deliverySid: Sid('WD'),
  delivered: Type.Boolean(),
  status: Nullable(Type.Integer()),
  durationMs: Type.Integer(),
  /** Null where no connection came so far. */
  tls: Nullable(Word('verified', 'refused', 'none')),
  failure: Nullable(failureClass),
  /** What was wrong, in words; empty when nothing was. */
  problems: Type.Array(Type.String()),
  answer: Nullable(Type.String()),
  request: SentRequest,
  createdAt: DateTime,
});
export type TestReport = Static<typeof TestReport>;

sample(TestReport, {
  object: 'webhook_test',
  ...sampleOwner,
  endpointSid: sampleSid('WH'),
  eventSid: sampleSid('EV'),
  deliverySid: sampleSid('WD'),
  delivered: true,
  status: 200,
  durationMs: 84,
  tls: 'verified',
  failure: null,
  problems: [],
  answer: 'ok',
  request: {
    method: 'POST',
    url: 'https://example.com/hooks',
    headers: { 'content-type': 'application/json' },
    body: '{"type":"test.ping"}',
  },
  createdAt: sampleTime,
});

/** The data of a test.ping. */
export const Ping = Closed({
  object: Word('ping'),
  id: Uuid,
  /** Null where it is a sample. */
  endpointSid: Nullable(Sid('WH')),
  /** What the endpoint answers to be verified; null where nothing is verified. */
  challenge: Nullable(Type.String()),
  /** The example it carries, which is what its endpoint receives. */
  sample: Type.Optional(
    Closed({
      type: Type.String(),
      data: Type.Unsafe<object>({ type: 'object', 'x-free-form': true }),
    }),
  ),
});
export type Ping = Static<typeof Ping>;
