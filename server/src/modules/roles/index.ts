import type { Module } from '../../platform/module.ts';

export { isRole, type Role, roleCatalogue, scopesOfRole } from './catalogue.ts';
export {
  type Binding,
  bindingsOf,
  type Effective,
  effectiveScopes,
  type Place,
  type PrincipalType,
} from './effective-scopes.ts';
export { ownersOf, refuseRemovingLastOwner } from './last-owner.ts';
export { bindFirstOwner, revokeBindingsOf } from './whole-person.ts';
export const rolesModule: Module = {
  name: 'roles',
  tables: ['role_bindings'],
  operations: [],
  jobs: [],
  crons: [],
};
