import { type Static, Type } from 'typebox';
import { NamedObject, Nullable, Sid, sample, Uuid, Word } from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleUuid } from '../../../platform/samples.ts';

const hex = Type.String({ pattern: '^[0-9a-f]{64}$' });
const sequence = Type.String({ pattern: '^[0-9]{1,18}$' });

const CertifiedConsent = NamedObject('CertifiedConsent', {
  /** Its place in the consent chain of the account and environment. */
  sequence,
  /** The record as the text that was hashed. */
  payload: Type.String(),
  previousHash: hex,
  /** SHA-256 of the previous hash, the sequence as 8 bytes (big-endian) and the payload. */
  hash: hex,
  /** What was said in people's own words: `detail` of the payload is its HMAC-SHA-256 under the salt. Null where there is none, or none any more. */
  detail: Nullable(NamedObject('CertifiedDetail', { salt: Type.String(), text: Type.String() })),
});

export const ConsentCertificateClaims = NamedObject('ConsentCertificateClaims', {
  /** The address of the installation that signed it. */
  iss: Type.String(),
  /** When it was signed, in seconds since 1970. */
  iat: Type.Integer(),
  jti: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  contactSid: Sid('CT'),
  /** The contact and those that were merged into it, whose records these are. */
  identities: Type.Array(Sid('CT')),
  /** Every record of the person, oldest first. */
  consents: Type.Array(CertifiedConsent),
  /** How many older records are left out: a certificate has the newest 200. */
  omitted: Type.Integer(),
  /** Where the chain stood. */
  head: NamedObject('ConsentChainHead', { sequence, hash: hex }),
});
export type ConsentCertificateClaims = Static<typeof ConsentCertificateClaims>;

export const ConsentCertificate = NamedObject('ConsentCertificate', {
  object: Word('consent_certificate'),
  contactSid: Sid('CT'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  /** A JWS to be verified with the keys of `GET /.well-known/jwks.json`. */
  certificate: Type.String(),
  /** Of the certificate, in hex, as the audit chain has it. */
  sha256: hex,
  /** What the certificate says. */
  claims: ConsentCertificateClaims,
});
export type ConsentCertificate = Static<typeof ConsentCertificate>;

const contactSid = sampleSid('CT');
sample(ConsentCertificate, {
  object: 'consent_certificate',
  contactSid,
  ...sampleOwner,
  certificate: 'eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJodHRwczovL21lc3NhZ2VzLmV4YW1wbGUifQ.c2lnbmF0dXJl',
  sha256: 'b'.repeat(64),
  claims: {
    iss: 'https://messages.example',
    iat: 1_787_306_400,
    jti: sampleUuid,
    ...sampleOwner,
    contactSid,
    identities: [contactSid],
    consents: [
      {
        sequence: '7',
        payload: '{"contactSid":"CT…","purpose":"MARKETING","status":"OPTED_IN"}',
        previousHash: '3b'.repeat(32),
        hash: 'a9'.repeat(32),
        detail: null,
      },
    ],
    omitted: 0,
    head: { sequence: '42', hash: 'c4'.repeat(32) },
  },
});
