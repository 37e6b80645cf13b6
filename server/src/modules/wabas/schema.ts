import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  pageQuery,
  Sid,
  Text,
  Uuid,
  Word,
} from '../../platform/http/input/schema.ts';
import { subscriptionStates, tokenStates } from './connection-states.ts';
import { type MessagingLimit, messagingLimits } from './portfolios.ts';

/** What the provider does not allow for a while. */
export const ProviderRestriction = NamedObject('Restriction', {
  type: Type.String(),
  expiresAt: Nullable(DateTime),
});
const Used = NamedObject('LimitUse', { limit: Nullable(Type.Integer()), used: Type.Integer() });

export const Portfolio = NamedObject('Portfolio', {
  object: Word('portfolio'),
  id: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  name: Type.String(),
  providerBusinessId: Type.String(),
  limits: Closed({
    /** People written to outside a service window in the last 24 hours, over all numbers of the portfolio. */
    messaging: Closed({
      tier: Word(...(Object.keys(messagingLimits) as MessagingLimit[])),
      ...Used.properties,
      windowHours: Type.Integer(),
    }),
    phoneNumbers: Used,
    /** One entry a business account: templates are capped for each by itself. */
    templates: Type.Array(Closed({ wabaSid: Sid('WB'), ...Used.properties })),
  }),
  limitsUpdatedAt: DateTime,
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type Portfolio = Static<typeof Portfolio>;

export const WabaResource = NamedObject('Waba', {
  object: Word('waba'),
  sid: Sid('WB'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  name: Type.String(),
  providerWabaId: Type.String(),
  portfolio: Closed({ id: Uuid, name: Type.String(), providerBusinessId: Type.String() }),
  connection: Closed({
    state: Word('CONNECTED', 'DISCONNECTED'),
    /** Whether the provider takes the access token, as it was last seen. */
    token: Word(...tokenStates),
    /** Whether the provider tells us of the account's events, as it was last seen. */
    subscription: Word(...subscriptionStates),
    /** What works on the connection; null when nothing does. */
    operationSid: Nullable(Sid('OP')),
    apiVersion: Type.String(),
    baseUrl: Type.String(),
    connectedAt: DateTime,
    disconnectedAt: Nullable(DateTime),
    disconnectReason: Nullable(Type.String()),
  }),
  /** RESTRICTED while the provider restricts or has disabled it. */
  status: Word('ACTIVE', 'RESTRICTED', 'DISABLED'),
  banState: Word('NONE', 'SCHEDULED', 'DISABLED'),
  reviewStatus: Nullable(Type.String()),
  restrictions: Type.Array(ProviderRestriction),
  templateCap: Type.Integer(),
  /** How far it came with the marketing messages transport, in the provider's words; only ONBOARDED can use it. Null until it was read. */
  marketingMessages: Nullable(Type.String()),
  /** The catalogs whose products its senders can show; null where they are not known. */
  catalogIds: Nullable(Type.Array(Type.String())),
  senders: Type.Array(
    Closed({
      sid: Sid('WA'),
      phoneNumber: Type.String(),
      displayName: Type.String(),
      status: Type.String(),
      quality: Type.String(),
    }),
  ),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type WabaResource = Static<typeof WabaResource>;

const providerId = Type.String({ pattern: '^[0-9]{5,20}$' });
const stepUpToken = Type.Optional(Text(256));

export const NewWabaBody = NamedObject('ConnectWabaRequest', {
  name: Text(128, 1),
  /** Sandbox: the portfolio to join; without it the account gets one of its own. */
  portfolioId: Type.Optional(Uuid),
  providerBusinessId: Type.Optional(providerId),
  providerWabaId: Type.Optional(providerId),
  accessToken: Type.Optional(Type.String({ minLength: 8, maxLength: 2048, pattern: '^[\\x21-\\x7e]+$' })),
  stepUpToken,
});
export type NewWabaBody = Static<typeof NewWabaBody>;

export const DisconnectWaba = NamedObject('DisconnectWabaRequest', { reason: Text(2000, 1), stepUpToken });

export const PageQuery = Closed(pageQuery);
