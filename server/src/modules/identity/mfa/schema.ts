import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  named,
  Sid,
  sample,
  Text,
  Uuid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleUuid } from '../../../platform/samples.ts';
import { ProviderKey } from '../schema.ts';

const method = named('MfaMethod', Word('WEBAUTHN', 'TOTP'));
const place = { accountSid: Sid('AC'), livemode: Type.Boolean() };

export const MfaCredential = NamedObject('MfaCredential', {
  object: Word('mfa_credential'),
  id: Uuid,
  ...place,
  userSid: Sid('US'),
  method,
  providerKey: ProviderKey,
  displayName: Nullable(Type.String()),
  /** A passkey its maker keeps a copy of; null for other factors. */
  backedUp: Nullable(Type.Boolean()),
  /** Turned off after too many wrong proofs. */
  disabled: Type.Boolean(),
  /** False while it is turned off or its provider is suspended. */
  usable: Type.Boolean(),
  lastUsedAt: Nullable(DateTime),
  createdAt: DateTime,
});
export type MfaCredential = Static<typeof MfaCredential>;

export const NewEnrollment = NamedObject('CreateMfaEnrollmentRequest', {
  method,
  providerKey: ProviderKey,
  displayName: Type.Optional(Text(128)),
});
export type NewEnrollment = Static<typeof NewEnrollment>;

/** What a page hands to the browser as it is. Its inside is WebAuthn's, not ours. */
const BrowserOptions = NamedObject(
  'PublicKeyOptions',
  { challenge: Type.String() },
  { additionalProperties: true },
);

export const MfaEnrollment = NamedObject('MfaEnrollment', {
  object: Word('mfa_enrollment'),
  id: Uuid,
  ...place,
  method,
  providerKey: ProviderKey,
  displayName: Nullable(Type.String()),
  ceremonyRef: Type.String(),
  /** For PublicKeyCredential.parseCreationOptionsFromJSON, where the method is WEBAUTHN. */
  publicKey: Nullable(BrowserOptions),
  /** For the authenticator app, where the method is TOTP; shown this once. */
  totp: Nullable(Closed({ secret: Type.String(), uri: Type.String() })),
  expiresAt: DateTime,
  createdAt: DateTime,
});
export type MfaEnrollment = Static<typeof MfaEnrollment>;

export const EnrollmentCompletion = NamedObject('CompleteMfaEnrollmentRequest', {
  ceremonyRef: Text(1024),
  response: Text(32_768),
});
export type EnrollmentCompletion = Static<typeof EnrollmentCompletion>;

export const EnrolledCredential = NamedObject('EnrolledMfaCredential', {
  ...MfaCredential.properties,
  /** With a person's first factor: shown this once. */
  recoveryCodes: Nullable(Type.Array(Type.String())),
});
export type EnrolledCredential = Static<typeof EnrolledCredential>;

export const RecoveryCodes = NamedObject('MfaRecoveryCodes', {
  object: Word('recovery_codes'),
  ...place,
  codes: Type.Array(Type.String()),
  createdAt: DateTime,
});

export const VerificationRequest = NamedObject('CreateMfaVerificationOptionsRequest', { action: Text(256) });

export const VerificationOptions = NamedObject('MfaVerificationOptions', {
  object: Word('mfa_verification_options'),
  ...place,
  action: Type.String(),
  factors: Type.Array(
    Closed({ credentialId: Uuid, method, providerKey: ProviderKey, displayName: Nullable(Type.String()) }),
  ),
  recoveryCodesLeft: Type.Integer({ minimum: 0 }),
  /** For PublicKeyCredential.parseRequestOptionsFromJSON; null without a passkey. */
  publicKey: Nullable(BrowserOptions),
  /** To be repeated with the assertion; null without a passkey. */
  challenge: Nullable(Type.String()),
  expiresAt: Nullable(DateTime),
});

export const MfaReset = NamedObject('MfaReset', {
  object: Word('mfa_reset'),
  ...place,
  userSid: Sid('US'),
  credentialsRemoved: Type.Integer({ minimum: 0 }),
  recoveryCodesRemoved: Type.Integer({ minimum: 0 }),
  sessionsEnded: Type.Integer({ minimum: 0 }),
  resetAt: DateTime,
});

const factor = {
  credentialId: sampleUuid,
  method: 'TOTP',
  providerKey: 'totp',
  displayName: 'Phone',
} as const;

const credentialSample = sample(MfaCredential, {
  object: 'mfa_credential',
  id: sampleUuid,
  ...sampleOwner,
  userSid: sampleSid('US'),
  method: 'TOTP',
  providerKey: 'totp',
  displayName: 'Phone',
  backedUp: null,
  disabled: false,
  usable: true,
  lastUsedAt: sampleTime,
  createdAt: sampleTime,
});

sample(EnrolledCredential, {
  ...credentialSample,
  lastUsedAt: null,
  recoveryCodes: ['h4k2-9d7m', 'q8w3-v1zt'],
});

sample(MfaEnrollment, {
  object: 'mfa_enrollment',
  id: sampleUuid,
  ...sampleOwner,
  method: 'TOTP',
  providerKey: 'totp',
  displayName: 'Phone',
  ceremonyRef: sampleUuid,
  publicKey: null,
  totp: {
    secret: 'JBSWY3DPEHPK3PXP',
    uri: 'otpauth://totp/Godwit:ada%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Godwit',
  },
  expiresAt: '2026-08-21T10:10:00.000Z',
  createdAt: sampleTime,
});

sample(RecoveryCodes, {
  object: 'recovery_codes',
  ...sampleOwner,
  codes: ['h4k2-9d7m', 'q8w3-v1zt'],
  createdAt: sampleTime,
});

sample(VerificationOptions, {
  object: 'mfa_verification_options',
  ...sampleOwner,
  action: 'WEBHOOK_ENDPOINT_CREATE',
  factors: [factor],
  recoveryCodesLeft: 10,
  publicKey: null,
  challenge: null,
  expiresAt: null,
});

sample(MfaReset, {
  object: 'mfa_reset',
  ...sampleOwner,
  userSid: sampleSid('US'),
  credentialsRemoved: 1,
  recoveryCodesRemoved: 10,
  sessionsEnded: 2,
  resetAt: sampleTime,
});
