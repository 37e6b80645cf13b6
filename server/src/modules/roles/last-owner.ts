// An organization always has an owner. Whoever takes one away asks here first, inside the same transaction.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { findAccount } from '../accounts/index.ts';

/** Tells which of these users can act as owners today; roles alone do not know who has left. */
export type StillActive = (userSids: string[]) => Promise<string[]>;

const everybody: StillActive = async (userSids) => userSids;

/** Refuses when nobody else would own the organization once this person is gone. */
export async function refuseRemovingLastOwner(
  t: TenantTx,
  userSid: string,
  stillActive: StillActive = everybody,
): Promise<void> {
  const held = await lockOwnerBindings(t);
  if (!held.some((binding) => binding.userSid === userSid)) return;
  const others = held.filter((binding) => binding.userSid !== userSid);
  await refuseUnlessOneLasts(others, stillActive);
}

/** Refuses when nobody would own the organization once this binding is gone. */
export async function refuseEndingLastOwner(
  t: TenantTx,
  bindingId: string,
  stillActive: StillActive,
): Promise<void> {
  const held = await lockOwnerBindings(t);
  const ending = held.find(({ id }) => id === bindingId);
  // One that ends by itself was never what the organization relied on.
  if (!ending || ending.expiresAt !== null) return;
  const others = held.filter(({ id }) => id !== bindingId);
  await refuseUnlessOneLasts(others, stillActive);
}

/** An owner whose binding expires does not count: when it does, nobody asks any more. */
async function refuseUnlessOneLasts(others: OwnerBinding[], stillActive: StillActive): Promise<void> {
  const lasting = others.filter(({ expiresAt }) => expiresAt === null).map(({ userSid }) => userSid);
  if ((await stillActive([...new Set(lasting)])).length > 0) return;
  throw new ApiError('CONFLICT', { message: 'The last owner of an organization stays.' });
}

/** The users who own the whole organization, its live environment included, at this moment. */
export async function ownersOf(t: TenantTx): Promise<string[]> {
  return [...new Set((await lockOwnerBindings(t)).map(({ userSid }) => userSid))];
}

export const isOwner = async (t: TenantTx, userSid: string): Promise<boolean> =>
  (await ownersOf(t)).includes(userSid);

type OwnerBinding = { id: string; userSid: string; expiresAt: string | null };

/**
 * The bindings of all owners, locked in one order, so that two owners who remove each other at the same moment do not
 * both succeed: the second waits, and then sees one owner less.
 */
async function lockOwnerBindings(t: TenantTx): Promise<OwnerBinding[]> {
  const { organizationId } = (await findAccount(t, t.accountSid))!;
  return t.many<OwnerBinding>(sql`
    select id, principal_ref as "userSid", expires_at as "expiresAt" from role_bindings
     where organization_id = ${organizationId} and principal_type = 'USER' and role = 'OWNER'
       and scope_kind = 'ORGANIZATION' and environment <> 'sandbox' and revoked_at is null
       and (expires_at is null or expires_at > ${t.now})
     order by id for update`);
}
