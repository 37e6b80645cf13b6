// The factors a person has: listed, removed by themselves, or all reset by an administrator.
import type { Queries, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { audit } from '../../audit/index.ts';
import { demandOrganizationReach } from '../organization-reach.ts';
import { personOf } from '../people.ts';
import { policyOf } from '../policy/policy.ts';
import { endSessions } from '../sessions/sessions.ts';
import { forgetOpenLinks, lockUser, refuseTouchingOwner } from '../users/users.ts';
import { providerBacks } from './provider-keys.ts';
import { makeRecoveryCodes, removeRecoveryCodes } from './recovery-codes.ts';
import type { MfaCredential } from './schema.ts';

export const columns = sql`id, user_sid as "userSid", method, provider_key as "providerKey",
  display_name as "displayName", webauthn_backed_up as "backedUp", disabled_at is not null as disabled,
  disabled_at is null and ${providerBacks} as usable, last_used_at as "lastUsedAt", created_at as "createdAt"`;

export type Row = Omit<MfaCredential, 'object' | 'accountSid' | 'livemode'>;

export const toCredential = ({ accountSid, livemode }: TenantTx, row: Row): MfaCredential => ({
  object: 'mfa_credential',
  accountSid,
  livemode,
  ...row,
});

export async function listCredentials(t: TenantTx, pager: Pager) {
  const { userSid } = personOf(t.principal);
  const [createdAt, id] = pager.after ?? [null, null];
  const rows = await t.many<Row>(sql`
    select ${columns} from mfa_credentials c
     where user_sid = ${userSid}
       and (${createdAt}::timestamptz is null or (created_at, id) < (${createdAt}, ${id}::uuid))
     order by created_at desc, id desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    (row) => [row.createdAt, row.id],
    (row) => toCredential(t, row),
  );
}

/** One person's factors change one at a time, so that two requests cannot each remove the last but one. */
export async function lockPerson(q: Queries, userSid: string): Promise<void> {
  await q.run(sql`select from users where sid = ${userSid} for update`);
}

export async function deleteCredential(t: TenantTx, credentialId: string): Promise<void> {
  const { userSid, organizationId } = personOf(t.principal);
  await lockPerson(t, userSid);
  const removed = await t.maybe<{ method: string; wasOn: boolean }>(sql`
    delete from mfa_credentials where user_sid = ${userSid} and id = ${credentialId}
    returning method, disabled_at is null as "wasOn"`);
  if (!removed) throw new ApiError('NOT_FOUND');
  const { left } = await t.one<{ left: number }>(sql`
    select count(*)::int as left from mfa_credentials where user_sid = ${userSid} and disabled_at is null`);
  if (left === 0 && removed.wasOn && (await policyOf(t, organizationId)).mfaRequiredForAllRoles) {
    throw new ApiError('CONFLICT', {
      message: 'The organization demands a second factor of everyone: add another before removing the last.',
    });
  }
  // Recovery codes stand in for a factor; without one they would be the only way in.
  if (left === 0) await removeRecoveryCodes(t, userSid);
  audit(t, {
    action: 'mfa_credential.deleted',
    resource: credentialId,
    facts: { userSid, method: removed.method },
  });
}

export async function rotateRecoveryCodes(t: TenantTx) {
  const { accountSid, livemode, now } = t;
  const owner = personOf(t.principal);
  await lockPerson(t, owner.userSid);
  const codes = await makeRecoveryCodes(t, t.sealer, owner, now);
  audit(t, { action: 'recovery_codes.rotated', resource: owner.userSid });
  return { object: 'recovery_codes', accountSid, livemode, codes, createdAt: now.toISOString() };
}

/** An administrator takes the factors of a person who lost them. */
export async function resetFactorsOf(t: TenantTx, userSid: string) {
  await demandOrganizationReach(t, 'roles:write');
  await lockUser(t, userSid);
  await refuseTouchingOwner(t, userSid);
  const { accountSid, livemode, now } = t;
  const removed = await resetFactors(t, userSid);
  return { object: 'mfa_reset', accountSid, livemode, userSid, ...removed, resetAt: now.toISOString() };
}

/** Removes every factor of a person. Their sessions end too: whoever holds a lost factor may sit in one it vouched for. */
export async function resetFactors(t: TenantTx, userSid: string) {
  const credentialsRemoved = await t.run(sql`delete from mfa_credentials where user_sid = ${userSid}`);
  await t.run(sql`delete from mfa_enrollments where user_sid = ${userSid}`);
  await t.run(sql`delete from mfa_ceremonies where user_sid = ${userSid}`);
  const recoveryCodesRemoved = await removeRecoveryCodes(t, userSid);
  const sessionsEnded = await endSessions(t, t.now, { userSid }, 'mfa_reset');
  await forgetOpenLinks(t, userSid);
  const removed = { credentialsRemoved, recoveryCodesRemoved, sessionsEnded };
  audit(t, { action: 'mfa.reset', resource: userSid, facts: removed });
  return removed;
}
