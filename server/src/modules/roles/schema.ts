import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  sample,
  Text,
  Uuid,
  Word,
} from '../../platform/http/input/schema.ts';

const principalType = named('RolePrincipalType', Word('USER', 'API_KEY'));
const scopeKind = named('RoleScopeKind', Word('ORGANIZATION', 'ACCOUNT', 'SUBACCOUNT', 'INBOX'));
const environment = Word('live', 'sandbox', 'both');

export const RoleDescription = NamedObject('Role', {
  object: Word('role'),
  role: Type.String(),
  summary: Type.String(),
  scopes: Type.Array(Type.String()),
  /** False for the roles of the platform's own staff. */
  grantable: Type.Boolean(),
});
export type RoleDescription = Static<typeof RoleDescription>;

export const NewRoleBinding = NamedObject('CreateRoleBindingRequest', {
  principalType,
  principalRef: Text(128),
  role: Text(64),
  scopeKind,
  environment: Type.Optional(environment),
  expiresAt: Type.Optional(DateTime),
  inboxSid: Type.Optional(Sid('IB')),
  stepUpToken: Text(256),
});
export type NewRoleBinding = Static<typeof NewRoleBinding>;

export const RoleBinding = NamedObject('RoleBinding', {
  object: Word('role_binding'),
  id: Uuid,
  organizationId: Uuid,
  accountSid: Nullable(Sid('AC')),
  inboxSid: Nullable(Sid('IB')),
  principalType,
  principalRef: Type.String(),
  role: Type.String(),
  scopeKind,
  environment,
  source: Type.String(),
  createdBy: Type.String(),
  expiresAt: Nullable(DateTime),
  revokedAt: Nullable(DateTime),
  revokedBy: Nullable(Type.String()),
  revokeReason: Nullable(Type.String()),
  createdAt: DateTime,
});
export type RoleBinding = Static<typeof RoleBinding>;

export const Revocation = NamedObject('RevokeRoleBindingRequest', {
  reason: Text(1000),
  stepUpToken: Text(256),
});
export const RoleQuery = Closed(pageQuery);

sample(RoleDescription, {
  object: 'role',
  role: 'VIEWER',
  summary: 'Reads messages, contacts and conversations.',
  scopes: ['contacts:read', 'conversations:read', 'messages:read'],
  grantable: true,
});
