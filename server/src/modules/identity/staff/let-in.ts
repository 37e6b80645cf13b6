// Letting one of the operator's people into the account of a customer.
import type { SystemTx, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { findAccount, isOperator } from '../../accounts/index.ts';
import { grantStaff } from '../../roles/index.ts';

export const mostStaffHours = 8;

export type StaffMember = { userSid: string; email: string; organizationId: string };

/** Everybody who is meant by a SID or an address, whatever became of them. */
export const peopleNamed = (s: SystemTx, ref: string): Promise<StaffMember[]> =>
  s.many<StaffMember>(sql`
    select sid as "userSid", email, organization_id as "organizationId" from users
     where sid = ${ref} or lower(email) = lower(${ref})`);

/**
 * Somebody of the operator's organization who is active, by SID or address, and stays so until the transaction ends: deactivating
 * them waits for it, and so finds what they were granted under it.
 */
export async function lockStaffMember(s: SystemTx, ref: string): Promise<StaffMember | null> {
  for (const one of await peopleNamed(s, ref))
    if ((await isOperator(s, one.organizationId)) && (await lockStatus(s, one.userSid)) === 'ACTIVE')
      return one;
  return null;
}

/** Nobody deactivates or reactivates them until the transaction ends. */
export async function lockStatus(s: SystemTx, userSid: string): Promise<string | null> {
  const row = await s.maybe<{ status: string }>(
    sql`select status from users where sid = ${userSid} for share`,
  );
  return row?.status ?? null;
}

/** The member is active and of the operator's; the account is another's. */
export async function letStaffIn(
  t: TenantTx,
  member: StaffMember,
  { hours, case: about }: { hours: number; case: string },
): Promise<{ expiresAt: Date }> {
  const { organizationId } = (await findAccount(t, t.accountSid))!;
  if (organizationId === member.organizationId)
    throw new ApiError('CONFLICT', {
      message: 'The account is of the operator itself: roles are given there.',
    });
  if (!(hours >= 1 && hours <= mostStaffHours))
    throw new ApiError('CONFLICT', { message: `Staff is let in for at most ${mostStaffHours} hours.` });
  const expiresAt = new Date(t.now.getTime() + hours * 3_600_000);
  await grantStaff(t, { userSid: member.userSid, expiresAt, case: about });
  return { expiresAt };
}
