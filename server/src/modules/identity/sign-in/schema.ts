import { type Static, Type } from 'typebox';
import { DateTime, NamedObject, Nullable, sample, Text, Word } from '../../../platform/http/input/schema.ts';
import { OwnSession, ownSessionSample, SessionEnvironment } from '../own-sessions/schema.ts';
import { GivenPassword } from '../passwords/password-rules.ts';
import { ProviderKey } from '../schema.ts';

// Whatever is typed into the field: a malformed address is only one that nobody has.
export const TypedEmail = Text(254, 1);
export const Solution = Type.String({ maxLength: 4096 });

export const Credentials = NamedObject('SignInRequest', {
  email: TypedEmail,
  password: GivenPassword,
  environment: Type.Optional(SessionEnvironment),
  captcha: Type.Optional(Solution),
});
export type Credentials = Static<typeof Credentials>;

export const SecondStep = NamedObject('SignInSecondFactorRequest', {
  signInToken: Text(128, 1),
  method: Word('WEBAUTHN', 'TOTP', 'RECOVERY_CODE'),
  assertion: Text(32_768, 1),
  challenge: Type.Optional(Text(256)),
  providerKey: Type.Optional(ProviderKey),
});
export type SecondStep = Static<typeof SecondStep>;

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

export const Challenge = NamedObject('SignInChallenge', {
  object: Word('challenge'),
  parameters: Type.Unsafe<object>({ type: 'object', 'x-free-form': true }),
  signature: Type.String(),
  expiresAt: DateTime,
});

sample(SignIn, {
  object: 'sign_in',
  status: 'signed_in',
  session: ownSessionSample,
  signInToken: null,
  methods: [],
  webauthn: null,
});

sample(Challenge, {
  object: 'challenge',
  parameters: { algorithm: 'PBKDF2/SHA-256', cost: 5000, salt: '8c1d4f', keyPrefix: '00' },
  signature: 'b1946ac92492d2347c6235b4d2611184',
  expiresAt: '2026-08-21T10:10:00.000Z',
});
