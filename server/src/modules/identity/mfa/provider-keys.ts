// What backs a factor. Two providers are built in; an organization may configure others of these protocols, and may
// suspend any of them, the built-in ones included: from that moment their factors prove nothing.
import type { Queries } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';

export type FactorMethod = 'WEBAUTHN' | 'TOTP';

/** True for a row `c` (organization_id, method, provider_key) whose provider backs it now. */
export const providerBacks: Sql = sql`coalesce(
  (select p.state = 'ACTIVE' or (p.state <> 'SUSPENDED' and (p.protocol, p.provider_key) in (('WEBAUTHN', 'passkey'), ('TOTP', 'totp')))
     from identity_providers p
    where p.organization_id = c.organization_id and p.protocol = c.method and p.provider_key = c.provider_key),
  (c.method, c.provider_key) in (('WEBAUTHN', 'passkey'), ('TOTP', 'totp')))`;

/**
 * Like `backsFactors`, and keeps it so until the end of the transaction: a suspension comes after all of it and finds the
 * session that is begun in it, or came before and is seen.
 */
export async function lockBacking(
  q: Queries,
  organizationId: string,
  method: FactorMethod,
  providerKey: string,
): Promise<boolean> {
  await q.run(sql`
    select from identity_providers
     where organization_id = ${organizationId} and protocol = ${method} and provider_key = ${providerKey} for share`);
  return backsFactors(q, organizationId, method, providerKey);
}

export async function backsFactors(
  q: Queries,
  organizationId: string,
  method: FactorMethod,
  providerKey: string,
): Promise<boolean> {
  const { backs } = await q.one<{ backs: boolean }>(sql`
    select ${providerBacks} as backs
      from (select ${organizationId}::uuid as organization_id, ${method}::text as method,
        ${providerKey}::text as provider_key) c`);
  return backs;
}
