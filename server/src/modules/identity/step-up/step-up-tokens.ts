// A step-up token: a second factor, proven a moment ago, for one action. It works once, within 5 minutes, for the
// account and environment it was made in, by the session that made it or by an API key beside it, and it dies with
// that session and with that factor.

import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { sha256 } from '../../../platform/hashing.ts';
import type { Outside } from '../../../platform/http/operations/operation.ts';
import type { StepUpGate } from '../../../platform/http/operations/serving.ts';
import { stepUpRequired } from '../../../platform/http/operations/step-up.ts';
import { newUuid, randomToken } from '../../../platform/ids.ts';
import { principalName } from '../../../platform/principal.ts';
import { type AuditFact, audit, auditUnseen } from '../../audit/index.ts';
import { providerBacks } from '../mfa/provider-keys.ts';
import { type VerifiedFactor, verifyFactor } from '../mfa/verify-factor.ts';
import { personOf } from '../people.ts';
import { isAlive } from '../sessions/sessions.ts';
import { refuseUnknownAction } from '../step-up-actions.ts';
import type { StepUpGrant, StepUpRequest } from './schema.ts';

const livesMs = 5 * 60_000;

/** Exchanges a second factor for a token. */
export async function grantStepUp(call: Outside, request: StepUpRequest): Promise<StepUpGrant> {
  const { userSid, organizationId, sessionId } = personOf(call.principal);
  refuseUnknownAction(request.action);
  const { accountSid, now, site, sealer } = call;
  const context = {
    userSid,
    organizationId,
    sessionId,
    accountSid,
    action: request.action,
    now,
    site,
    sealer,
  };
  const factor = await verifyFactor(call, context, request);
  return call.write((t) => storeToken(t, request.action, factor));
}

async function storeToken(t: TenantTx, action: string, factor: VerifiedFactor): Promise<StepUpGrant> {
  const { userSid, sessionId } = personOf(t.principal);
  const stepUpToken = randomToken(32);
  const { accountSid, livemode, now } = t;
  const { method } = factor;
  const credentialId = factor.credential?.id ?? null;
  const row = await t.one<{ id: string; expiresAt: string; createdAt: string }>(sql`
    insert into step_up_tokens (account_sid, livemode, id, token_hash, user_sid, session_id, credential_id, method, action,
      expires_at, created_at)
    values (${accountSid}, ${livemode}, ${newUuid(now)}, ${sha256(stepUpToken)}, ${userSid}, ${sessionId},
      ${credentialId}, ${method}, ${action}, ${new Date(now.getTime() + livesMs)}, ${now})
    returning id, expires_at as "expiresAt", created_at as "createdAt"`);
  auditStepUp(t, {
    action: 'step_up.granted',
    resource: row.id,
    facts: { action, method, credentialId, sessionId },
  });
  return { object: 'step_up_token', accountSid, livemode, action, method, stepUpToken, ...row };
}

/** What the platform's compliance does may have to stay from the account: that a factor was shown for it would tell. */
function auditStepUp(t: TenantTx, fact: AuditFact): void {
  const isCompliance = t.principal.scopesOn(t.accountSid)?.has('platform:compliance');
  (isCompliance ? auditUnseen : audit)(t, fact);
}

type Spent = { id: string; userSid: string; sessionId: string; method: string };

export const stepUpGate: StepUpGate = {
  /** In the transaction of the action the token was made for: both happen, or neither. */
  async spend(t, action, token) {
    const spent = token === undefined ? undefined : await spend(t, action, token);
    if (!spent) throw stepUpRequired(action);
    const { id, userSid, sessionId, method } = spent;
    const presentedBy = principalName(t.principal);
    auditStepUp(t, {
      action: 'step_up.used',
      resource: id,
      facts: { action, userSid, sessionId, method, presentedBy },
    });
    return userSid;
  },
  async check(t, action, token) {
    const good =
      token !== undefined &&
      (await t.maybe(sql`select 1 from step_up_tokens k where ${isGoodFor(t, action, token)}`));
    if (!good) throw stepUpRequired(action);
  },
};

function spend(t: TenantTx, action: string, token: string): Promise<Spent | undefined> {
  return t.maybe<Spent>(sql`
    update step_up_tokens k set used_at = ${t.now}, used_by = ${principalName(t.principal)}
     where ${isGoodFor(t, action, token)}
    returning k.id, k.user_sid as "userSid", k.session_id as "sessionId", k.method`);
}

function isGoodFor(t: TenantTx, action: string, token: string): Sql {
  const { kind, ref, sessionId } = t.principal;
  return sql`k.account_sid = ${t.accountSid} and k.livemode = ${t.livemode} and k.token_hash = ${sha256(token)}
    and k.action = ${action} and k.used_at is null and k.expires_at > ${t.now}
    and (${kind} = 'api_key' or (${kind} = 'user' and k.user_sid = ${ref} and k.session_id = ${sessionId}::uuid))
    and exists (${sessionLives(t)})
    and case when k.credential_id is null then exists (${codesStand}) else exists (${factorStands}) end`;
}

/**
 * A person who cannot be seen from this account is of another organization: staff of the operator, judged at the door, who
 * lends their token to no key of the customer.
 */
const sessionLives = ({ now, principal }: TenantTx) => sql`
  select from sessions s
    left join users u on u.sid = s.user_sid
    left join auth_policies p on p.organization_id = s.organization_id
   where s.id = k.session_id and ${isAlive(now)} and coalesce(u.status = 'ACTIVE', ${principal.kind} = 'user')`;

const factorStands = sql`
  select from mfa_credentials c where c.id = k.credential_id and c.disabled_at is null and ${providerBacks}`;

// A recovery code is no credential: what it proved stands as long as the set it came from.
const codesStand = sql`
  select from recovery_code_sets r where r.user_sid = k.user_sid and r.created_at <= k.created_at`;
