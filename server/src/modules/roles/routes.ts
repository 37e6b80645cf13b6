import { ApiError } from '../../platform/errors/errors.ts';
import { accountPath, Closed, ListOf, sample, Uuid } from '../../platform/http/input/schema.ts';
import { created, operation } from '../../platform/http/operations/operation.ts';
import { listRoleBindings, revokeRoleBinding } from './bindings.ts';
import { createRoleBinding, judgeBinding } from './create-role-binding.ts';
import type { RoleHooks } from './hooks.ts';
import { listRoles } from './roles.ts';
import { roleBindingSample } from './samples.ts';
import { NewRoleBinding, Revocation, RoleBinding, RoleDescription, RoleQuery } from './schema.ts';

const tag = 'Roles';
const bindings = '/v1/accounts/{accountSid}/role-bindings';

sample(RoleBinding, roleBindingSample);

export const operations = (hooks: RoleHooks) => [
  operation({
    id: 'listRoles',
    method: 'GET',
    path: '/v1/accounts/{accountSid}/roles',
    summary: 'List the built-in roles and the scopes each holds',
    description:
      'The roles are built in and the same for every organization. `grantable` is false for roles of the ' +
      "platform's own staff.",
    tag,
    access: ['roles:write', 'audit:read'],
    params: Closed(accountPath),
    query: RoleQuery,
    responses: { 200: ListOf(RoleDescription) },
    handler: (_t, { pager }) => listRoles(pager),
  }),
  operation({
    id: 'listRoleBindings',
    method: 'GET',
    path: bindings,
    summary: 'List who holds which role',
    description:
      'The bindings that reach this account in this environment: its own, its parent account’s and those on the ' +
      'whole organization. Revoked ones are gone; the audit events tell of them.',
    tag,
    access: ['roles:write', 'audit:read'],
    params: Closed(accountPath),
    query: RoleQuery,
    responses: { 200: ListOf(RoleBinding) },
    handler: (t, { pager }) => listRoleBindings(t, pager),
  }),
  operation({
    id: 'createRoleBinding',
    method: 'POST',
    path: bindings,
    summary: 'Give a person or an API key a role',
    description:
      'Nobody gives a role with scopes they do not hold themselves, at a place or in an environment where they do not ' +
      'hold them. Without `environment` a person gets both, a key or an inbox its own. Bindings are never changed: ' +
      'revoke one and make another. A new OWNER waits for the approval of another owner (APPROVAL_REQUIRED), where ' +
      'there is one.',
    tag,
    access: ['roles:write'],
    idempotency: 'required',
    stepUp: { action: 'ROLE_BINDING_CREATE', from: 'everyone' },
    params: Closed(accountPath),
    body: NewRoleBinding,
    responses: { 201: RoleBinding },
    example: {
      principalType: 'USER',
      principalRef: 'US01K3B8ZB6NQ4X9V2M7E5C0TRWA',
      role: 'DEVELOPER',
      scopeKind: 'ACCOUNT',
      environment: 'sandbox',
      stepUpToken: '…',
    },
    judge: (t, { body }) => judgeBinding(t, body),
    async handler(t, { body }) {
      const made = await createRoleBinding(hooks, t, body);
      if (made instanceof ApiError) return made;
      return created(made, `/v1/accounts/${t.accountSid}/role-bindings/${made.id}`);
    },
  }),
  operation({
    id: 'revokeRoleBinding',
    method: 'DELETE',
    path: `${bindings}/{bindingId}`,
    summary: 'Take a role away',
    description:
      'Ends at once what the role gave. Whoever takes a role away must hold its scopes. The last owner of an ' +
      'organization stays.',
    tag,
    access: ['roles:write'],
    whileSuspended: true,
    stepUp: { action: 'ROLE_BINDING_REVOKE', from: 'everyone' },
    params: Closed({ ...accountPath, bindingId: Uuid }),
    body: Revocation,
    responses: { 204: null },
    example: { reason: 'Left the team', stepUpToken: '…' },
    handler: (t, { params, body }) => revokeRoleBinding(hooks, t, params.bindingId, body.reason),
  }),
];
