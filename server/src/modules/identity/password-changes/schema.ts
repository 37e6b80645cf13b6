import { type Static, Type } from 'typebox';
import { NamedObject, sample, Text, Word } from '../../../platform/http/input/schema.ts';
import { GivenPassword, NewPassword } from '../passwords/password-rules.ts';
import { Solution, TypedEmail } from '../sign-in/schema.ts';

export const PasswordChange = NamedObject('ChangePasswordRequest', {
  currentPassword: GivenPassword,
  newPassword: NewPassword,
});
export type PasswordChange = Static<typeof PasswordChange>;

export const Recovery = NamedObject('RecoverPasswordRequest', {
  email: TypedEmail,
  captcha: Type.Optional(Solution),
});
export type Recovery = Static<typeof Recovery>;

export const PasswordReset = NamedObject('ResetPasswordRequest', {
  token: Text(128, 1),
  newPassword: NewPassword,
});
export type PasswordReset = Static<typeof PasswordReset>;

export const RecoveryAnswer = NamedObject('PasswordRecovery', {
  object: Word('password_recovery'),
  status: Word('accepted'),
});
export const ResetAnswer = NamedObject('PasswordReset', {
  object: Word('password_reset'),
  status: Word('completed'),
  // True when the policy removed the person's second factors with the recovery.
  mfaRevoked: Type.Boolean(),
});

sample(RecoveryAnswer, { object: 'password_recovery', status: 'accepted' });
sample(ResetAnswer, { object: 'password_reset', status: 'completed', mfaRevoked: false });
