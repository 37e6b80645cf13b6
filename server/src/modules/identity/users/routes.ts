import { accountPath, Closed, ListOf, Sid } from '../../../platform/http/input/schema.ts';
import { Answer, created, operation } from '../../../platform/http/operations/operation.ts';
import { onHomeAccount } from '../home-account.ts';
import { personOf } from '../people.ts';
import { WithStepUp } from '../schema.ts';
import { browserOf } from '../sessions/browser.ts';
import { acceptInvitation, inviteUser, resendInvitation, withdrawInvitation } from './invitations.ts';
import { describeMe } from './me.ts';
import { revokeAllSessions } from './revoke-sessions.ts';
import {
  Acceptance,
  Deactivation,
  Me,
  NewInvitation,
  ProfileChange,
  Revocation,
  User,
  UserQuery,
} from './schema.ts';
import { changeProfile, deactivateUser, getUser, listUsers, reactivateUser } from './users.ts';

const tag = 'Users';
const all = '/v1/accounts/{accountSid}/users';
const one = `${all}/{userSid}`;
const userPath = Closed({ ...accountPath, userSid: Sid('US') });

export const operations = [
  operation({
    id: 'getMe',
    method: 'GET',
    path: '/v1/me',
    summary: 'Who these credentials are',
    description:
      'Tells the account, environment, region and scopes of a key; of a signed-in person, the user and the accounts they ' +
      'reach, with their scopes on each.',
    tag: 'Identity',
    access: 'authenticated',
    responses: { 200: Me },
    open: (call) => describeMe(call),
  }),
  operation({
    id: 'listUsers',
    method: 'GET',
    path: all,
    summary: 'List the users of the organization',
    description:
      'Everybody who was invited to the organization or came through an identity provider, the newest ' +
      'first. Filter by `status` to see only those invited, active or deactivated.',
    tag,
    access: ['users:read'],
    params: Closed(accountPath),
    query: UserQuery,
    responses: { 200: ListOf(User) },
    handler: (t, { pager, query }) => listUsers(t, pager, query.status),
  }),
  operation({
    id: 'inviteUser',
    method: 'POST',
    path: all,
    summary: 'Invite a person by e-mail',
    description:
      'They choose a password with the link in the mail, which works once, for 7 days. An invitation grants nothing: bind ' +
      'roles to the user, before or after they join.',
    tag,
    access: ['users:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewInvitation,
    responses: { 201: User },
    example: { email: 'ada@example.com', displayName: 'Ada', locale: 'en' },
    async handler(t, { body }) {
      const user = await inviteUser(t, body);
      return created(user, `/v1/accounts/${t.accountSid}/users/${user.sid}`);
    },
  }),
  operation({
    id: 'getUser',
    method: 'GET',
    path: one,
    summary: 'Get a user',
    description: 'Shows the person and, while it waits to be accepted, the invitation.',
    tag,
    access: ['users:read'],
    params: userPath,
    responses: { 200: User },
    handler: (t, { params }) => getUser(t, params.userSid),
  }),
  operation({
    id: 'resendInvitation',
    method: 'POST',
    path: `${one}/invitation`,
    summary: 'Send the invitation again',
    description: 'With a new link; the old one ends. Once a minute at most.',
    tag,
    access: ['users:write'],
    idempotency: 'required',
    params: userPath,
    responses: { 200: User },
    handler: (t, { params }) => resendInvitation(t, params.userSid),
  }),
  operation({
    id: 'withdrawInvitation',
    method: 'DELETE',
    path: `${one}/invitation`,
    summary: 'Withdraw an invitation',
    description: 'The link ends, and the user who never joined is removed with the roles prepared for them.',
    tag,
    access: ['users:write'],
    params: userPath,
    responses: { 204: null },
    async handler(t, { params }) {
      await withdrawInvitation(t, params.userSid);
      return new Answer(204, null);
    },
  }),
  operation({
    id: 'deactivateUser',
    method: 'POST',
    path: `${one}/deactivate`,
    summary: 'Deactivate a user',
    description:
      'Ends their sessions and revokes their role bindings at once. An owner can be deactivated only by an owner, and the ' +
      'last owner not at all.',
    tag,
    access: ['users:write'],
    whileSuspended: true,
    idempotency: 'required',
    params: userPath,
    body: Deactivation,
    responses: { 200: User },
    example: { reason: 'Left the company' },
    handler: (t, { params, body }) => deactivateUser(t, params.userSid, body.reason),
  }),
  operation({
    id: 'reactivateUser',
    method: 'POST',
    path: `${one}/reactivate`,
    summary: 'Let a deactivated user sign in again',
    description: 'Their former roles do not come back.',
    tag,
    access: ['users:write'],
    idempotency: 'required',
    params: userPath,
    responses: { 200: User },
    handler: (t, { params }) => reactivateUser(t, params.userSid),
  }),
  operation({
    id: 'acceptInvitation',
    method: 'POST',
    path: '/v1/auth/invitations/accept',
    summary: 'Accept an invitation',
    description: 'With the token from the mail. The person then signs in with the password chosen here.',
    tag: 'Sign-in',
    access: 'public',
    repeatable: 'The token works once.',
    body: Acceptance,
    responses: { 200: User },
    example: { token: 'from the mail', password: 'correct horse battery staple', displayName: 'Ada' },
    open(call, input) {
      browserOf(call, input);
      return acceptInvitation(call, input.body);
    },
  }),
  operation({
    id: 'updateProfile',
    method: 'PATCH',
    path: '/v1/auth/profile',
    summary: "Change one's own name or language",
    description:
      "Changes the signed-in person's display name or the language of mails to them. What is left out " +
      'stays as it is.',
    tag: 'Sign-in',
    access: 'authenticated',
    repeatable: 'The same change twice leaves the same profile.',
    body: ProfileChange,
    responses: { 200: User },
    example: { displayName: 'Ada Lovelace' },
    open(call, { body }) {
      const { userSid, organizationId } = personOf(call.principal);
      const { livemode } = call.principal;
      return onHomeAccount(call, { organizationId, livemode }, (t) => changeProfile(t, userSid, body));
    },
  }),
  operation({
    id: 'revokeAllUserSessions',
    method: 'POST',
    path: '/v1/accounts/{accountSid}/identity/users/{userSid}/sessions/revoke-all',
    summary: 'End every session of a user at once',
    description:
      'All sessions of the person end at once, on every device, and the answer says how many. The person ' +
      'can sign in again unless they are deactivated too.',
    tag: 'Identity',
    access: ['roles:write'],
    whileSuspended: true,
    idempotency: 'required',
    stepUp: { action: 'USER_SESSIONS_REVOKE', from: 'everyone' },
    params: Closed({ ...accountPath, userSid: Sid('US') }),
    body: WithStepUp,
    responses: { 200: Revocation },
    example: { stepUpToken: 'from POST identity/step-up' },
    handler: (t, { params }) => revokeAllSessions(t, params.userSid),
  }),
];
