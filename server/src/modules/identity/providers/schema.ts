import { type Static, Type } from 'typebox';
import {
  accountPath,
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  sample,
  Text,
  Uuid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleSid, sampleTime, sampleTimes, sampleUuid } from '../../../platform/samples.ts';

export const protocols = ['OIDC', 'SAML', 'SCIM', 'WEBAUTHN', 'TOTP'] as const;
const protocol = named('IdentityProviderProtocol', Word(...protocols));
export type Protocol = (typeof protocols)[number];

/** As the contract has it; `config.ts` judges what is inside by the protocol. */
const publicConfig = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });
const providerKey = Type.String({ pattern: '^[a-z0-9][a-z0-9_-]*$', maxLength: 64 });
const reason = Text(2000);
const stepUpToken = Text(256);

export const NewIdentityProvider = NamedObject('CreateIdentityProviderRequest', {
  protocol,
  providerKey,
  publicConfig,
  reason,
  stepUpToken,
  credentialRef: Type.Optional(Text(512)),
});
export type NewIdentityProvider = Static<typeof NewIdentityProvider>;

export const ProviderMove = NamedObject('IdentityProviderStateRequest', { reason, stepUpToken });

const address = Nullable(Type.String());

const shape = {
  object: Word('identity_provider'),
  id: Uuid,
  organizationId: Uuid,
  protocol,
  providerKey,
  publicConfig,
  credentialRef: Nullable(Type.String()),
  state: named('IdentityProviderState', Word('STAGED', 'VERIFIED', 'ACTIVE', 'SUSPENDED')),
  reason,
  /** Where the roles it gives apply; null for the whole organization. */
  roleAccountSid: Nullable(Sid('AC')),
  roleEnvironment: Word('live', 'sandbox', 'both'),
  /** What the other side has to be told about this service; null where the protocol has no such address. */
  urls: NamedObject('IdentityProviderUrls', {
    signIn: address,
    redirectUri: address,
    assertionConsumer: address,
    entityId: address,
    metadata: address,
    directory: address,
  }),
  verifiedAt: Nullable(DateTime),
  activatedAt: Nullable(DateTime),
  suspendedAt: Nullable(DateTime),
  createdBy: Type.String(),
  createdAt: DateTime,
  updatedAt: DateTime,
};

export const IdentityProvider = NamedObject('IdentityProvider', shape);
export type IdentityProvider = Static<typeof IdentityProvider>;

/** With the directory's bearer token, shown this once; null for every other protocol. */
export const ActivatedProvider = NamedObject('ActivatedIdentityProvider', {
  ...shape,
  directoryToken: Nullable(Type.String()),
});
export type ActivatedProvider = Static<typeof ActivatedProvider>;

export const ProviderQuery = Closed(pageQuery);
export const providerPath = Closed({ ...accountPath, providerId: Uuid });

const providerSample = sample(IdentityProvider, {
  object: 'identity_provider',
  id: sampleUuid,
  organizationId: sampleUuid,
  protocol: 'OIDC',
  providerKey: 'corporate',
  publicConfig: { issuer: 'https://idp.example.com', clientId: 'godwit' },
  credentialRef: 'env:CORPORATE_OIDC_SECRET',
  state: 'VERIFIED',
  reason: 'Everybody signs in with the company account',
  roleAccountSid: null,
  roleEnvironment: 'both',
  urls: {
    signIn: `https://api.example.com/v1/auth/sso/${sampleUuid}/start`,
    redirectUri: `https://api.example.com/v1/auth/sso/${sampleUuid}/callback`,
    assertionConsumer: null,
    entityId: null,
    metadata: null,
    directory: null,
  },
  verifiedAt: sampleTime,
  activatedAt: null,
  suspendedAt: null,
  createdBy: `user:${sampleSid('US')}`,
  ...sampleTimes,
});

sample(ActivatedProvider, {
  ...providerSample,
  state: 'ACTIVE',
  activatedAt: sampleTime,
  directoryToken: null,
});
