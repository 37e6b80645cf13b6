// An invitation lets one person, who can read the invited mailbox, choose a password. Its token is made by the job that
// sends it and stored hashed; it works once.
import type { TenantTx } from '../../../platform/db/database.ts';
import { isUniqueViolation } from '../../../platform/db/failures.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { sha256 } from '../../../platform/hashing.ts';
import { type Quota, quotaReached } from '../../../platform/http/limits/rate-limit.ts';
import type { Open } from '../../../platform/http/operations/operation.ts';
import { newSid, newUuid, randomToken } from '../../../platform/ids.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import { principalName } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import { revokeBindingsOf } from '../../roles/index.ts';
import { asPerson, onHomeAccount } from '../home-account.ts';
import { withHasher } from '../passwords/password-hash.ts';
import { refuseWeakPassword } from '../passwords/password-rules.ts';
import { policyOf } from '../policy/policy.ts';
import { sendInvitation } from './jobs.ts';
import type { Acceptance, NewInvitation, User } from './schema.ts';
import { getUser, lockUser, organizationOf } from './users.ts';

const validMs = 7 * 86_400_000;
// A second mail sooner than this helps nobody but whoever wants to fill a mailbox.
const resendAfterMs = 60_000;
const resending: Quota = { name: 'invitation-mails', quota: 1, windowSeconds: resendAfterMs / 1000 };

/** What the address means in other organizations plays no part, so the answer tells nothing of it. */
export async function inviteUser(t: TenantTx, input: NewInvitation): Promise<User> {
  const userSid = newSid('US', t.now);
  const organizationId = await organizationOf(t);
  const made = await t.run(sql`
    insert into users (sid, organization_id, email, display_name, status, locale, created_at, updated_at)
    values (${userSid}, ${organizationId}, ${input.email}, ${input.displayName ?? null}, 'INVITED',
      ${input.locale ?? 'en'}, ${t.now}, ${t.now})
    on conflict (organization_id, lower(email)) do nothing`);
  if (made === 0) {
    throw new ApiError('CONFLICT', {
      message: 'The organization already has a user with this e-mail address.',
    });
  }
  await addInvitation(t, userSid, organizationId);
  audit(t, { action: 'user.invited', resource: userSid });
  return getUser(t, userSid);
}

export async function resendInvitation(t: TenantTx, userSid: string): Promise<User> {
  await demandInvited(t, userSid);
  const { invitation } = await getUser(t, userSid);
  const waitMs = invitation ? new Date(invitation.createdAt).getTime() + resendAfterMs - t.now.getTime() : 0;
  if (waitMs > 0) throw quotaReached(resending, Math.ceil(waitMs / 1000));
  await t.run(sql`
    update invitations set expires_at = ${t.now} where user_sid = ${userSid} and accepted_at is null`);
  await addInvitation(t, userSid, await organizationOf(t));
  audit(t, { action: 'user.invitation_resent', resource: userSid });
  return getUser(t, userSid);
}

/** Who never came is forgotten: the address, the invitation and the roles prepared for them. */
export async function withdrawInvitation(t: TenantTx, userSid: string): Promise<void> {
  await demandInvited(t, userSid);
  await revokeBindingsOf(t, userSid, 'invitation withdrawn');
  await t.run(sql`delete from invitations where user_sid = ${userSid}`);
  await t.run(sql`delete from users where sid = ${userSid} and status = 'INVITED'`);
  audit(t, { action: 'user.invitation_withdrawn', resource: userSid });
}

async function demandInvited(t: TenantTx, userSid: string): Promise<void> {
  if ((await lockUser(t, userSid)) === 'INVITED') return;
  throw new ApiError('CONFLICT', { message: 'The invitation has been accepted.' });
}

async function addInvitation(t: TenantTx, userSid: string, organizationId: string): Promise<void> {
  const invitationId = newUuid(t.now);
  await t.run(sql`
    insert into invitations (id, organization_id, user_sid, token_hash, invited_by, expires_at, created_at)
    values (${invitationId}, ${organizationId}, ${userSid}, ${sha256(randomToken())}, ${principalName(t.principal)},
      ${new Date(t.now.getTime() + validMs)}, ${t.now})`);
  enqueue(t, sendInvitation, { invitationId });
}

type Invited = { id: string; userSid: string; organizationId: string; email: string };

const badToken = () => invalid({ path: 'token', issue: 'is not valid, has expired or was used' });

export async function acceptInvitation(
  call: Open,
  { token, password, displayName }: Acceptance,
): Promise<User> {
  const { invited, policy } = await call.database.system(async (s) => {
    const found = await s.maybe<Invited>(sql`
      select i.id, i.user_sid as "userSid", i.organization_id as "organizationId", u.email
        from invitations i join users u on u.sid = i.user_sid and u.status = 'INVITED'
       where i.token_hash = ${sha256(token)} and i.accepted_at is null and i.expires_at > ${call.now}`);
    if (!found) throw badToken();
    return { invited: found, policy: await policyOf(s, found.organizationId) };
  });
  if (!policy.passwordLoginEnabled || policy.ssoEnforced) {
    const issue = 'is of no use here: this organization signs in through its identity provider';
    throw new ApiError('AUTHORIZATION_ERROR', { details: [{ path: 'password', issue }] });
  }
  refuseWeakPassword(password, invited.email, 'password');
  const passwordHash = await withHasher((hasher) => hasher.hash(password));
  const person = asPerson(call, { ...invited, livemode: true });
  return onHomeAccount(person, { ...invited, livemode: true }, (t) =>
    join(t, invited, { displayName, passwordHash }),
  ).catch((error) => {
    if (!isUniqueViolation(error, 'users_by_sign_in')) throw error;
    // Told only to whoever reads that mailbox.
    const message = 'This e-mail address already signs in to another organization with a password.';
    throw new ApiError('CONFLICT', { message });
  });
}

async function join(
  t: TenantTx,
  { id, userSid }: Invited,
  { displayName, passwordHash }: { displayName: string; passwordHash: string },
): Promise<User> {
  const accepted = await t.run(sql`
    update invitations set accepted_at = ${t.now}
     where id = ${id} and accepted_at is null and expires_at > ${t.now}`);
  const joined = await t.run(sql`
    update users set status = 'ACTIVE', display_name = ${displayName}, password_hash = ${passwordHash},
      password_changed_at = ${t.now}, version = version + 1, updated_at = ${t.now}
     where sid = ${userSid} and status = 'INVITED'`);
  if (accepted === 0 || joined === 0) throw badToken();
  audit(t, { action: 'user.joined', resource: userSid });
  return getUser(t, userSid);
}
