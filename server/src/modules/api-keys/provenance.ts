// What other modules ask about a key: whether there is such a key, and whose work it does.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';

export async function apiKeyStatus(t: TenantTx, id: string): Promise<'active' | 'inactive' | null> {
  const found = await t.maybe<{ usable: boolean }>(sql`
    select disabled_at is null and (expires_at is null or expires_at > ${t.now}) as usable from api_keys
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}::uuid`);
  return found ? (found.usable ? 'active' : 'inactive') : null;
}

/** Who made the key, who made the key that made it, and so on, as principals are written down. */
export async function makersOfApiKey(t: TenantTx, id: string): Promise<string[]> {
  const rows = await t.many<{ maker: string }>(sql`
    with recursive makers as (
      select created_by as maker from api_keys
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}::uuid
      union
      select k.created_by from api_keys k join makers m on m.maker = 'api_key:' || k.id::text
       where k.account_sid = ${t.accountSid} and k.livemode = ${t.livemode})
    select maker from makers`);
  return rows.map(({ maker }) => maker);
}
