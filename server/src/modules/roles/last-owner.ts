// An organization always has an owner. Whoever takes one away asks here first, inside the same transaction.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors.ts';
import { findAccount } from '../accounts/index.ts';

/** Tells which of these users can act as owners today; roles alone do not know who has left. */
type StillActive = (userSids: string[]) => Promise<string[]>;

/**
 * Refuses when nobody else would own the organization. The bindings of all owners are locked, so that two owners who
 * remove each other at the same moment do not both succeed.
 */
export async function refuseRemovingLastOwner(
  t: TenantTx,
  userSid: string,
  stillActive: StillActive = async (userSids) => userSids,
): Promise<void> {
  const owners = await ownersOf(t);
  if (!owners.includes(userSid)) return;
  const others = await stillActive(owners.filter((owner) => owner !== userSid));
  if (others.length === 0) {
    throw new ApiError('CONFLICT', { message: 'The last owner of an organization stays.' });
  }
}

/** The users who own the whole organization, its live environment included, at this moment. */
export async function ownersOf(t: TenantTx): Promise<string[]> {
  const { organizationId } = (await findAccount(t, t.accountSid))!;
  const rows = await t.many<{ userSid: string }>(sql`
    select principal_ref as "userSid" from role_bindings
     where organization_id = ${organizationId} and principal_type = 'USER' and role = 'OWNER'
       and scope_kind = 'ORGANIZATION' and environment <> 'sandbox' and revoked_at is null
       and (expires_at is null or expires_at > ${t.now})
     order by id for update`);
  return [...new Set(rows.map(({ userSid }) => userSid))];
}
