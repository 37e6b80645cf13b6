import { type Static, Type } from 'typebox';
import { DateTime, NamedObject, Nullable, Sid, sample, Word } from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime } from '../../../platform/samples.ts';

const counts = Type.Unsafe<Record<string, number>>({
  type: 'object',
  additionalProperties: { type: 'integer' },
});

export const CertificateClaims = NamedObject('ErasureCertificateClaims', {
  /** The address of the installation that signed it. */
  iss: Type.String(),
  /** When it was signed, in seconds since 1970. */
  iat: Type.Integer(),
  /** The request it answers. */
  jti: Sid('DR'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  contactSid: Nullable(Sid('CT')),
  requestedAt: DateTime,
  completedAt: DateTime,
  /** How many rows were removed or blanked, by store. */
  counts,
  /** What was kept, and on which legal basis. */
  kept: Type.Array(NamedObject('KeptStore', { store: Type.String(), why: Type.String() })),
  /** What ends by its own clock, and when the last of it does. */
  tails: Type.Array(
    NamedObject('ErasureTail', { store: Type.String(), what: Type.String(), until: DateTime }),
  ),
  provider: Type.String(),
  /** The hosts that were told of the person before, and of the erasure. */
  told: Type.Array(Type.String()),
  /** When the last backup that may hold the person is gone. */
  backupsUntil: DateTime,
  /** Where the chains of the account stood. */
  chains: Type.Array(
    NamedObject('ChainHead', { chain: Type.String(), sequence: Type.String(), hash: Type.String() }),
  ),
});
export type CertificateClaims = Static<typeof CertificateClaims>;

export const ErasureCertificate = NamedObject('ErasureCertificate', {
  object: Word('erasure_certificate'),
  requestSid: Sid('DR'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  /** A JWS to be verified with the keys of `GET /.well-known/jwks.json`. */
  certificate: Type.String(),
  /** Of the certificate, in hex, as the audit chain has it. */
  sha256: Type.String(),
  /** What the certificate says. */
  claims: CertificateClaims,
});
export type ErasureCertificate = Static<typeof ErasureCertificate>;

export const SigningKeys = NamedObject('SigningKeySet', {
  keys: Type.Array(
    NamedObject('SigningKey', {
      kty: Word('OKP', 'EC'),
      crv: Word('Ed25519', 'P-256'),
      x: Type.String(),
      y: Type.Optional(Type.String()),
      kid: Type.String(),
      alg: Word('EdDSA', 'ES256'),
      use: Word('sig'),
    }),
  ),
});

sample(SigningKeys, {
  keys: [
    {
      kty: 'OKP',
      crv: 'Ed25519',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
      alg: 'EdDSA',
      use: 'sig',
    },
  ],
});

const claims: CertificateClaims = {
  iss: 'https://messages.example',
  iat: 1_787_306_400,
  jti: sampleSid('DR'),
  ...sampleOwner,
  contactSid: sampleSid('CT'),
  requestedAt: sampleTime,
  completedAt: sampleTime,
  counts: { contacts: 1, messages: 12 },
  kept: [{ store: 'messages', why: 'That a message was sent, when and at what price: accounting.' }],
  tails: [{ store: 'backups', what: 'backups of the database', until: sampleTime }],
  provider: 'Files were deleted at WhatsApp.',
  told: ['https://shop.example'],
  backupsUntil: sampleTime,
  chains: [{ chain: 'audit', sequence: '42', hash: 'a'.repeat(64) }],
};

sample(ErasureCertificate, {
  object: 'erasure_certificate',
  requestSid: sampleSid('DR'),
  ...sampleOwner,
  certificate: 'eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJodHRwczovL21lc3NhZ2VzLmV4YW1wbGUifQ.c2lnbmF0dXJl',
  sha256: 'b'.repeat(64),
  claims,
});
