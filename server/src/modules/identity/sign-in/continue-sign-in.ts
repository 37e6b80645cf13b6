// After the first step of a sign-in: a session at once, or a second step for whoever has a second factor.
import type { Queries } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { sha256 } from '../../../platform/hashing.ts';
import { Answer, type Open } from '../../../platform/http/operations/operation.ts';
import { randomToken } from '../../../platform/ids.ts';
import { audit } from '../../audit/index.ts';
import { asPerson, onHomeAccount } from '../home-account.ts';
import { lockBacking } from '../mfa/provider-keys.ts';
import {
  factorsOf,
  startCeremony,
  type VerificationMethod,
  type VerifiedFactor,
  verifyFactor,
} from '../mfa/verify-factor.ts';
import { describeSession, noStore, withCookie } from '../own-sessions/own-session.ts';
import { policyOf } from '../policy/policy.ts';
import { lockActiveProvider } from '../providers/providers.ts';
import type { Browser } from '../sessions/browser.ts';
import { endReplaced, type SignInMethod, startSession } from '../sessions/sessions.ts';
import type { SecondStep, SignIn } from './schema.ts';

export type FirstStep = {
  userSid: string;
  organizationId: string;
  livemode: boolean;
  methods: SignInMethod[];
  providerId: string | null;
  /** What backed the second factor, once one is proven. */
  factor?: VerifiedFactor['credential'];
  browser: Browser;
};

const pendingMs = 10 * 60_000;
const action = 'SIGN_IN';

/**
 * A factor that was guessed at until it was turned off still demands a second step: otherwise guessing would remove it.
 * Recovery codes, or an administrator, are then the way in.
 */
export async function secondFactorsOf(
  q: Queries,
  userSid: string,
): Promise<{ required: boolean; methods: VerificationMethod[] }> {
  const { required } = await q.one<{ required: boolean }>(sql`
    select exists (select from mfa_credentials where user_sid = ${userSid}) as required`);
  if (!required) return { required, methods: [] };
  const usable = (await factorsOf(q, userSid)).map(({ method }) => method);
  return { required, methods: [...new Set<VerificationMethod>([...usable, 'RECOVERY_CODE'])] };
}

export async function continueSignIn(call: Open, first: FirstStep): Promise<Answer<SignIn>> {
  const { required, methods } = await call.database.system((s) => secondFactorsOf(s, first.userSid));
  if (!required) return openSession(call, first);
  const signInToken = randomToken();
  const context = ceremonyOf(call, first);
  const webauthn = await call.database.system(async (s) => {
    await s.run(sql`
      insert into pending_sign_ins (token_hash, organization_id, user_sid, livemode, methods, provider_id, expires_at,
        created_at)
      values (${sha256(signInToken)}, ${first.organizationId}, ${first.userSid}, ${first.livemode}, ${first.methods},
        ${first.providerId}, ${new Date(call.now.getTime() + pendingMs)}, ${call.now})`);
    return startCeremony(s, context);
  });
  const body: SignIn = {
    object: 'sign_in',
    status: 'second_factor_required',
    session: null,
    signInToken,
    methods,
    webauthn,
  };
  return new Answer(200, body, noStore);
}

const ceremonyOf = ({ now, site, sealer }: Open, { userSid, organizationId }: FirstStep) => ({
  userSid,
  organizationId,
  sessionId: null,
  accountSid: null,
  action,
  now,
  site,
  sealer,
});

/** The second step. A wrong proof leaves the first step standing until it expires; attempts are counted by factor. */
export async function proveSecondFactor(
  call: Open,
  step: SecondStep,
  browser: Browser,
): Promise<Answer<SignIn>> {
  const { signInToken, ...proof } = step;
  const pending = await call.database.system((s) =>
    s.maybe<Omit<FirstStep, 'browser'>>(sql`
      select p.user_sid as "userSid", p.organization_id as "organizationId", p.livemode, p.methods,
        p.provider_id as "providerId"
        from pending_sign_ins p join users u on u.sid = p.user_sid and u.status = 'ACTIVE'
       where p.token_hash = ${sha256(signInToken)} and p.expires_at > ${call.now}`),
  );
  if (!pending) throw new ApiError('AUTHENTICATION_ERROR');
  const first: FirstStep = { ...pending, browser };
  const { method, credential } = await verifyFactor(call, ceremonyOf(call, first), proof);
  const spent = await call.database.system((s) =>
    s.run(sql`delete from pending_sign_ins where token_hash = ${sha256(signInToken)}`),
  );
  if (spent === 0) throw new ApiError('AUTHENTICATION_ERROR');
  const methods = [...first.methods, method.toLowerCase() as SignInMethod];
  return openSession(call, { ...first, methods, factor: credential });
}

/** Starts a session for a person who has proved all that is asked of them, and hands it to the browser. */
export async function openSession(call: Open, first: FirstStep): Promise<Answer<SignIn>> {
  const { userSid, organizationId, livemode, methods, providerId, factor, browser } = first;
  await call.database.system((s) => endReplaced(s, call.now, browser.cookie, livemode));
  const { started, session } = await onHomeAccount(asPerson(call, first), first, async (t) => {
    await lockActive(t, userSid);
    if (providerId !== null && !(await lockActiveProvider(t, providerId)))
      throw new ApiError('AUTHENTICATION_ERROR');
    if (factor && !(await lockBacking(t, organizationId, factor.method, factor.providerKey)))
      throw new ApiError('AUTHENTICATION_ERROR');
    const policy = await policyOf(t, organizationId);
    const opened = await startSession(t, t.now, {
      userSid,
      organizationId,
      livemode,
      methods,
      providerId,
      factor,
      address: browser.address,
      userAgent: browser.userAgent,
      absoluteTimeoutHours: policy.sessionAbsoluteTimeoutHours,
    });
    const { id, token } = opened;
    audit(t, {
      action: 'sign_in.succeeded',
      resource: userSid,
      facts: { sessionId: id, methods, providerId },
    });
    return { started: opened, session: await describeSession(t, { id, token, userSid }) };
  });
  const body: SignIn = {
    object: 'sign_in',
    status: 'signed_in',
    session,
    signInToken: null,
    methods: [],
    webauthn: null,
  };
  return withCookie(body, started, call.now);
}

/** A deactivation under way is waited for, so that no session slips out behind it. */
async function lockActive(q: Queries, userSid: string): Promise<void> {
  const active = await q.maybe(sql`
    select 1 from users where sid = ${userSid} and status = 'ACTIVE' for share`);
  if (!active) throw new ApiError('AUTHENTICATION_ERROR');
}
