// Bindings an outside directory makes and ends, whole sets at a time. They carry the directory as their source, so that
// it can end what it made and nothing else.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { emit } from '../../platform/events.ts';
import { newUuid } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { audit } from '../audit/index.ts';
import { announceRevocation, columns } from './bindings.ts';
import type { Role } from './catalogue.ts';
import { roleBindingEvents } from './events.ts';
import type { RoleBinding } from './schema.ts';

/** Who gives the roles, and where they apply; no account means the whole organization. */
export type Directory = {
  providerId: string;
  organizationId: string;
  accountSid: string | null;
  environment: 'live' | 'sandbox' | 'both';
};

export type DirectoryGrant = { userSid: string; role: Role };

const sourceOf = ({ providerId }: Directory) => `directory:${providerId}`;

/** Gives roles. One that is already given stays as it is. */
export async function bindByDirectory(
  t: TenantTx,
  directory: Directory,
  grants: DirectoryGrant[],
): Promise<void> {
  const forbidden = grants.find(({ role }) => role === 'OWNER' || role.startsWith('PLATFORM_'));
  if (forbidden) throw new Error(`a directory cannot give ${forbidden.role}`);
  if (grants.length === 0) return;
  const made = await t.many<RoleBinding>(sql`
    insert into role_bindings (id, organization_id, account_sid, principal_type, principal_ref, role, scope_kind,
      environment, source, created_by, created_at)
    select g.id, ${directory.organizationId}::uuid, ${directory.accountSid}::text, 'USER', g.user_sid, g.role,
      ${directory.accountSid === null ? 'ORGANIZATION' : 'ACCOUNT'}::text, ${directory.environment}::text,
      ${sourceOf(directory)}::text, ${principalName(t.principal)}::text, ${t.now}::timestamptz
      from unnest(${grants.map(() => newUuid(t.now))}::uuid[], ${grants.map(({ userSid }) => userSid)}::text[],
        ${grants.map(({ role }) => role)}::text[]) as g (id, user_sid, role)
     where not exists (select from role_bindings b
       where b.principal_type = 'USER' and b.principal_ref = g.user_sid and b.role = g.role
         and b.source = ${sourceOf(directory)} and b.revoked_at is null)
    returning ${columns}`);
  for (const binding of made) {
    const { id, principalRef: userSid, role, source } = binding;
    audit(t, { action: 'role_binding.created', resource: id, facts: { userSid, role, source } });
    emit(t, roleBindingEvents.created, binding);
  }
}

/** Ends what the directory gave these people, except what they keep. */
export async function unbindByDirectory(
  t: TenantTx,
  directory: Directory,
  userSids: string[],
  keep: DirectoryGrant[] = [],
): Promise<void> {
  if (userSids.length === 0) return;
  const revoked = await t.many<RoleBinding>(sql`
    update role_bindings set revoked_at = ${t.now}, revoked_by = ${principalName(t.principal)},
      revoke_reason = 'no longer given by the directory'
     where principal_type = 'USER' and principal_ref = any (${userSids}) and source = ${sourceOf(directory)}
       and revoked_at is null
       and not exists (select from unnest(${keep.map(({ userSid }) => userSid)}::text[],
           ${keep.map(({ role }) => role)}::text[]) as kept (user_sid, role)
         where kept.user_sid = principal_ref and kept.role = role_bindings.role)
    returning ${columns}`);
  for (const binding of revoked) announceRevocation(t, binding);
}
