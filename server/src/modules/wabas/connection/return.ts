// Somebody comes back from the provider's signup. The code they bring lives 30 seconds, so it is exchanged in this very request. The
// token must be for our app and name exactly the account the operation is about; any other is dropped at once: whoever lures
// somebody else through their own link gains nothing by it.
import type { Database, RequestContext, Tenant, TenantTx } from '../../../platform/db/database.ts';
import { sha256 } from '../../../platform/hashing.ts';
import type { Log } from '../../../platform/observability/logging.ts';
import type { Ports, Site } from '../../../platform/ports.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import { askAnew, resumeOperation } from '../../operations/index.ts';
import type { Answered, ProviderApp, TokenFacts } from '../../provider/index.ts';
import { requireWaba } from '../wabas.ts';
import {
  findByState,
  keepToken,
  type Link,
  lockByHash,
  newLink,
  redirectUriIn,
  replaceLink,
} from './signups.ts';

/** What became of a signup. `unknown` also stands for a link that was used or has expired: nobody is told which. */
export type Outcome = 'connected' | 'canceled' | 'late' | 'other_account' | 'failed' | 'unknown';

export type Means = {
  database: Database;
  ports: Pick<Ports, 'provider' | 'providerApp'>;
  site: Site;
  now: Date;
  requestId: string;
  log: Log;
};
export type Brought = { state: string; code: string | null };

type Claim = { tenant: Tenant; operationSid: string; wabaId: string; next: Link };

export async function takeReturn(means: Means, { state, code }: Brought): Promise<Outcome> {
  const claim = await claimState(means, state, code === null ? 'canceled' : null);
  if (!claim) return 'unknown';
  if (code === null) return 'canceled';
  const given = await tokenFor(means, claim, code);
  if (typeof given === 'string') {
    await writing(means, claim.tenant, (t) => noteOutcome(t, claim, given));
    return given;
  }
  const kept = await writing(means, claim.tenant, (t) => keep(t, claim, given.accessToken));
  return kept ? 'connected' : 'unknown';
}

const writing = <T>(means: Means, tenant: Tenant, work: (t: TenantTx) => Promise<T>): Promise<T> => {
  const { now, requestId, log } = means;
  const requestContext: RequestContext = {
    principal: systemPrincipal('provider:signup', tenant.livemode),
    now,
    requestId,
    log,
  };
  return means.database.write(tenant, requestContext, work);
};

/** Takes the state, once: a new link stands in its place before anything else happens. */
async function claimState(means: Means, state: string, outcome: Outcome | null): Promise<Claim | null> {
  const found = await means.database.system((s) => findByState(s, state, means.now));
  if (!found) return null;
  const { operationSid, ...tenant } = found;
  return writing(means, tenant, async (t) => {
    const signup = await lockByHash(t, operationSid, sha256(state));
    if (!signup) return null;
    const { providerWabaId: wabaId } = await requireWaba(t, signup.wabaSid);
    const next = newLink(t, wabaId);
    const claim = { tenant, operationSid, wabaId, next };
    if (!(await askAnew(t, operationSid, next.awaiting))) return null;
    await replaceLink(t, operationSid, next);
    if (outcome) await noteOutcome(t, claim, outcome);
    return claim;
  });
}

/** Shown with the operation, beside the new link. */
async function noteOutcome(t: TenantTx, { operationSid, next }: Claim, outcome: Outcome): Promise<void> {
  const code = outcome === 'late' ? { code: 'ONBOARDING_CODE_EXPIRED' } : {};
  const result = { lastSignup: { outcome, at: t.now.toISOString(), ...code } };
  await askAnew(t, operationSid, { ...next.awaiting, result });
  audit(t, { action: 'waba.signup_returned', resource: operationSid, facts: { outcome } });
}

async function tokenFor(
  { ports, site, log }: Means,
  { tenant, operationSid, wabaId }: Claim,
  code: string,
): Promise<{ accessToken: string } | Outcome> {
  const environment = tenant.livemode ? 'live' : 'sandbox';
  const credentials = ports.providerApp[environment];
  if (!credentials) return 'failed';
  const { baseUrl, apiVersion } = site.provider[environment];
  const app = { baseUrl, apiVersion, ...credentials };
  const exchanged = await ports.provider.exchangeCode(app, { code, redirectUri: redirectUriIn({ site }) });
  if (!exchanged.ok) {
    const { code: why, providerCode } = exchanged.failure;
    log.warn({ operation: operationSid, code: why, providerCode }, 'the code of a signup was not exchanged');
    return why === 'ONBOARDING_CODE_EXPIRED' ? 'late' : 'failed';
  }
  const { accessToken } = exchanged.value;
  const looked = await lookAt(ports, app, accessToken);
  if (!looked.ok || !looked.value.valid || looked.value.appId !== credentials.appId) return 'failed';
  return looked.value.wabaIds.includes(wabaId) ? { accessToken } : 'other_account';
}

const tries = 3;

/** The code is gone: an answer that was lost is worth asking for again. */
async function lookAt(
  { provider }: Means['ports'],
  app: ProviderApp,
  accessToken: string,
): Promise<Answered<TokenFacts>> {
  let looked = await provider.debugToken(app, accessToken);
  for (let n = 1; n < tries && !looked.ok && looked.failure.retryable; n += 1)
    looked = await provider.debugToken(app, accessToken);
  return looked;
}

/** The token is kept and the operation goes on, unless somebody canceled it or came through the next link meanwhile. */
async function keep(t: TenantTx, { operationSid, next }: Claim, accessToken: string): Promise<boolean> {
  const signup = await lockByHash(t, operationSid, next.hash);
  if (!signup || !(await resumeOperation(t, operationSid))) return false;
  await keepToken(t, operationSid, accessToken);
  audit(t, { action: 'waba.signup_returned', resource: operationSid, facts: { outcome: 'connected' } });
  return true;
}
