// Changing a password one knows, and recovering one that is lost. Both end what the old password opened.
import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { sha256 } from '../../../platform/hashing.ts';
import { demandSolution } from '../../../platform/http/limits/proof-of-work.ts';
import { Answer, type Open } from '../../../platform/http/operations/operation.ts';
import { newUuid, randomToken } from '../../../platform/ids.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import { audit } from '../../audit/index.ts';
import { asPerson, onHomeAccount } from '../home-account.ts';
import { resetFactors } from '../mfa/credentials.ts';
import { describeSession, withCookie } from '../own-sessions/own-session.ts';
import {
  countAttempt,
  countsOf,
  forgiveAttempt,
  subjectsOf,
  tooManyAttempts,
} from '../passwords/attempts.ts';
import { withHasher } from '../passwords/password-hash.ts';
import { refuseWeakPassword } from '../passwords/password-rules.ts';
import { personOf } from '../people.ts';
import { policyOf } from '../policy/policy.ts';
import { endSessions, rotateSession } from '../sessions/sessions.ts';
import { findBySignIn } from '../sign-in/sign-in.ts';
import { forgetOpenLinks } from '../users/users.ts';
import { sendPasswordNotice, sendPasswordReset } from './jobs.ts';
import type { PasswordChange, PasswordReset, Recovery } from './schema.ts';

const challengeAfter = 5;
const mailsPerWindow = 3;
const resetValidMs = 60 * 60_000;
// Longer than preparing a mail takes, so that nobody can tell by the time whether one was.
const recoveryWaitMs = 100;

type Own = { email: string; passwordHash: string | null };

export async function changePassword(call: Open, input: PasswordChange, address: string) {
  const { userSid, organizationId, sessionId } = personOf(call.principal);
  const own = await call.database.system((s) =>
    s.one<Own>(sql`select email, password_hash as "passwordHash" from users where sid = ${userSid}`),
  );
  refuseWeakPassword(input.newPassword, own.email, 'newPassword');
  const passwordHash = await withHasher(async (hasher) => {
    const subjects = subjectsOf('password', own.email, address);
    const counts = await call.database.system((s) => countAttempt(s, subjects, call.now));
    // Whoever sits at an open session must not guess the password there either.
    if (counts.person > challengeAfter) {
      throw tooManyAttempts('password-changes', challengeAfter, counts, call.now);
    }
    if (!(await hasher.matches(input.currentPassword, own.passwordHash))) {
      throw invalid({ path: 'currentPassword', issue: 'is not the current password' });
    }
    await call.database.system((s) => forgiveAttempt(s, subjects));
    return hasher.hash(input.newPassword);
  });
  const { livemode } = call.principal;
  const { rotated, session } = await onHomeAccount(call, { organizationId, livemode }, async (t) => {
    const next = await rotateSession(t, t.now, sessionId);
    if (!next) throw new ApiError('AUTHENTICATION_ERROR');
    const { id, token } = next;
    await setPassword(t, userSid, passwordHash, id);
    audit(t, { action: 'password.changed', resource: userSid });
    return { rotated: next, session: await describeSession(t, { id, token, userSid }) };
  });
  return withCookie(session, rotated, call.now);
}

/** The new password ends every other session and every link that was sent. */
async function setPassword(
  t: TenantTx,
  userSid: string,
  passwordHash: string,
  keepSession?: string,
): Promise<void> {
  await t.run(sql`
    update users set password_hash = ${passwordHash}, password_changed_at = ${t.now}, version = version + 1,
      updated_at = ${t.now}
     where sid = ${userSid}`);
  await endSessions(t, t.now, { userSid, ...(keepSession && { exceptId: keepSession }) }, 'password_changed');
  await forgetOpenLinks(t, userSid);
  enqueue(t, sendPasswordNotice, { userSid, notice: 'password-changed' });
}

/** Always the same answer after the same time; whether a mail was sent is known only to whoever reads that mailbox. */
export async function recoverPassword(call: Open, { email, captcha }: Recovery, address: string) {
  const subjects = subjectsOf('recovery', email, address);
  const before = await call.database.system((s) => countsOf(s, subjects, call.now));
  if (before.address >= challengeAfter) await demandSolution(call, captcha);
  const counts = await call.database.system((s) => countAttempt(s, subjects, call.now));
  const prepare = counts.person <= mailsPerWindow ? prepareReset(call, email) : null;
  await Promise.all([prepare, sleep(recoveryWaitMs)]);
  return new Answer(202, { object: 'password_recovery', status: 'accepted' });
}

async function prepareReset(call: Open, email: string): Promise<void> {
  const user = await call.database.system((s) => findBySignIn(s, email));
  if (user?.status !== 'ACTIVE') return;
  const { sid: userSid, organizationId } = user;
  await onHomeAccount(call, { organizationId, livemode: true }, async (t) => {
    const { passwordLoginEnabled } = await policyOf(t, organizationId);
    if (!passwordLoginEnabled) return;
    const resetId = newUuid(t.now);
    await t.run(sql`
      insert into password_resets (id, organization_id, user_sid, token_hash, expires_at, created_at)
      values (${resetId}, ${organizationId}, ${userSid}, ${sha256(randomToken())},
        ${new Date(t.now.getTime() + resetValidMs)}, ${t.now})`);
    audit(t, { action: 'password.recovery_requested', resource: userSid });
    enqueue(t, sendPasswordReset, { resetId });
  });
}

type Reset = { id: string; userSid: string; organizationId: string; email: string };

const badToken = () => invalid({ path: 'token', issue: 'is not valid, has expired or was used' });

export async function resetPassword(call: Open, { token, newPassword }: PasswordReset) {
  const { reset, policy } = await call.database.system(async (s) => {
    const found = await s.maybe<Reset>(sql`
      select r.id, r.user_sid as "userSid", r.organization_id as "organizationId", u.email
        from password_resets r join users u on u.sid = r.user_sid and u.status = 'ACTIVE'
       where r.token_hash = ${sha256(token)} and r.used_at is null and r.expires_at > ${call.now}`);
    if (!found) throw badToken();
    return { reset: found, policy: await policyOf(s, found.organizationId) };
  });
  refuseWeakPassword(newPassword, reset.email, 'newPassword');
  const passwordHash = await withHasher((hasher) => hasher.hash(newPassword));
  const { id, userSid, organizationId } = reset;
  const where = { organizationId, livemode: true };
  await onHomeAccount(asPerson(call, { userSid, ...where }), where, async (t) => {
    const used = await t.run(sql`
      update password_resets set used_at = ${t.now} where id = ${id} and used_at is null and expires_at > ${t.now}`);
    if (used === 0) throw badToken();
    await setPassword(t, userSid, passwordHash);
    audit(t, {
      action: 'password.recovered',
      resource: userSid,
      facts: { mfaRevoked: policy.recoveryRevokesMfa },
    });
    if (!policy.recoveryRevokesMfa) return;
    await resetFactors(t, userSid);
    enqueue(t, sendPasswordNotice, { userSid, notice: 'mfa-removed' });
  });
  return { object: 'password_reset', status: 'completed', mfaRevoked: policy.recoveryRevokesMfa };
}
