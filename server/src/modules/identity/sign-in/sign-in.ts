// Signing in by password. An unknown person, a wrong password and a deactivated user take the same steps, cost one hash
// and give the same answer; what differs afterwards is hidden behind a fixed wait.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SystemTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { demandSolution } from '../../../platform/http/limits/proof-of-work.ts';
import type { Answer, Open } from '../../../platform/http/operations/operation.ts';
import { audit } from '../../audit/index.ts';
import { bindingsOf } from '../../roles/index.ts';
import { onHomeAccount } from '../home-account.ts';
import {
  countAttempt,
  countsOf,
  forgiveAttempt,
  type Subjects,
  subjectsOf,
  tooManyAttempts,
} from '../passwords/attempts.ts';
import { type Hasher, isOutdated, withHasher } from '../passwords/password-hash.ts';
import { policyOf } from '../policy/policy.ts';
import type { AuthPolicy } from '../policy/schema.ts';
import type { Browser } from '../sessions/browser.ts';
import { continueSignIn, secondFactorsOf } from './continue-sign-in.ts';
import type { Credentials, SignIn } from './schema.ts';

const challengeAfter = 5;
// A hundred guesses an hour at one person, however many addresses and solved challenges they come with.
const mostPerPerson = 25;
// Longer than anything that is written down about a failure takes.
const failureWaitMs = 100;

type Found = { sid: string; organizationId: string; status: string; passwordHash: string };

export async function signInByPassword(
  call: Open,
  input: Credentials,
  browser: Browser,
): Promise<Answer<SignIn>> {
  const subjects = subjectsOf('password', input.email, browser.address);
  const solved = await passGuards(call, subjects, input.captcha);
  const user = await withHasher(async (hasher) => {
    // Counted before it is judged, and committed: a refusal below takes nothing back.
    const counts = await call.database.system((s) => countAttempt(s, subjects, call.now));
    if (!solved && Math.max(counts.person, counts.address) > challengeAfter) {
      throw new ApiError('CAPTCHA_REQUIRED');
    }
    return findByPassword(call, hasher, input);
  });
  if (user.matched === null) return refuse(call, user.known, browser);
  const { sid: userSid, organizationId } = user.matched;
  await call.database.system((s) => forgiveAttempt(s, subjects));
  const livemode = input.environment !== 'sandbox';
  await refuseByPolicy(call, user.matched, livemode);
  return continueSignIn(call, {
    userSid,
    organizationId,
    livemode,
    methods: ['password'],
    providerId: null,
    browser,
  });
}

/** True when a solved challenge came along, so that it is not asked for twice. */
async function passGuards(call: Open, subjects: Subjects, captcha: string | undefined): Promise<boolean> {
  const counts = await call.database.system((s) => countsOf(s, subjects, call.now));
  if (counts.person >= mostPerPerson) throw tooManyAttempts('sign-ins', mostPerPerson, counts, call.now);
  if (Math.max(counts.person, counts.address) < challengeAfter) return false;
  await demandSolution(call, captcha);
  return true;
}

async function findByPassword(call: Open, hasher: Hasher, { email, password }: Credentials) {
  const found = await call.database.system((s) => findBySignIn(s, email));
  const right = await hasher.matches(password, found?.passwordHash ?? null);
  const known = found ?? null;
  if (!right || found?.status !== 'ACTIVE') return { matched: null, known };
  if (isOutdated(found.passwordHash)) {
    const passwordHash = await hasher.hash(password);
    await call.database.system((s) =>
      s.run(sql`
        update users set password_hash = ${passwordHash}
         where sid = ${found.sid} and password_hash = ${found.passwordHash}`),
    );
  }
  return { matched: found, known };
}

export function findBySignIn(s: SystemTx, email: string): Promise<Found | undefined> {
  return s.maybe<Found>(sql`
    select sid, organization_id as "organizationId", status, password_hash as "passwordHash"
      from users where lower(email) = lower(${email.trim()}) and password_hash is not null`);
}

/** Written down where the organization can see it; nobody can tell from the answer, or from its time, whether it was. */
async function refuse(call: Open, known: Found | null, { address }: Browser): Promise<never> {
  const writeDown =
    known &&
    onHomeAccount(call, { organizationId: known.organizationId, livemode: true }, async (t) =>
      audit(t, { action: 'sign_in.failed', resource: known.sid, facts: { address } }),
    );
  await Promise.all([writeDown, sleep(failureWaitMs)]);
  throw new ApiError('AUTHENTICATION_ERROR');
}

/** Told only to whoever proved to know the password. */
async function refuseByPolicy(call: Open, user: Found, livemode: boolean): Promise<void> {
  const { organizationId, sid } = user;
  const { policy, breakGlass } = await call.database.system(async (s) => {
    const found = await policyOf(s, organizationId);
    return { policy: found, breakGlass: await mayBreakGlass(s, found, sid, call.now) };
  });
  if (policy.passwordLoginEnabled && (!policy.ssoEnforced || breakGlass)) {
    if (!policy.ssoEnforced) return;
    return onHomeAccount(call, { organizationId, livemode }, async (t) =>
      audit(t, { action: 'sign_in.break_glass', resource: sid }),
    );
  }
  const issue = 'is not accepted by this organization: sign in through its identity provider';
  throw new ApiError('AUTHORIZATION_ERROR', { details: [{ path: 'password', issue }] });
}

/** An owner with a second factor keeps a way in for the day the provider is broken; see docs/decisions. */
async function mayBreakGlass(
  s: SystemTx,
  { ssoEnforced }: AuthPolicy,
  userSid: string,
  now: Date,
): Promise<boolean> {
  if (!ssoEnforced) return false;
  const bindings = await bindingsOf(s, 'USER', userSid);
  const owns = bindings.some(
    ({ role, scopeKind, expiresAt }) =>
      role === 'OWNER' && scopeKind === 'ORGANIZATION' && (expiresAt === null || new Date(expiresAt) > now),
  );
  return owns && (await secondFactorsOf(s, userSid)).required;
}
