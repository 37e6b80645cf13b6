// Bindings made and ended with the person who holds them, not one by one.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { principalName } from '../../platform/principal.ts';
import { announceRevocation, columns, insertBinding } from './bindings.ts';
import type { RoleBinding } from './schema.ts';

/** Ends every binding of a person who leaves, at once. */
export async function revokeBindingsOf(t: TenantTx, userSid: string, reason: string): Promise<number> {
  const revoked = await t.many<RoleBinding>(sql`
    update role_bindings set revoked_at = ${t.now}, revoked_by = ${principalName(t.principal)},
      revoke_reason = ${reason}
     where principal_type = 'USER' and principal_ref = ${userSid} and revoked_at is null
    returning ${columns}`);
  for (const binding of revoked) announceRevocation(t, binding);
  return revoked.length;
}

/** Makes the founder of an organization its first owner. */
export async function bindFirstOwner(t: TenantTx, userSid: string): Promise<void> {
  await insertBinding(t, {
    principalType: 'USER',
    principalRef: userSid,
    role: 'OWNER',
    scopeKind: 'ORGANIZATION',
    accountSid: null,
    inboxSid: null,
    environment: 'both',
    expiresAt: null,
  });
}
