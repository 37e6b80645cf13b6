// Adding a factor: a ceremony is begun, the person proves that the new factor works, and only then does it count.

import type { Queries, TenantTx } from '../../../platform/db/database.ts';
import { isUniqueViolation } from '../../../platform/db/failures.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { sha256 } from '../../../platform/hashing.ts';
import { stepUpRequired } from '../../../platform/http/operations/step-up.ts';
import { newUuid, randomToken } from '../../../platform/ids.ts';
import { audit } from '../../audit/index.ts';
import { personOf, type SignedIn } from '../people.ts';
import { addFactorAction } from '../step-up-actions.ts';
import { columns, lockPerson, type Row, toCredential } from './credentials.ts';
import { backsFactors, type FactorMethod } from './provider-keys.ts';
import { hasRecoveryCodes, makeRecoveryCodes } from './recovery-codes.ts';
import type { EnrolledCredential, EnrollmentCompletion, MfaEnrollment, NewEnrollment } from './schema.ts';
import { newTotpSecret, otpauthUri, stepOfCode } from './totp.ts';
import { rememberProof, totpSecretContext } from './verify-factor.ts';
import { ceremonyMs, creationOptions, judgeRegistration, type KnownKey } from './webauthn.ts';

// More than anybody carries; a bound on what one person can make everyone's sign-in read.
const maxCredentials = 20;

const sealContext = (enrollmentId: string) => `mfa-enrollment:${enrollmentId}`;

/** What the ceremony remembers until it is completed: the challenge, or the app's secret. */
type Ceremony = { challenge: string } | { secret: string };

export async function beginEnrollment(t: TenantTx, input: NewEnrollment): Promise<MfaEnrollment> {
  const person = personOf(t.principal);
  const { method, providerKey, displayName = null } = input;
  await refuseUnproven(t, person);
  if (!(await backsFactors(t, person.organizationId, method, providerKey))) throw unbacked(method);
  const begun = await begin(t, person, method);
  const id = newUuid(t.now);
  const ceremonyRef = randomToken();
  const sealed = t.sealer.seal(JSON.stringify(begun.ceremony), sealContext(id));
  const row = await t.one<{ expiresAt: string; createdAt: string }>(sql`
    insert into mfa_enrollments (id, organization_id, user_sid, session_id, method, provider_key, display_name,
      ceremony_hash, sealed_ceremony, expires_at, created_at)
    values (${id}, ${person.organizationId}, ${person.userSid}, ${person.sessionId}, ${method}, ${providerKey},
      ${displayName}, ${sha256(ceremonyRef)}, ${sealed}, ${new Date(t.now.getTime() + ceremonyMs)}, ${t.now})
    returning expires_at as "expiresAt", created_at as "createdAt"`);
  const { accountSid, livemode } = t;
  const named = { object: 'mfa_enrollment' as const, id, accountSid, livemode };
  return { ...named, method, providerKey, displayName, ceremonyRef, ...begun.told, ...row };
}

const unbacked = (method: FactorMethod) =>
  invalid({ path: 'providerKey', issue: `names no provider of ${method} factors that is active` });

/**
 * Whoever took over a session must not make themselves a factor: a person who has one proves it first, in the same
 * session, at sign-in or by a step-up. Factors that are turned off count too; only a reset frees their owner.
 */
async function refuseUnproven(q: Queries, { userSid, sessionId }: SignedIn): Promise<void> {
  const { held, proven } = await q.one<{ held: number; proven: boolean }>(sql`
    select methods && array['webauthn', 'totp', 'recovery_code'] as proven,
      (select count(*)::int from mfa_credentials where user_sid = ${userSid}) as held
      from sessions where id = ${sessionId}`);
  if (held > 0 && !proven) throw stepUpRequired(addFactorAction);
  if (held >= maxCredentials) {
    throw new ApiError('CONFLICT', { message: `A person has at most ${maxCredentials} factors.` });
  }
}

async function begin(t: TenantTx, { userSid }: SignedIn, method: FactorMethod) {
  const user = await t.one<{ email: string; displayName: string | null }>(sql`
    select email, display_name as "displayName" from users where sid = ${userSid}`);
  if (method === 'TOTP') {
    const secret = newTotpSecret();
    const ceremony: Ceremony = { secret };
    return {
      ceremony,
      told: { publicKey: null, totp: { secret, uri: otpauthUri('Godwit', user.email, secret) } },
    };
  }
  const known = await t.many<KnownKey>(sql`
    select webauthn_id as "webauthnId", coalesce(webauthn_transports, '{}') as transports from mfa_credentials
     where user_sid = ${userSid} and method = 'WEBAUTHN' and webauthn_id is not null order by created_at, id`);
  const challenge = randomToken();
  const ceremony: Ceremony = { challenge };
  const publicKey = await creationOptions(t.site, challenge, { userSid, ...user }, known);
  return { ceremony, told: { publicKey: { ...publicKey }, totp: null } };
}

type EnrollmentRow = {
  id: string;
  method: FactorMethod;
  providerKey: string;
  displayName: string | null;
  ceremonyHash: Buffer;
  sealedCeremony: Buffer;
  completed: boolean;
};

export async function completeEnrollment(
  t: TenantTx,
  enrollmentId: string,
  { ceremonyRef, response }: EnrollmentCompletion,
): Promise<EnrolledCredential> {
  const person = personOf(t.principal);
  await lockPerson(t, person.userSid);
  const enrollment = await findEnrollment(t, person, enrollmentId);
  if (!enrollment.ceremonyHash.equals(sha256(ceremonyRef))) {
    throw invalid({ path: 'ceremonyRef', issue: 'is not the one this enrollment was given' });
  }
  if (enrollment.completed) throw new ApiError('CONFLICT', { message: 'The enrollment is completed.' });
  await refuseUnproven(t, person);
  const { method, providerKey } = enrollment;
  if (!(await backsFactors(t, person.organizationId, method, providerKey))) throw unbacked(method);
  await t.run(sql`update mfa_enrollments set completed_at = ${t.now} where id = ${enrollmentId}`);
  const row = await storeFactor(t, person, enrollment, response);
  await rememberProof(t, person.sessionId, method);
  const first = !(await hasRecoveryCodes(t, person.userSid));
  const recoveryCodes = first ? await makeRecoveryCodes(t, t.sealer, person, t.now) : null;
  audit(t, {
    action: 'mfa_credential.created',
    resource: row.id,
    facts: { userSid: row.userSid, method, providerKey },
  });
  return { ...toCredential(t, row), recoveryCodes };
}

async function findEnrollment(
  t: TenantTx,
  { userSid, sessionId }: SignedIn,
  enrollmentId: string,
): Promise<EnrollmentRow> {
  const found = await t.maybe<EnrollmentRow>(sql`
    select id, method, provider_key as "providerKey", display_name as "displayName", ceremony_hash as "ceremonyHash",
      sealed_ceremony as "sealedCeremony", completed_at is not null as completed
      from mfa_enrollments
     where id = ${enrollmentId} and user_sid = ${userSid} and session_id = ${sessionId} and expires_at > ${t.now}`);
  if (!found) throw new ApiError('NOT_FOUND');
  return found;
}

async function storeFactor(
  t: TenantTx,
  person: SignedIn,
  enrollment: EnrollmentRow,
  response: string,
): Promise<Row> {
  const ceremony = JSON.parse(
    t.sealer.open(enrollment.sealedCeremony, sealContext(enrollment.id)).toString('utf8'),
  ) as Ceremony;
  return 'secret' in ceremony
    ? storeTotp(t, person, enrollment, ceremony.secret, response)
    : storePasskey(t, person, enrollment, ceremony.challenge, response);
}

const wrongResponse = () => invalid({ path: 'response', issue: 'does not prove the new factor' });

async function storeTotp(
  t: TenantTx,
  { organizationId, userSid }: SignedIn,
  { providerKey, displayName }: EnrollmentRow,
  secret: string,
  code: string,
): Promise<Row> {
  const step = stepOfCode(secret, code, t.now);
  if (step === null) throw wrongResponse();
  const id = newUuid(t.now);
  // The step is spent: the code that proved the app proves nothing else.
  return t.one<Row>(sql`
    insert into mfa_credentials as c (id, organization_id, user_sid, method, provider_key, display_name, sealed_secret,
      last_step, created_at)
    values (${id}, ${organizationId}, ${userSid}, 'TOTP', ${providerKey}, ${displayName},
      ${t.sealer.seal(secret, totpSecretContext(id))}, ${step}, ${t.now})
    returning ${columns}`);
}

async function storePasskey(
  t: TenantTx,
  { organizationId, userSid }: SignedIn,
  { providerKey, displayName }: EnrollmentRow,
  challenge: string,
  response: string,
): Promise<Row> {
  const key = await judgeRegistration(t.site, response, challenge);
  if (!key) throw wrongResponse();
  try {
    return await t.one<Row>(sql`
      insert into mfa_credentials as c (id, organization_id, user_sid, method, provider_key, display_name, webauthn_id,
        webauthn_public_key, webauthn_counter, webauthn_transports, webauthn_backed_up, created_at)
      values (${newUuid(t.now)}, ${organizationId}, ${userSid}, 'WEBAUTHN', ${providerKey}, ${displayName},
        ${key.webauthnId}, ${key.publicKey}, ${key.counter}, ${key.transports}, ${key.backedUp}, ${t.now})
      returning ${columns}`);
  } catch (error) {
    // An authenticator's id names one authenticator; a second owner of it is nobody honest.
    if (isUniqueViolation(error)) throw wrongResponse();
    throw error;
  }
}
