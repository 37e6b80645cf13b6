// Who holds which role where. A binding is made and revoked, never changed.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newUuid } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { findAccount } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import { isRole } from './catalogue.ts';
import { roleBindingEvents } from './events.ts';
import { type Grant, refuseMoreThanHeld } from './held-scopes.ts';
import type { RoleHooks } from './hooks.ts';
import { refuseEndingLastOwner } from './last-owner.ts';
import type { RoleBinding } from './schema.ts';

export const columns = sql`'role_binding' as object, id, organization_id as "organizationId",
  account_sid as "accountSid", inbox_sid as "inboxSid", principal_type as "principalType",
  principal_ref as "principalRef", role, scope_kind as "scopeKind", environment, source, created_by as "createdBy",
  expires_at as "expiresAt", revoked_at as "revokedAt", revoked_by as "revokedBy", revoke_reason as "revokeReason",
  created_at as "createdAt"`;

/** Bindings that have effect on this account in this environment: its own, its parent's, and the organization's. */
export async function seenFrom(t: TenantTx) {
  const { organizationId, parentAccountSid } = (await findAccount(t, t.accountSid))!;
  return sql`organization_id = ${organizationId} and revoked_at is null
    and environment in ('both', ${t.livemode ? 'live' : 'sandbox'})
    and (account_sid is null or account_sid = ${t.accountSid}
      or (account_sid = ${parentAccountSid} and scope_kind = 'ACCOUNT'))`;
}

export async function listRoleBindings(t: TenantTx, pager: Pager) {
  const [createdAt, id] = pager.after ?? [null, null];
  const rows = await t.many<RoleBinding>(sql`
    select ${columns} from role_bindings
     where ${await seenFrom(t)}
       and (${createdAt}::timestamptz is null or (created_at, id) < (${createdAt}::timestamptz, ${id}::uuid))
     order by created_at desc, id desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    (row) => [row.createdAt, row.id],
    (row) => row,
  );
}

/** A binding whose rules have been judged. */
export type JudgedBinding = Grant & {
  principalType: RoleBinding['principalType'];
  principalRef: string;
  expiresAt: string | null;
  /** Who asked for it, where that is not who makes it. */
  requestedBy?: string;
};

export async function insertBinding(t: TenantTx, binding: JudgedBinding): Promise<RoleBinding> {
  const { organizationId } = (await findAccount(t, t.accountSid))!;
  const { accountSid, inboxSid, principalType, principalRef, role, scopeKind, environment, expiresAt } =
    binding;
  const made = await t.one<RoleBinding>(sql`
    insert into role_bindings (id, organization_id, account_sid, inbox_sid, principal_type, principal_ref, role,
      scope_kind, environment, created_by, expires_at, created_at)
    values (${newUuid(t.now)}, ${organizationId}, ${accountSid}, ${inboxSid}, ${principalType}, ${principalRef},
      ${role}, ${scopeKind}, ${environment}, ${binding.requestedBy ?? principalName(t.principal)}, ${expiresAt},
      ${t.now})
    returning ${columns}`);
  audit(t, { action: 'role_binding.created', resource: made.id, facts: factsOf(made) });
  emit(t, roleBindingEvents.created, made);
  return made;
}

export async function revokeRoleBinding(
  hooks: RoleHooks,
  t: TenantTx,
  id: string,
  reason: string,
): Promise<void> {
  const binding = await t.maybe<RoleBinding>(sql`
    select ${columns} from role_bindings where ${await seenFrom(t)} and id = ${id}`);
  if (!binding) throw new ApiError('NOT_FOUND');
  // A role that is no longer in the catalogue gives nothing, so nothing needs to be held to end it.
  const { role } = binding;
  if (isRole(role)) await refuseMoreThanHeld(t, { ...binding, role });
  await refuseEndingLastOwner(t, id, (userSids) => activeAmong(hooks, t, userSids));
  const revoked = await t.maybe<RoleBinding>(sql`
    update role_bindings set revoked_at = ${t.now}, revoked_by = ${principalName(t.principal)},
      revoke_reason = ${reason}
     where id = ${id} and revoked_at is null
    returning ${columns}`);
  if (!revoked) throw new ApiError('NOT_FOUND');
  announceRevocation(t, revoked);
}

async function activeAmong(hooks: RoleHooks, t: TenantTx, userSids: string[]): Promise<string[]> {
  const found = await Promise.all(userSids.map((userSid) => hooks.findPrincipal(t, 'USER', userSid)));
  return userSids.filter((_, i) => found[i] === 'active');
}

export function announceRevocation(t: TenantTx, revoked: RoleBinding): void {
  const facts = { ...factsOf(revoked), reason: revoked.revokeReason };
  audit(t, { action: 'role_binding.revoked', resource: revoked.id, facts });
  emit(t, roleBindingEvents.revoked, revoked);
}

const factsOf = ({
  principalType,
  principalRef,
  role,
  scopeKind,
  inboxSid,
  environment,
  expiresAt,
}: RoleBinding) => ({
  principalType,
  principalRef,
  role,
  scopeKind,
  inboxSid,
  environment,
  expiresAt,
});
