// What a provider's public configuration may hold, protocol by protocol. Unknown keys are refused: a misspelt setting
// that is silently ignored is a sign-in rule that is not in force.
import { X509Certificate } from 'node:crypto';
import { type Static, type TSchema, Type } from 'typebox';
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import { Closed, Text, Word } from '../../../platform/http/input/schema.ts';
import { judgeBy } from '../../../platform/http/input/validation.ts';
import { allowsPrivate, judgeUrl, type Place } from '../../../platform/outbound/reachable.ts';
import { type Role, roleCatalogue } from '../../roles/index.ts';
import { placeOf } from './reach.ts';
import type { Protocol } from './schema.ts';

/** Roles an outside system may hand out: never ownership, never the operator's own. */
export const grantableRoles = (Object.keys(roleCatalogue) as Role[]).filter(
  (role) => role !== 'OWNER' && !role.startsWith('PLATFORM_'),
);

const role = Word(...grantableRoles);
const url = Type.String({ format: 'uri', maxLength: 2048 });

const placeOfRoles = {
  roleScopeKind: Type.Optional(Word('ACCOUNT', 'ORGANIZATION')),
  roleEnvironment: Type.Optional(Word('live', 'sandbox', 'both')),
};

const people = {
  justInTime: Type.Optional(Type.Boolean()),
  defaultRole: Type.Optional(role),
  linkByVerifiedEmail: Type.Optional(Type.Boolean()),
  emailDomains: Type.Optional(
    Type.Array(Type.String({ pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)+$', maxLength: 253 }), {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
    }),
  ),
  ...placeOfRoles,
};

// Asymmetric only: with "none" nothing is signed, and with HS256 whoever knows the client secret can sign.
export const signingAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'EdDSA',
] as const;

export const OidcConfig = Closed({
  issuer: url,
  clientId: Text(512, 1),
  scopes: Type.Optional(
    Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$', maxLength: 128 }), {
      maxItems: 20,
      uniqueItems: true,
    }),
  ),
  tokenEndpointAuthMethod: Type.Optional(Word('client_secret_basic', 'client_secret_post', 'none')),
  signingAlgorithm: Type.Optional(Word(...signingAlgorithms)),
  ...people,
});
export type OidcConfig = Static<typeof OidcConfig>;

export const SamlConfig = Closed({
  entryPoint: url,
  idpEntityId: Text(1024, 1),
  certificates: Type.Array(Text(16_384, 1), { minItems: 1, maxItems: 5, uniqueItems: true }),
  emailAttribute: Type.Optional(Text(256, 1)),
  displayNameAttribute: Type.Optional(Text(256, 1)),
  ...people,
});
export type SamlConfig = Static<typeof SamlConfig>;

export const ScimConfig = Closed({
  groupRoles: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 256 }), role, { maxProperties: 200 }),
  ),
  adoptByEmail: Type.Optional(Type.Boolean()),
  ...placeOfRoles,
});
export type ScimConfig = Static<typeof ScimConfig>;

/** What OIDC and SAML share: who may come in, and as what. */
export type PeopleConfig = Pick<
  OidcConfig,
  'justInTime' | 'defaultRole' | 'linkByVerifiedEmail' | 'emailDomains' | 'roleScopeKind' | 'roleEnvironment'
>;

const schemas: Record<Protocol, TSchema> = {
  OIDC: OidcConfig,
  SAML: SamlConfig,
  SCIM: ScimConfig,
  WEBAUTHN: Closed({}),
  TOTP: Closed({}),
};
const judges = Object.fromEntries(
  Object.entries(schemas).map(([protocol, schema]) => [protocol, judgeBy(schema)]),
);

export type Candidate = { protocol: Protocol; publicConfig: Record<string, unknown>; credentialRef?: string };

/** Everything wrong with a configuration, by its path in the request. */
export function judgeConfig(candidate: Candidate, maker: Place): ErrorDetail[] {
  const shape = judges[candidate.protocol]!(candidate.publicConfig).map(({ path, issue }) => ({
    path: path === '' ? 'publicConfig' : `publicConfig.${path}`,
    issue,
  }));
  return shape.length > 0 ? shape : [...judgeMeaning(candidate, maker), ...judgeCredential(candidate)];
}

function judgeMeaning({ protocol, publicConfig }: Candidate, maker: Place): ErrorDetail[] {
  const { roleEnvironment = 'sandbox' } = publicConfig as PeopleConfig; // left out, it is the maker's own
  const place = placeOf(maker, { roleEnvironment });
  if (protocol === 'OIDC') {
    const config = publicConfig as OidcConfig;
    return [...judgeIssuer(config.issuer, place), ...judgePeople(config)];
  }
  if (protocol === 'SAML') {
    const config = publicConfig as SamlConfig;
    return [
      ...judgeEntryPoint(config.entryPoint, place),
      ...judgeCertificates(config.certificates),
      ...judgePeople(config),
      ...judgeSamlLinks(config),
    ];
  }
  return [];
}

function judgeIssuer(issuer: string, place: Place): ErrorDetail[] {
  const path = 'publicConfig.issuer';
  const refusal = judgeUrl(issuer, place);
  if (refusal) return [{ path, issue: refusal }];
  return /[?#]/.test(issuer) ? [{ path, issue: 'must have neither a query nor a fragment' }] : [];
}

/** Only the browser goes there, so that it may stand inside a company's own network. */
function judgeEntryPoint(entryPoint: string, place: Place): ErrorDetail[] {
  const { protocol, username, password } = new URL(entryPoint);
  const path = 'publicConfig.entryPoint';
  if (protocol !== 'https:' && !(allowsPrivate(place) && protocol === 'http:'))
    return [{ path, issue: 'The URL must use https.' }];
  return username || password ? [{ path, issue: 'The URL must not contain a user name or password.' }] : [];
}

function judgeCertificates(certificates: string[]): ErrorDetail[] {
  return certificates.flatMap((text, i) =>
    readCertificate(text)
      ? []
      : [{ path: `publicConfig.certificates[${i}]`, issue: 'must be an X.509 certificate in PEM or base64' }],
  );
}

function judgePeople(config: PeopleConfig): ErrorDetail[] {
  return config.defaultRole && !config.justInTime
    ? [{ path: 'publicConfig.defaultRole', issue: 'is given to new people, so it needs justInTime' }]
    : [];
}

/** A SAML assertion does not say whether an address was verified; the list of domains says where its word counts. */
function judgeSamlLinks(config: SamlConfig): ErrorDetail[] {
  return (config.linkByVerifiedEmail || config.justInTime) && !config.emailDomains
    ? [{ path: 'publicConfig.emailDomains', issue: 'is required with linkByVerifiedEmail or justInTime' }]
    : [];
}

// The name of a secret the operator stored. Not a place to read one from: no scheme, no path.
const credentialForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export const isCredentialRef = (ref: string): boolean => credentialForm.test(ref);

function judgeCredential({ protocol, publicConfig, credentialRef }: Candidate): ErrorDetail[] {
  const path = 'credentialRef';
  const method = protocol === 'OIDC' ? (publicConfig as OidcConfig).tokenEndpointAuthMethod : undefined;
  if (credentialRef === undefined) {
    const needed = method !== undefined && method !== 'none';
    return needed ? [{ path, issue: `is required with tokenEndpointAuthMethod ${method}` }] : [];
  }
  if (protocol !== 'OIDC') return [{ path, issue: 'belongs to OIDC only' }];
  if (method === 'none') return [{ path, issue: 'has no use with tokenEndpointAuthMethod none' }];
  return isCredentialRef(credentialRef)
    ? []
    : [{ path, issue: 'must name a stored credential: letters, digits, dots, dashes, at most 128' }];
}

/** A certificate as people paste it: PEM, or the bare base64 of a metadata file. */
export function readCertificate(text: string): X509Certificate | null {
  const bare = text.replaceAll(/-----(BEGIN|END) CERTIFICATE-----|\s/g, '');
  try {
    if (!/^[A-Za-z0-9+/]+=*$/.test(bare)) return null;
    return new X509Certificate(Buffer.from(bare, 'base64'));
  } catch {
    return null;
  }
}
