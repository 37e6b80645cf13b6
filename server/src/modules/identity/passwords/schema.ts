import { type Static, Type } from 'typebox';
import { Closed, Text, Word } from '../../../platform/http/input/schema.ts';
import { Solution, TypedEmail } from '../sessions/schema.ts';
import { GivenPassword, NewPassword } from './password-rules.ts';

export const PasswordChange = Closed({ currentPassword: GivenPassword, newPassword: NewPassword });
export type PasswordChange = Static<typeof PasswordChange>;

export const Recovery = Closed({ email: TypedEmail, captcha: Type.Optional(Solution) });
export type Recovery = Static<typeof Recovery>;

export const PasswordReset = Closed({ token: Text(128, 1), newPassword: NewPassword });
export type PasswordReset = Static<typeof PasswordReset>;

export const RecoveryAnswer = Closed({ object: Word('password_recovery'), status: Word('accepted') });
export const ResetAnswer = Closed({
  object: Word('password_reset'),
  status: Word('completed'),
  // True when the policy removed the person's second factors with the recovery.
  mfaRevoked: Type.Boolean(),
});
