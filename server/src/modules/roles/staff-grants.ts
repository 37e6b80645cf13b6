// The operator's people on the account of a customer: let in by the operator, one person to one account, for hours and for a
// case that is named. A grant is a binding, so that the customer sees it among the others and it ends by itself.
import type { Queries, TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { emit } from '../../platform/events.ts';
import { newUuid } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { findAccount } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import { announceRevocation, columns } from './bindings.ts';
import { roleBindingEvents } from './events.ts';
import type { RoleBinding } from './schema.ts';

export const staffRole = 'PLATFORM_STAFF';
/** Of the role: whoever holds it acts for the operator, also where the account itself may not act. */
export const staffScope = 'platform:staff';
// Which reaches no account below it.
const oneAccount = 'SUBACCOUNT';
const isStaffGrant = sql`role = ${staffRole} and scope_kind = ${oneAccount} and principal_type = 'USER'`;

export type NewStaffGrant = { userSid: string; expiresAt: Date; case: string };

export async function grantStaff(t: TenantTx, grant: NewStaffGrant): Promise<RoleBinding> {
  const { organizationId } = (await findAccount(t, t.accountSid))!;
  const { userSid, expiresAt } = grant;
  const made = await t.one<RoleBinding>(sql`
    insert into role_bindings (id, organization_id, account_sid, principal_type, principal_ref, role, scope_kind,
      environment, source, created_by, expires_at, created_at)
    values (${newUuid(t.now)}, ${organizationId}, ${t.accountSid}, 'USER', ${userSid}, ${staffRole}, ${oneAccount}, 'both',
      ${`staff:${grant.case}`}, ${principalName(t.principal)}, ${expiresAt}, ${t.now})
    returning ${columns}`);
  const facts = { userSid, case: grant.case, expiresAt: expiresAt.toISOString() };
  audit(t, { action: 'staff.granted', resource: made.id, facts });
  emit(t, roleBindingEvents.created, made);
  return made;
}

/** Ends the grants of a person on the account, at once; only those given until then, where that is said. Tells how many there were. */
export async function revokeStaff(
  t: TenantTx,
  userSid: string,
  reason: string,
  { until = null }: { until?: Date | null } = {},
): Promise<number> {
  const revoked = await t.many<RoleBinding>(sql`
    update role_bindings set revoked_at = ${t.now}, revoked_by = ${principalName(t.principal)}, revoke_reason = ${reason}
     where account_sid = ${t.accountSid} and principal_ref = ${userSid} and ${isStaffGrant} and revoked_at is null
       and expires_at > ${t.now} and (${until}::timestamptz is null or created_at <= ${until})
    returning ${columns}`);
  for (const binding of revoked) announceRevocation(t, binding);
  return revoked.length;
}

export type StaffGrant = {
  id: string;
  accountSid: string | null;
  userSid: string;
  case: string;
  expiresAt: string;
  createdAt: string;
};

type Which = { accountSid?: string; userSid?: string; until?: Date };

/** Those in force, the one that ends first at the top: all of them, or of one account or person, or those given until then. */
export const staffGrants = (
  q: Queries,
  now: Date,
  { accountSid, userSid, until }: Which = {},
): Promise<StaffGrant[]> =>
  q.many<StaffGrant>(sql`
    select id, account_sid as "accountSid", principal_ref as "userSid", substr(source, length('staff:') + 1) as "case",
      expires_at as "expiresAt", created_at as "createdAt"
      from role_bindings
     where ${isStaffGrant} and revoked_at is null and expires_at > ${now}
       and (${accountSid ?? null}::text is null or account_sid = ${accountSid ?? null})
       and (${userSid ?? null}::text is null or principal_ref = ${userSid ?? null})
       and (${until ?? null}::timestamptz is null or created_at <= ${until ?? null})
     order by expires_at, id`);
