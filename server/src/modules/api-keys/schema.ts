import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  pageQuery,
  Sid,
  sample,
  Text,
  Uuid,
  Word,
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleTimes, sampleUuid } from '../../platform/samples.ts';

const name = Text(128, 1);
const scopes = Type.Array(Type.String({ pattern: '^[a-z_]+:[a-z_]+$', maxLength: 64 }), {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
});
const allowedCidrs = Type.Array(Text(64, 1), { maxItems: 100 });
const requestsPerSecond = Type.Integer({ minimum: 1, maximum: 1_000_000 });

export const NewApiKey = NamedObject('CreateApiKeyRequest', {
  name,
  scopes,
  allowedCidrs: Type.Optional(allowedCidrs),
  signingRequired: Type.Optional(Type.Boolean()),
  expiresAt: Type.Optional(DateTime),
  stepUpToken: Type.Optional(Text(256)),
});
export type NewApiKey = Static<typeof NewApiKey>;

export const ApiKeyChange = NamedObject('UpdateApiKeyRequest', {
  name: Type.Optional(name),
  allowedCidrs: Type.Optional(allowedCidrs),
  signingRequired: Type.Optional(Type.Boolean()),
  disabled: Type.Optional(Type.Boolean()),
  expiresAt: Type.Optional(Nullable(DateTime)),
});
export type ApiKeyChange = Static<typeof ApiKeyChange>;

export const KeyRotation = NamedObject('RotateApiKeyRequest', { stepUpToken: Type.Optional(Text(256)) });

const shape = {
  object: Word('api_key'),
  id: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  name,
  keyId: Type.String(),
  scopes: Type.Array(Type.String()),
  allowedCidrs,
  signingRequired: Type.Boolean(),
  requestsPerSecond: Nullable(requestsPerSecond),
  disabled: Type.Boolean(),
  createdBy: Type.String(),
  expiresAt: Nullable(DateTime),
  lastUsedAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
};

export const ApiKey = NamedObject('ApiKey', shape);
export type ApiKey = Static<typeof ApiKey>;

/** The key's text and signing secret, shown this once. */
export const ApiKeyWithSecret = NamedObject('ApiKeyWithSecret', {
  ...shape,
  key: Type.String(),
  signingSecret: Type.String(),
});
export type ApiKeyWithSecret = Static<typeof ApiKeyWithSecret>;

export const ApiKeyQuery = Closed(pageQuery);

export const apiKeySample = sample(ApiKey, {
  object: 'api_key',
  id: sampleUuid,
  ...sampleOwner,
  name: 'Order service',
  keyId: 'gwk_01k3samp1e',
  scopes: ['messages:read', 'messages:send'],
  allowedCidrs: ['203.0.113.0/24'],
  signingRequired: false,
  requestsPerSecond: null,
  disabled: false,
  createdBy: `user:${sampleSid('US')}`,
  expiresAt: null,
  lastUsedAt: sampleTime,
  ...sampleTimes,
});

sample(ApiKeyWithSecret, {
  ...apiKeySample,
  lastUsedAt: null,
  key: 'gw_test_01k3samp1e_shown-this-once',
  signingSecret: 'gws_shown-this-once',
});
