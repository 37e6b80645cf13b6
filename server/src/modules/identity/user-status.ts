import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { findAccount } from '../accounts/index.ts';

/** How somebody of this organization stands; null for a name that is not one of its people's. */
export async function userStatus(
  t: TenantTx,
  userSid: string,
): Promise<'INVITED' | 'ACTIVE' | 'DEACTIVATED' | null> {
  const { organizationId } = (await findAccount(t, t.accountSid))!;
  const found = await t.maybe<{ status: 'INVITED' | 'ACTIVE' | 'DEACTIVATED' }>(sql`
    select status from users where organization_id = ${organizationId} and sid = ${userSid}`);
  return found?.status ?? null;
}
