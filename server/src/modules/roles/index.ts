import type { Module } from '../../platform/module.ts';
import { ownerApproval } from './create-role-binding.ts';
import { roleBindingEvents } from './events.ts';
import type { RoleHooks } from './hooks.ts';
import { roleNotifications } from './notifications.ts';
import { operations } from './routes.ts';

export { isRole, type Role, roleCatalogue, scopesOfRole } from './catalogue.ts';
export {
  bindByDirectory,
  type Directory,
  type DirectoryGrant,
  unbindByDirectory,
} from './directory-bindings.ts';
export {
  type Binding,
  bindingsByRef,
  bindingsOf,
  type Effective,
  effectiveScopes,
  type Place,
  type PrincipalType,
} from './effective-scopes.ts';
export { type Grant, refuseMoreThanHeld } from './held-scopes.ts';
export { holdersOf } from './holders.ts';
export type { RoleHooks } from './hooks.ts';
export { hasInboxScope } from './inbox-scope.ts';
export { isOwner, ownersOf, refuseRemovingLastOwner } from './last-owner.ts';
export {
  grantStaff,
  type NewStaffGrant,
  revokeStaff,
  type StaffGrant,
  staffGrants,
  staffRole,
  staffScope,
} from './staff-grants.ts';
export { bindFirstOwner, revokeBindingsOf } from './whole-person.ts';
export const rolesModule = (hooks: RoleHooks): Module => ({
  name: 'roles',
  tables: ['role_bindings'],
  tags: {
    Roles: 'What people and keys may do, and where.',
  },
  operations: operations(hooks),
  events: Object.values(roleBindingEvents),
  notifications: roleNotifications,
  jobs: [],
  crons: [],
  approvables: [ownerApproval(hooks)],
});
