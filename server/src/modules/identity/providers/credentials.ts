// Secrets of identity providers, stored by the operator and named by a provider's `credentialRef`.
import type { Queries, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { Sealer } from '../../../platform/sealing.ts';
import { findAccount } from '../../accounts/index.ts';
import { audit } from '../../audit/index.ts';

const context = (organizationId: string, ref: string) => `identity-credential:${organizationId}:${ref}`;

/** Stores or replaces one. Providers that name it use the new secret from their next call on. */
export async function setCredential(t: TenantTx, ref: string, secret: string): Promise<void> {
  const { organizationId } = (await findAccount(t, t.accountSid))!;
  await t.run(sql`
    insert into identity_credentials (organization_id, ref, sealed, created_at, updated_at)
    values (${organizationId}, ${ref}, ${t.sealer.seal(secret, context(organizationId, ref))}, ${t.now}, ${t.now})
    on conflict (organization_id, ref) do update set sealed = excluded.sealed, updated_at = excluded.updated_at`);
  audit(t, { action: 'identity_credential.set', resource: ref });
}

export async function readCredential(
  q: Queries,
  sealer: Sealer,
  organizationId: string,
  ref: string,
): Promise<string | null> {
  const row = await q.maybe<{ sealed: Buffer }>(sql`
    select sealed from identity_credentials where organization_id = ${organizationId} and ref = ${ref}`);
  return row ? sealer.open(row.sealed, context(organizationId, ref)).toString('utf8') : null;
}
