// Bindings made and ended with the person who holds them, not one by one.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { newUuid } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { findAccount } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';

/** Ends every binding of a person who leaves, at once. */
export async function revokeBindingsOf(t: TenantTx, userSid: string, reason: string): Promise<number> {
  const revoked = await t.many<{ id: string; role: string }>(sql`
    update role_bindings set revoked_at = ${t.now}, revoked_by = ${principalName(t.principal)},
      revoke_reason = ${reason}
     where principal_type = 'USER' and principal_ref = ${userSid} and revoked_at is null
    returning id, role`);
  for (const { id, role } of revoked) {
    audit(t, { action: 'role_binding.revoked', resource: id, facts: { userSid, role, reason } });
  }
  return revoked.length;
}

/** Makes the founder of an organization its first owner. */
export async function bindFirstOwner(t: TenantTx, userSid: string): Promise<void> {
  const { organizationId } = (await findAccount(t, t.accountSid))!;
  const id = newUuid(t.now);
  await t.run(sql`
    insert into role_bindings (id, organization_id, principal_type, principal_ref, role, scope_kind, environment,
      created_by, created_at)
    values (${id}, ${organizationId}, 'USER', ${userSid}, 'OWNER', 'ORGANIZATION', 'both',
      ${principalName(t.principal)}, ${t.now})`);
  audit(t, { action: 'role_binding.created', resource: id, facts: { userSid, role: 'OWNER' } });
}
