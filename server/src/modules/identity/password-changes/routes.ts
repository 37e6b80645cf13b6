import { operation } from '../../../platform/http/operations/operation.ts';
import { OwnSession } from '../own-sessions/schema.ts';
import { browserOf } from '../sessions/browser.ts';
import { changePassword, recoverPassword, resetPassword } from './password-changes.ts';
import { PasswordChange, PasswordReset, Recovery, RecoveryAnswer, ResetAnswer } from './schema.ts';

const tag = 'Sign-in';

export const operations = [
  operation({
    id: 'changePassword',
    method: 'POST',
    path: '/v1/auth/password/change',
    summary: "Change one's password",
    description: 'Every other session ends; this one gets a new cookie and CSRF token.',
    tag,
    access: 'authenticated',
    repeatable: 'The token that asks ends with the change, so it cannot ask twice.',
    body: PasswordChange,
    responses: { 200: OwnSession },
    sends: ['Set-Cookie'],
    example: {
      currentPassword: 'correct horse battery staple',
      newPassword: 'a much longer secret than before',
    },
    open: (call, { body, address }) => changePassword(call, body, address),
  }),
  operation({
    id: 'recoverPassword',
    method: 'POST',
    path: '/v1/auth/password/forgot',
    summary: 'Ask for a link to choose a new password',
    description: 'The answer is the same whether or not the address belongs to anyone.',
    tag,
    access: 'public',
    repeatable: 'Another mail with another link, at most 3 within 15 minutes.',
    body: Recovery,
    responses: { 202: RecoveryAnswer },
    example: { email: 'ada@example.com' },
    open(call, input) {
      const { address } = browserOf(call, input);
      return recoverPassword(call, input.body, address);
    },
  }),
  operation({
    id: 'resetPassword',
    method: 'POST',
    path: '/v1/auth/password/reset',
    summary: 'Choose a new password with the link from the mail',
    description: 'Ends every session of the person. The token works once, for an hour.',
    tag,
    access: 'public',
    repeatable: 'The token works once.',
    body: PasswordReset,
    responses: { 200: ResetAnswer },
    example: { token: 'from the mail', newPassword: 'a much longer secret than before' },
    open(call, input) {
      browserOf(call, input);
      return resetPassword(call, input.body);
    },
  }),
];
