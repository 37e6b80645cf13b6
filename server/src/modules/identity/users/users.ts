// The life of a user: invited, active, deactivated, active again. A user belongs to the organization and stands in
// both environments; who never accepted an invitation can be withdrawn and leaves no trace but the audit entry.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { findAccount } from '../../accounts/index.ts';
import { audit } from '../../audit/index.ts';
import { ownersOf, refuseRemovingLastOwner, revokeBindingsOf } from '../../roles/index.ts';
import { demandOrganizationReach } from '../organization-reach.ts';
import { endSessions } from '../sessions/sessions.ts';
import { loseStaffGrants } from '../staff/end-grants.ts';
import type { ProfileChange, User, UserStatus } from './schema.ts';

type Row = Omit<User, 'object' | 'invitation'> & {
  sentAt: string | null;
  expiresAt: string | null;
  invitedBy: string | null;
  invitedAt: string | null;
};

const columns = sql`u.sid, u.organization_id as "organizationId", u.email, u.display_name as "displayName", u.status,
  u.locale, u.created_at as "createdAt", u.updated_at as "updatedAt", i.sent_at as "sentAt",
  i.expires_at as "expiresAt", i.invited_by as "invitedBy", i.created_at as "invitedAt"`;

const source = sql`users u left join lateral (
    select sent_at, expires_at, invited_by, created_at from invitations
     where user_sid = u.sid and accepted_at is null and u.status = 'INVITED'
     order by created_at desc, id desc limit 1) i on true`;

function toUser({ sentAt, expiresAt, invitedBy, invitedAt, createdAt, updatedAt, ...row }: Row): User {
  const invitation =
    invitedAt === null
      ? null
      : { sentAt, expiresAt: expiresAt!, invitedBy: invitedBy!, createdAt: invitedAt };
  return { object: 'user', ...row, invitation, createdAt, updatedAt };
}

export const organizationOf = async (t: TenantTx): Promise<string> =>
  (await findAccount(t, t.accountSid))!.organizationId;

export async function listUsers(t: TenantTx, pager: Pager, status?: UserStatus) {
  const [sid] = pager.after ?? [null];
  const rows = await t.many<Row>(sql`
    select ${columns} from ${source}
     where u.organization_id = ${await organizationOf(t)} and (${sid}::text is null or u.sid < ${sid})
       and (${status ?? null}::text is null or u.status = ${status ?? null})
     order by u.sid desc limit ${pager.fetch}`);
  return pager.page(rows, (row) => [row.sid], toUser);
}

export async function getUser(t: TenantTx, userSid: string): Promise<User> {
  const row = await t.maybe<Row>(sql`
    select ${columns} from ${source} where u.organization_id = ${await organizationOf(t)} and u.sid = ${userSid}`);
  if (!row) throw new ApiError('NOT_FOUND');
  return toUser(row);
}

/** The user's status, with the row held until the transaction ends. */
export async function lockUser(t: TenantTx, userSid: string): Promise<UserStatus> {
  const row = await t.maybe<{ status: UserStatus }>(sql`
    select status from users where organization_id = ${await organizationOf(t)} and sid = ${userSid} for update`);
  if (!row) throw new ApiError('NOT_FOUND');
  return row.status;
}

/** Ends everything a person can do, at once: sessions, roles, links that are still on their way. */
export async function deactivateUser(t: TenantTx, userSid: string, reason: string): Promise<User> {
  await demandOrganizationReach(t, 'users:write');
  const status = await lockUser(t, userSid);
  if (status === 'DEACTIVATED') return getUser(t, userSid);
  if (status === 'INVITED') {
    throw new ApiError('CONFLICT', { message: 'Who has not accepted yet is withdrawn, not deactivated.' });
  }
  await refuseTouchingOwner(t, userSid);
  await refuseRemovingLastOwner(t, userSid, (others) => activeAmong(t, others));
  await setStatus(t, userSid, 'DEACTIVATED');
  const sessions = await endEverything(t, userSid, reason);
  audit(t, { action: 'user.deactivated', resource: userSid, facts: { reason, sessions } });
  return getUser(t, userSid);
}

/** The person may sign in again. Roles do not come back: they are granted anew by whoever wants that. */
export async function reactivateUser(t: TenantTx, userSid: string): Promise<User> {
  await demandOrganizationReach(t, 'users:write');
  const status = await lockUser(t, userSid);
  if (status === 'ACTIVE') return getUser(t, userSid);
  if (status === 'INVITED')
    throw new ApiError('CONFLICT', { message: 'The invitation is not accepted yet.' });
  await setStatus(t, userSid, 'ACTIVE');
  // Also those that were given while the person was being deactivated.
  await loseStaffGrants(t, userSid);
  audit(t, { action: 'user.reactivated', resource: userSid });
  return getUser(t, userSid);
}

export async function endEverything(t: TenantTx, userSid: string, reason: string): Promise<number> {
  const sessions = await endSessions(t, t.now, { userSid }, reason);
  await revokeBindingsOf(t, userSid, reason);
  await loseStaffGrants(t, userSid);
  await forgetOpenLinks(t, userSid);
  return sessions;
}

/** Links that were sent and sign-ins that were begun lead nowhere any more. */
export async function forgetOpenLinks(t: TenantTx, userSid: string): Promise<void> {
  await t.run(sql`delete from pending_sign_ins where user_sid = ${userSid}`);
  await t.run(
    sql`update password_resets set used_at = ${t.now} where user_sid = ${userSid} and used_at is null`,
  );
}

function setStatus(t: TenantTx, userSid: string, status: UserStatus): Promise<number> {
  return t.run(sql`
    update users set status = ${status}, version = version + 1, updated_at = ${t.now} where sid = ${userSid}`);
}

/** Only an owner takes an owner's access away; the directory does so on the organization's behalf. */
export async function refuseTouchingOwner(t: TenantTx, userSid: string): Promise<void> {
  const { principal } = t;
  if (principal.kind === 'system' || principal.kind === 'directory') return;
  if (principal.scopesOn(t.accountSid)?.has('organization:own')) return;
  if (!(await ownersOf(t)).includes(userSid)) return;
  throw new ApiError('AUTHORIZATION_ERROR', {
    details: [{ path: 'userSid', issue: 'is an owner: only an owner may do this to them' }],
  });
}

export async function activeAmong(t: TenantTx, userSids: string[]): Promise<string[]> {
  const rows = await t.many<{ sid: string }>(sql`
    select sid from users where sid = any (${userSids}) and status = 'ACTIVE'`);
  return rows.map(({ sid }) => sid);
}

export async function changeProfile(t: TenantTx, userSid: string, change: ProfileChange): Promise<User> {
  await t.run(sql`
    update users set display_name = coalesce(${change.displayName ?? null}, display_name),
      locale = coalesce(${change.locale ?? null}, locale), version = version + 1, updated_at = ${t.now}
     where sid = ${userSid}`);
  audit(t, {
    action: 'user.profile_changed',
    resource: userSid,
    facts: { fields: Object.keys(change).sort() },
  });
  return getUser(t, userSid);
}
