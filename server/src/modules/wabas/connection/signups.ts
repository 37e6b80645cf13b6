// Signups at the provider, as they are kept: whoever comes back from one brings a state of 192 bits, of which we know the hash. It is
// good once: the moment it comes back, a new link takes its place, so that there is a good one whatever becomes of the first.
import type { SystemTx, Tenant, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { sha256 } from '../../../platform/hashing.ts';
import { randomToken } from '../../../platform/ids.ts';
import type { Awaiting } from '../../operations/index.ts';

export const signupMs = 30 * 60_000;
export const returnPath = '/provider/signup/return';

export type Signup = { operationSid: string; wabaSid: string; expiresAt: string; sealedToken: Buffer | null };
/** A link that is good until it was used or has expired; `hash` is what is kept of it. */
export type Link = { hash: Buffer; expiresAt: Date; awaiting: Awaiting };

const columns = sql`operation_sid as "operationSid", waba_sid as "wabaSid", expires_at as "expiresAt",
  sealed_token as "sealedToken"`;

export const redirectUriIn = (t: Pick<TenantTx, 'site'>) => `${t.site.publicUrl}${returnPath}`;

/** A new link to the provider's signup, for exactly this account there. */
export function newLink(t: TenantTx, providerWabaId: string, result?: object): Link {
  const state = randomToken(24);
  const expiresAt = new Date(t.now.getTime() + signupMs);
  const { signupUrl, apiVersion, appId, signupConfigId } = t.site.provider[t.livemode ? 'live' : 'sandbox'];
  const url = new URL(`${signupUrl}/${apiVersion}/dialog/oauth`);
  const asked = {
    client_id: appId!,
    config_id: signupConfigId!,
    redirect_uri: redirectUriIn(t),
    response_type: 'code',
    override_default_response_type: 'true',
    state,
    extras: JSON.stringify({ setup: { whatsAppBusinessAccount: { ids: [providerWabaId] } } }),
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  const nextAction = { expiresAt: expiresAt.toISOString() };
  const awaiting = { awaits: 'SIGNUP', nextAction, secrets: { url: url.href }, until: expiresAt };
  return { hash: sha256(state), expiresAt, awaiting: { ...awaiting, ...(result && { result }) } };
}

export async function insertSignup(
  t: TenantTx,
  operationSid: string,
  wabaSid: string,
  { hash, expiresAt }: Link,
): Promise<void> {
  await t.run(sql`
    insert into waba_signups (account_sid, livemode, operation_sid, waba_sid, state_hash, expires_at, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${operationSid}, ${wabaSid}, ${hash}, ${expiresAt}, ${t.now}, ${t.now})`);
}

const here = (t: TenantTx, operationSid: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and operation_sid = ${operationSid}`;

export const readSignup = (t: TenantTx, operationSid: string): Promise<Signup> =>
  t.one<Signup>(sql`select ${columns} from waba_signups where ${here(t, operationSid)}`);

/** From now on this link is the good one. */
export async function replaceLink(
  t: TenantTx,
  operationSid: string,
  { hash, expiresAt }: Link,
): Promise<void> {
  await t.run(sql`
    update waba_signups set state_hash = ${hash}, expires_at = ${expiresAt}, sealed_token = null, updated_at = ${t.now}
     where ${here(t, operationSid)}`);
}

/** Whose signup a state belongs to: one that is good, or nobody's. */
export async function findByState(
  s: SystemTx,
  state: string,
  now: Date,
): Promise<(Tenant & { operationSid: string }) | null> {
  const found = await s.maybe<Tenant & { operationSid: string }>(sql`
    select account_sid as "accountSid", livemode, operation_sid as "operationSid" from waba_signups
     where state_hash = ${sha256(state)} and expires_at > ${now}`);
  return found ?? null;
}

/** The signup, locked, while the state with this hash is its good one; null for whoever comes second. */
export async function lockByHash(t: TenantTx, operationSid: string, hash: Buffer): Promise<Signup | null> {
  const found = await t.maybe<Signup>(sql`
    select ${columns} from waba_signups
     where ${here(t, operationSid)} and state_hash = ${hash} and expires_at > ${t.now} for update`);
  return found ?? null;
}

const tokenContext = (t: TenantTx, operationSid: string) =>
  `waba signup token/${t.accountSid}/${operationSid}`;

/** What came of the signup. No link of it is good any more. */
export async function keepToken(t: TenantTx, operationSid: string, token: string): Promise<void> {
  await t.run(sql`
    update waba_signups set state_hash = null, sealed_token = ${t.sealer.seal(token, tokenContext(t, operationSid))},
      updated_at = ${t.now}
     where ${here(t, operationSid)}`);
}

export const openSignupToken = (t: TenantTx, operationSid: string, sealed: Buffer): string =>
  t.sealer.open(sealed, tokenContext(t, operationSid)).toString('utf8');

/** Neither link nor token is of use any more. */
export async function closeSignup(t: TenantTx, operationSid: string): Promise<void> {
  await t.run(sql`
    update waba_signups set state_hash = null, sealed_token = null, updated_at = ${t.now} where ${here(t, operationSid)}`);
}
