// A sign-in under way at a provider: begun by a browser, ended by the one answer it is spent on, whatever that answer
// turns out to be.
import type { SystemTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { sha256 } from '../../../platform/hashing.ts';
import { randomToken } from '../../../platform/ids.ts';
import type { Sealer } from '../../../platform/sealing.ts';
import { hashBinding, requestMinutes } from './browser-binding.ts';

/** What only we and the provider may know of a request. */
export type RequestSecrets = { nonce: string; codeVerifier: string; requestId: string };
export type NewRequest = { state: string; secrets: RequestSecrets };
export type SpentRequest = { secrets: RequestSecrets; livemode: boolean; returnTo: string };

export const newRequest = (): NewRequest => ({
  state: randomToken(32),
  secrets: {
    nonce: randomToken(32),
    codeVerifier: randomToken(48),
    // An XML identifier may not begin with a digit or a dash.
    requestId: `_${randomToken(24)}`,
  },
});

type Where = {
  providerId: string;
  organizationId: string;
  livemode: boolean;
  returnTo: string;
  binding: string;
};

const contextOf = (stateHash: Buffer) => `sso-request:${stateHash.toString('hex')}`;

export async function keepRequest(
  s: SystemTx,
  sealer: Sealer,
  now: Date,
  { state, secrets }: NewRequest,
  where: Where,
): Promise<void> {
  const stateHash = sha256(state);
  await s.run(sql`
    insert into sso_requests (state_hash, organization_id, provider_id, sealed_secrets, binding_hash, livemode,
      return_to, expires_at, created_at)
    values (${stateHash}, ${where.organizationId}, ${where.providerId},
      ${sealer.seal(JSON.stringify(secrets), contextOf(stateHash))}, ${hashBinding(where.binding)}, ${where.livemode},
      ${where.returnTo}, ${new Date(now.getTime() + requestMinutes * 60_000)}, ${now})`);
}

type Answered = { providerId: string; state: string; binding: string | null };

/** Committed by itself before the answer is judged: a refused answer has used its request all the same. */
export async function spendRequest(
  s: SystemTx,
  sealer: Sealer,
  now: Date,
  { providerId, state, binding }: Answered,
): Promise<SpentRequest | null> {
  if (binding === null) return null;
  const stateHash = sha256(state);
  const row = await s.maybe<{ sealedSecrets: Buffer; livemode: boolean; returnTo: string }>(sql`
    update sso_requests set used_at = ${now}
     where state_hash = ${stateHash} and provider_id = ${providerId} and binding_hash = ${hashBinding(binding)}
       and used_at is null and expires_at > ${now}
    returning sealed_secrets as "sealedSecrets", livemode, return_to as "returnTo"`);
  if (!row) return null;
  const secrets = JSON.parse(sealer.open(row.sealedSecrets, contextOf(stateHash)).toString('utf8'));
  return { secrets, livemode: row.livemode, returnTo: row.returnTo };
}

/** Takes an assertion for this once, across processes; false when it was taken before. */
export async function spendAssertion(
  s: SystemTx,
  provider: { id: string; organizationId: string },
  assertion: { id: string; expiresAt: Date },
): Promise<boolean> {
  const taken = await s.run(sql`
    insert into used_assertions (provider_id, assertion_id, organization_id, expires_at)
    values (${provider.id}, ${assertion.id}, ${provider.organizationId}, ${assertion.expiresAt})
    on conflict do nothing`);
  return taken === 1;
}
