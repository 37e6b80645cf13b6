// Proving a second factor. Whatever is wrong with a proof, the answer is the same; the failure is counted, and codes,
// steps and challenges are spent, in a transaction of their own that outlives the refusal.
import type { Queries, SystemTx, Tenant } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { sha256 } from '../../../platform/hashing.ts';
import { randomToken } from '../../../platform/ids.ts';
import type { Site } from '../../../platform/ports.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import type { Sealer } from '../../../platform/sealing.ts';
import { homeAccount } from '../../accounts/index.ts';
import { audit } from '../../audit/index.ts';
import type { Caller } from '../home-account.ts';
import { countFailure, forgetFailures, isLocked, lockCounter } from './attempts.ts';
import { type FactorMethod, providerBacks } from './provider-keys.ts';
import { spendRecoveryCode } from './recovery-codes.ts';
import { stepOfCode } from './totp.ts';
import {
  ceremonyMs,
  judgeAssertion,
  type KnownAuthenticator,
  type KnownKey,
  type PublicKeyCredentialRequestOptionsJSON,
  readAssertion,
  requestOptions,
} from './webauthn.ts';

export type VerificationMethod = FactorMethod | 'RECOVERY_CODE';

/** Who proves what, where and what for. A ceremony is bound to all of it. */
export type VerificationContext = {
  userSid: string;
  organizationId: string;
  /** Null while somebody still signs in. */
  sessionId: string | null;
  accountSid: string | null;
  action: string;
  now: Date;
  site: Site;
  sealer: Sealer;
};

export type FactorProof = {
  method: VerificationMethod;
  /** The browser's answer as JSON, the code of the app, or a recovery code. */
  assertion: string;
  challenge?: string;
  providerKey?: string;
};

export type Factor = {
  credentialId: string;
  method: FactorMethod;
  providerKey: string;
  displayName: string | null;
};

/** The factors a person can use now: neither turned off nor backed by a suspended provider. */
export function factorsOf(q: Queries, userSid: string): Promise<Factor[]> {
  return q.many<Factor>(sql`
    select id as "credentialId", method, provider_key as "providerKey", display_name as "displayName"
      from mfa_credentials c
     where user_sid = ${userSid} and disabled_at is null and ${providerBacks}
     order by created_at, id`);
}

/** Asks the browser to prove a passkey; null when the person has none. */
export async function startCeremony(
  q: Queries,
  context: VerificationContext,
): Promise<PublicKeyCredentialRequestOptionsJSON | null> {
  const { userSid, organizationId, sessionId, accountSid, action, now, site } = context;
  const known = await q.many<KnownKey>(sql`
    select webauthn_id as "webauthnId", coalesce(webauthn_transports, '{}') as transports from mfa_credentials c
     where user_sid = ${userSid} and method = 'WEBAUTHN' and webauthn_id is not null and disabled_at is null
       and ${providerBacks}
     order by created_at, id`);
  if (known.length === 0) return null;
  const challenge = randomToken();
  await q.run(sql`
    insert into mfa_ceremonies (challenge_hash, organization_id, user_sid, session_id, account_sid, action, expires_at,
      created_at)
    values (${sha256(challenge)}, ${organizationId}, ${userSid}, ${sessionId}, ${accountSid}, ${action},
      ${new Date(now.getTime() + ceremonyMs)}, ${now})`);
  return requestOptions(site, challenge, known);
}

export type VerifiedFactor = {
  method: VerificationMethod;
  /** Null for a recovery code, which is no credential and which no provider backs. */
  credential: { id: string; method: FactorMethod; providerKey: string } | null;
};

export async function verifyFactor(
  caller: Caller,
  context: VerificationContext,
  proof: FactorProof,
): Promise<VerifiedFactor> {
  const { verified, guess } = await caller.database.system((s) => attempt(s, context, proof));
  if (guess) await writeDownGuess(caller, context, proof.method, guess);
  if (!verified) throw new ApiError('AUTHENTICATION_ERROR');
  return verified;
}

/** A wrong proof that was counted, and what the count led to. */
type Guess = { lockedUntil: Date | null; turnedOff: string[] };
type Outcome = { verified: VerifiedFactor | null; guess: Guess | null };

const refused: Outcome = { verified: null, guess: null };

async function attempt(s: SystemTx, context: VerificationContext, proof: FactorProof): Promise<Outcome> {
  const { userSid, now } = context;
  const { method } = proof;
  const counter = await lockCounter(s, `factor:${userSid}:${method}`, now);
  if (isLocked(counter, now)) return refused;
  const { tried, holds, repeated } = await judges[method](s, context, proof);
  if (holds) {
    await forgetFailures(s, counter);
    if (context.sessionId !== null) await rememberProof(s, context.sessionId, method);
    return { verified: { method, credential: holds.credential }, guess: null };
  }
  // Somebody pressed a button twice: it proves nothing again, but whoever knows it does not guess.
  if (repeated) return refused;
  const { lockedUntil, turnOff } = await countFailure(s, counter, now);
  const turnedOff = turnOff ? await turnOffFactors(s, tried, now) : [];
  return { verified: null, guess: { lockedUntil, turnedOff } };
}

/** A session whose person proved a factor may do what asks for one, such as adding another. */
export async function rememberProof(
  q: Queries,
  sessionId: string,
  method: VerificationMethod,
): Promise<void> {
  const name = method.toLowerCase();
  await q.run(sql`
    update sessions set methods = array_append(methods, ${name}::text)
     where id = ${sessionId} and not ${name}::text = any (methods)`);
}

async function turnOffFactors(s: SystemTx, credentialIds: string[], now: Date): Promise<string[]> {
  const rows = await s.many<{ id: string }>(sql`
    update mfa_credentials set disabled_at = ${now}
     where id = any (${credentialIds}::uuid[]) and disabled_at is null returning id`);
  return rows.map(({ id }) => id);
}

/** `tried` are the credentials the proof was held against; recovery codes are none, and cannot be guessed. */
type Judgement = {
  tried: string[];
  holds: Pick<VerifiedFactor, 'credential'> | null;
  /** It was right and has been used before. */
  repeated?: boolean;
};
type Judge = (s: SystemTx, context: VerificationContext, proof: FactorProof) => Promise<Judgement>;

const judges: Record<VerificationMethod, Judge> = {
  TOTP: judgeTotp,
  WEBAUTHN: judgeWebauthn,
  async RECOVERY_CODE(s, context, { assertion }) {
    const outcome = await spendRecoveryCode(s, context.sealer, context, assertion, context.now);
    const holds = outcome === 'spent' ? { credential: null } : null;
    return { tried: [], holds, repeated: outcome === 'repeated' };
  },
};

export const totpSecretContext = (credentialId: string) => `totp:${credentialId}`;

type TotpRow = { id: string; providerKey: string; sealedSecret: Buffer };

async function judgeTotp(s: SystemTx, context: VerificationContext, proof: FactorProof): Promise<Judgement> {
  const { userSid, organizationId, now, sealer } = context;
  const rows = await s.many<TotpRow>(sql`
    select id, provider_key as "providerKey", sealed_secret as "sealedSecret" from mfa_credentials c
     where user_sid = ${userSid} and organization_id = ${organizationId} and method = 'TOTP' and disabled_at is null
       and sealed_secret is not null
       and provider_key = coalesce(${proof.providerKey ?? null}, provider_key) and ${providerBacks}
     order by created_at, id`);
  const tried = rows.map(({ id }) => id);
  let repeated = false;
  for (const { id, providerKey, sealedSecret } of rows) {
    const secret = sealer.open(sealedSecret, totpSecretContext(id)).toString('utf8');
    const step = stepOfCode(secret, proof.assertion, now);
    if (step === null) continue;
    if (await spendStep(s, id, step, now)) {
      return { tried, holds: { credential: { id, method: 'TOTP', providerKey } } };
    }
    repeated = true;
  }
  return { tried, holds: null, repeated };
}

/** Steps only move forward, so a code that was used, or is older than one that was, is worth nothing. */
async function spendStep(s: SystemTx, credentialId: string, step: number, now: Date): Promise<boolean> {
  const spent = await s.run(sql`
    update mfa_credentials set last_step = ${step}, last_used_at = ${now}
     where id = ${credentialId} and disabled_at is null and (last_step is null or last_step < ${step})`);
  return spent === 1;
}

type WebauthnRow = KnownAuthenticator & { id: string; providerKey: string };

async function judgeWebauthn(
  s: SystemTx,
  context: VerificationContext,
  proof: FactorProof,
): Promise<Judgement> {
  const { userSid, organizationId, site, now } = context;
  const assertion = readAssertion(proof.assertion);
  if (!assertion) return { tried: [], holds: null };
  const row = await s.maybe<WebauthnRow>(sql`
    select id, provider_key as "providerKey", webauthn_id as "webauthnId", webauthn_public_key as "publicKey",
      webauthn_counter::float8 as counter, coalesce(webauthn_transports, '{}') as transports
      from mfa_credentials c
     where webauthn_id = ${assertion.webauthnId} and user_sid = ${userSid} and organization_id = ${organizationId}
       and disabled_at is null and provider_key = coalesce(${proof.providerKey ?? null}, provider_key)
       and webauthn_public_key is not null and webauthn_counter is not null and ${providerBacks}`);
  const tried = row ? [row.id] : [];
  const bound = proof.challenge === undefined || proof.challenge === assertion.challenge;
  // The challenge is spent whatever comes of it: an answer is judged once.
  const asked = bound ? await spendChallenge(s, context, assertion.challenge) : 'unknown';
  if (!row || asked === 'unknown') return { tried, holds: null };
  if (asked === 'repeated') {
    // The counter has moved on with the first copy; only the signature tells whether this is another.
    const copy = await judgeAssertion(site, assertion, { ...row, counter: 0 });
    return { tried, holds: null, repeated: copy !== null };
  }
  const judged = await judgeAssertion(site, assertion, { ...row, counter: row.counter });
  if (!judged) return { tried, holds: null };
  const advanced = await s.run(sql`
    update mfa_credentials
       set webauthn_counter = ${judged.counter}, webauthn_backed_up = ${judged.backedUp}, last_used_at = ${now}
     where id = ${row.id} and disabled_at is null
       and (webauthn_counter < ${judged.counter} or (webauthn_counter = 0 and ${judged.counter} = 0))`);
  const credential = { id: row.id, method: 'WEBAUTHN', providerKey: row.providerKey } as const;
  return { tried, holds: advanced === 1 ? { credential } : null };
}

async function spendChallenge(
  s: SystemTx,
  { userSid, sessionId, accountSid, action, now }: VerificationContext,
  challenge: string,
): Promise<'spent' | 'repeated' | 'unknown'> {
  const ofThis = sql`challenge_hash = ${sha256(challenge)} and expires_at > ${now}
    and user_sid = ${userSid} and action = ${action}
    and session_id is not distinct from ${sessionId}::uuid
    and account_sid is not distinct from ${accountSid}`;
  const spent = await s.run(
    sql`update mfa_ceremonies set used_at = ${now} where ${ofThis} and used_at is null`,
  );
  if (spent === 1) return 'spent';
  return (await s.maybe(sql`select 1 from mfa_ceremonies where ${ofThis}`)) ? 'repeated' : 'unknown';
}

/** Whoever guesses is written down where the organization keeps its acts; at most five times in 15 minutes, then it locks. */
async function writeDownGuess(
  { database, principal, requestId, log }: Caller,
  context: VerificationContext,
  method: VerificationMethod,
  { lockedUntil, turnedOff }: Guess,
): Promise<void> {
  const { userSid, sessionId, action, now } = context;
  const tenant = await database.system((s) => placeOf(s, context));
  const service = systemPrincipal('second-factors', tenant.livemode);
  await database.write(tenant, { principal, requestId, log, now }, async (t) => {
    audit(t, {
      action: sessionId === null ? 'sign_in.failed' : 'step_up.failed',
      resource: userSid,
      facts: sessionId === null ? { method } : { method, action, sessionId },
    });
    const act = (name: string, resource: string, facts: object) =>
      audit(t, { action: name, resource, facts: { ...facts, method }, principal: service });
    if (lockedUntil) act('mfa.locked', userSid, { lockedUntil: lockedUntil.toISOString() });
    for (const credentialId of turnedOff) act('mfa_credential.turned_off', credentialId, { userSid });
  });
}

/** Where somebody is signed in; before that, the home of the organization. */
async function placeOf(s: SystemTx, context: VerificationContext): Promise<Tenant> {
  const { organizationId, sessionId, accountSid } = context;
  const session = await s.maybe<{ livemode: boolean }>(
    sql`select livemode from sessions where id = ${sessionId}`,
  );
  return {
    accountSid: accountSid ?? (await homeAccount(s, organizationId)),
    livemode: session?.livemode ?? true,
  };
}
