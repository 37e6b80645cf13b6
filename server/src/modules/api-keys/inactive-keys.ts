import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { audit } from '../audit/index.ts';

/** Disables the keys nobody has used or changed since then, and tells how many. */
export async function disableInactiveKeys(t: TenantTx, since: Date): Promise<number> {
  const disabled = await t.many<{ id: string; name: string; lastUsedAt: string | null }>(sql`
    update api_keys set disabled_at = ${t.now}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and disabled_at is null
       and greatest(last_used_at, created_at, updated_at) < ${since}
    returning id, name, last_used_at as "lastUsedAt"`);
  for (const { id, name, lastUsedAt } of disabled) {
    audit(t, { action: 'api_key.disabled', resource: id, facts: { name, lastUsedAt, reason: 'inactive' } });
  }
  return disabled.length;
}
