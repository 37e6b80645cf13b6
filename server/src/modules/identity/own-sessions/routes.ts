import { Closed, ListOf, Uuid } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { endOwnSession, getOwnSession, listOwnSessions, openEnvironment, signOut } from './own-sessions.ts';
import { OwnSession, Session, SessionChange, SessionQuery } from './schema.ts';

const tag = 'Sign-in';

export const operations = [
  operation({
    id: 'signOut',
    method: 'POST',
    path: '/v1/auth/sign-out',
    summary: 'Sign out of this browser',
    description:
      'Ends the session that asks and, where this browser holds one of the other environment too, that one. Their cookies ' +
      'are taken back and work nowhere any more. Sessions in other browsers go on.',
    tag,
    access: 'authenticated',
    repeatable: 'A session ends once.',
    responses: { 204: null },
    sends: ['Set-Cookie'],
    open: (call, { header }) => signOut(call, header('cookie')),
  }),
  operation({
    id: 'getSession',
    method: 'GET',
    path: '/v1/auth/session',
    summary: 'Get the session that asks, with its CSRF token',
    description:
      "For pages that need to know who is signed in. Every write by the session's cookie repeats " +
      '`csrfToken` in the X-CSRF-Token header.',
    tag,
    access: 'authenticated',
    responses: { 200: OwnSession },
    open: (call, { header }) => getOwnSession(call, header('cookie')),
  }),
  operation({
    id: 'updateSession',
    method: 'PATCH',
    path: '/v1/auth/session',
    summary: 'Open the other environment',
    description:
      'Opens a session of the other environment beside the one that asks, with its own id, cookie and CSRF token, ending when ' +
      'that one ends. What this browser had open there is replaced. For the environment of the session itself, the session ' +
      'gets a new id, cookie and CSRF token, and the old ones end at once.',
    tag,
    access: 'authenticated',
    repeatable: 'Another session in the place of the one before.',
    body: SessionChange,
    responses: { 200: OwnSession },
    sends: ['Set-Cookie'],
    example: { environment: 'sandbox' },
    open: (call, { body, header }) => openEnvironment(call, body.environment, header('cookie')),
  }),
  operation({
    id: 'listOwnSessions',
    method: 'GET',
    path: '/v1/auth/sessions',
    summary: "List one's own open sessions",
    description:
      'Sessions of the person who asks, the newest first, each with its address and browser. `current` ' +
      'marks the one that asks.',
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
    description: 'It ends at once, wherever it is open. Ending the session that asks signs out.',
    tag,
    access: 'authenticated',
    params: Closed({ sessionId: Uuid }),
    responses: { 204: null },
    sends: ['Set-Cookie'],
    open: (call, { params }) => endOwnSession(call, params.sessionId),
  }),
];
