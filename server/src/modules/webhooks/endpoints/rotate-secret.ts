// A new secret for an endpoint. For a while both sign, so that receivers can change over without losing a delivery.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { audit } from '../../audit/index.ts';
import { loadEndpoint, lockEndpoint, refuseDisabled } from './endpoints.ts';
import type { Endpoint, EndpointWithSecret, SecretRotation } from './schema.ts';
import { newSecret, sealSecret } from './signing-secret.ts';

const overlapMs = 24 * 3_600_000;
// Two secrets are one too many: an overlap is for changing over, not for staying.
const longestOverlapMs = 30 * 24 * 3_600_000;

export async function rotateSecret(
  t: TenantTx,
  sid: string,
  { expiresAt }: SecretRotation,
): Promise<EndpointWithSecret> {
  const endpoint = await lockEndpoint(t, sid);
  refuseDisabled(endpoint);
  refuseDuringOverlap(t, endpoint);
  const until = expiresAt === undefined ? new Date(t.now.getTime() + overlapMs) : new Date(expiresAt);
  const secret = newSecret();
  await t.run(sql`
    update webhook_endpoints
       set sealed_previous_secret = sealed_secret, previous_secret_expires_at = ${until},
           sealed_secret = ${sealSecret(t.sealer, sid, secret)}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${sid}`);
  audit(t, {
    action: 'webhook.secret_rotated',
    resource: sid,
    facts: { overlapUntil: until.toISOString() },
  });
  return { ...(await loadEndpoint(t, sid)), secret };
}

/** Only two secrets sign. A second rotation would silently stop the first of them, which receivers may still rely on. */
function refuseDuringOverlap(t: TenantTx, { previousSecretExpiresAt: until }: Endpoint): void {
  if (until === null || new Date(until) <= t.now) return;
  throw new ApiError('CONFLICT', {
    message: `Two secrets sign until ${until}. End the overlap before you rotate again.`,
  });
}

export function judgeOverlap({ now }: TenantTx, { expiresAt }: SecretRotation): void {
  if (expiresAt === undefined) return;
  const aheadMs = new Date(expiresAt).getTime() - now.getTime();
  if (aheadMs > 0 && aheadMs <= longestOverlapMs) return;
  throw invalid({ path: 'expiresAt', issue: 'must be in the future and at most 30 days ahead' });
}

/** The old secret expires now. Without an overlap there is nothing to end, and the caller has what it asked for. */
export async function endOverlap(t: TenantTx, sid: string): Promise<Endpoint> {
  const endpoint = await lockEndpoint(t, sid);
  refuseDisabled(endpoint);
  const ended = await t.run(sql`
    update webhook_endpoints
       set sealed_previous_secret = null, previous_secret_expires_at = null, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${sid} and sealed_previous_secret is not null`);
  if (ended === 0) return endpoint;
  audit(t, { action: 'webhook.secret_overlap_ended', resource: sid });
  return loadEndpoint(t, sid);
}
