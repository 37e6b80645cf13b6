import { accountPath, Closed, ListOf, Sid, Uuid } from '../../../platform/http/input/schema.ts';
import type { Input, Open } from '../../../platform/http/operations/operation.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { WithStepUp } from '../mfa/schema.ts';
import { refuseForeignOrigin } from './authenticate.ts';
import { proveSecondFactor } from './continue-sign-in.ts';
import { endOwnSession, getOwnSession, listOwnSessions, signOut, switchEnvironment } from './own-sessions.ts';
import { revokeAllSessions } from './revoke-all.ts';
import {
  Credentials,
  OwnSession,
  Revocation,
  SecondStep,
  Session,
  SessionChange,
  SessionQuery,
  SignIn,
} from './schema.ts';
import { type Browser, signInByPassword } from './sign-in.ts';

const tag = 'Sign-in';

/** A page of another site must not sign its visitor in as somebody else. */
export function browserOf(call: Open, { address, header }: Input<unknown, unknown, unknown>): Browser {
  refuseForeignOrigin(header('origin') ?? null, new URL(call.site.publicUrl).origin);
  return { address, userAgent: header('user-agent') ?? '', cookie: header('cookie') };
}

export const operations = [
  operation({
    id: 'signIn',
    method: 'POST',
    path: '/v1/auth/sign-in',
    summary: 'Sign in with e-mail and password',
    description:
      'Answers a session and sets its cookie, or, for a person with a second factor, `second_factor_required` with a ' +
      '`signInToken` for the second step. Writes then carry the `csrfToken` in `X-CSRF-Token`. After 5 failures within ' +
      '15 minutes a solved challenge from `GET /v1/auth/challenge` must come along as `captcha`.',
    tag,
    access: 'public',
    repeatable:
      'Each success is a session of its own; a stored answer would hand out one that was made before.',
    body: Credentials,
    responses: { 200: SignIn },
    sends: ['Set-Cookie'],
    example: { email: 'ada@example.com', password: 'correct horse battery staple', environment: 'sandbox' },
    open: (call, input) => signInByPassword(call, input.body, browserOf(call, input)),
  }),
  operation({
    id: 'signInSecondFactor',
    method: 'POST',
    path: '/v1/auth/sign-in/second-factor',
    summary: 'Finish a sign-in with a second factor',
    description:
      'The `signInToken` works once, for 10 minutes. 5 failures within 15 minutes lock the method.',
    tag,
    access: 'public',
    repeatable: 'The token and the proof work once.',
    body: SecondStep,
    responses: { 200: SignIn },
    sends: ['Set-Cookie'],
    example: { signInToken: 'from the first step', method: 'TOTP', assertion: '123456' },
    open: (call, input) => proveSecondFactor(call, input.body, browserOf(call, input)),
  }),
  operation({
    id: 'signOut',
    method: 'POST',
    path: '/v1/auth/sign-out',
    summary: 'End the session that asks',
    tag,
    access: 'authenticated',
    repeatable: 'A session ends once.',
    responses: { 204: null },
    sends: ['Set-Cookie'],
    open: (call) => signOut(call),
  }),
  operation({
    id: 'getSession',
    method: 'GET',
    path: '/v1/auth/session',
    summary: 'Get the session that asks, with its CSRF token',
    tag,
    access: 'authenticated',
    responses: { 200: OwnSession },
    open: (call, { header }) => getOwnSession(call, header('cookie')),
  }),
  operation({
    id: 'updateSession',
    method: 'PATCH',
    path: '/v1/auth/session',
    summary: 'Switch the session to the other environment',
    description: 'The session gets a new id, cookie and CSRF token; the old ones end at once.',
    tag,
    access: 'authenticated',
    repeatable: 'The token that asks ends with the switch, so it cannot ask twice.',
    body: SessionChange,
    responses: { 200: OwnSession },
    sends: ['Set-Cookie'],
    example: { environment: 'sandbox' },
    open: (call, { body }) => switchEnvironment(call, body.environment),
  }),
  operation({
    id: 'listOwnSessions',
    method: 'GET',
    path: '/v1/auth/sessions',
    summary: "List one's own open sessions",
    tag,
    access: 'authenticated',
    query: SessionQuery,
    responses: { 200: ListOf(Session) },
    open: (call, { pager }) => listOwnSessions(call, pager),
  }),
  operation({
    id: 'endOwnSession',
    method: 'DELETE',
    path: '/v1/auth/sessions/{sessionId}',
    summary: "End one of one's own sessions",
    tag,
    access: 'authenticated',
    params: Closed({ sessionId: Uuid }),
    responses: { 204: null },
    sends: ['Set-Cookie'],
    open: (call, { params }) => endOwnSession(call, params.sessionId),
  }),
  operation({
    id: 'revokeAllUserSessions',
    method: 'POST',
    path: '/v1/accounts/{accountSid}/identity/users/{userSid}/sessions/revoke-all',
    summary: 'End every session of a user at once',
    tag: 'Identity',
    access: ['roles:write'],
    idempotency: 'required',
    stepUp: { action: 'USER_SESSIONS_REVOKE', from: 'everyone' },
    params: Closed({ ...accountPath, userSid: Sid('US') }),
    body: WithStepUp,
    responses: { 200: Revocation },
    example: { stepUpToken: 'from POST identity/step-up' },
    handler: (t, { params }) => revokeAllSessions(t, params.userSid),
  }),
];
