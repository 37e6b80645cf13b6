import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  Text,
  Uuid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { GivenPassword } from '../passwords/password-rules.ts';
import { User } from '../users/schema.ts';

const environment = named('Environment', Word('live', 'sandbox'));
// Whatever is typed into the field: a malformed address is only one that nobody has.
export const TypedEmail = Text(254, 1);
export const Solution = Type.String({ maxLength: 4096 });

export const Credentials = NamedObject('SignInRequest', {
  email: TypedEmail,
  password: GivenPassword,
  environment: Type.Optional(environment),
  captcha: Type.Optional(Solution),
});
export type Credentials = Static<typeof Credentials>;

export const SecondStep = NamedObject('SignInSecondFactorRequest', {
  signInToken: Text(128, 1),
  method: Word('WEBAUTHN', 'TOTP', 'RECOVERY_CODE'),
  assertion: Text(32_768, 1),
  challenge: Type.Optional(Text(256)),
  providerKey: Type.Optional(Type.String({ pattern: '^[a-z0-9][a-z0-9_-]*$', maxLength: 64 })),
});
export type SecondStep = Static<typeof SecondStep>;

const session = {
  object: Word('session'),
  id: Uuid,
  userSid: Sid('US'),
  organizationId: Uuid,
  environment,
  livemode: Type.Boolean(),
  methods: Type.Array(Word('password', 'oidc', 'saml', 'webauthn', 'totp', 'recovery_code')),
  // The organization demands a second factor: until one is added and proved, nothing else is possible.
  enrollmentOnly: Type.Boolean(),
  address: Type.String(),
  userAgent: Type.String(),
  createdAt: DateTime,
  lastSeenAt: DateTime,
  expiresAt: DateTime,
};

export const Session = NamedObject('Session', { ...session, current: Type.Boolean() });
export type Session = Static<typeof Session>;

/** The session that asks, with what its page must send along in X-CSRF-Token. */
export const OwnSession = NamedObject('OwnSession', { ...session, csrfToken: Type.String(), user: User });
export type OwnSession = Static<typeof OwnSession>;

export const SignIn = NamedObject('SignIn', {
  object: Word('sign_in'),
  status: Word('signed_in', 'second_factor_required'),
  session: Nullable(OwnSession),
  // For the second step: the token, what can be proved, and what to hand to navigator.credentials.get().
  signInToken: Nullable(Type.String()),
  methods: Type.Array(Word('WEBAUTHN', 'TOTP', 'RECOVERY_CODE')),
  webauthn: Type.Unsafe<object | null>({ type: ['object', 'null'], 'x-free-form': true }),
});
export type SignIn = Static<typeof SignIn>;

export const SessionChange = NamedObject('UpdateSessionRequest', { environment });
export const SessionQuery = Closed(pageQuery);

export const Challenge = NamedObject('SignInChallenge', {
  object: Word('challenge'),
  parameters: Type.Unsafe<object>({ type: 'object', 'x-free-form': true }),
  signature: Type.String(),
  expiresAt: DateTime,
});

export const Revocation = NamedObject('SessionRevocation', {
  object: Word('session_revocation'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  userSid: Sid('US'),
  revoked: Type.Integer({ minimum: 0 }),
  revokedAt: DateTime,
});
