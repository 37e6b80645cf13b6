// What the provider calls messages, both ways.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';

/** Which message of ours each of the provider's ids names. */
export async function sidsOfProviderIds(t: TenantTx, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await t.many<{ id: string; sid: string }>(sql`
    select provider_message_id as id, message_sid as sid from provider_messages
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and provider_message_id = any(${ids}::text[])`);
  return new Map(rows.map(({ id, sid }) => [id, sid]));
}

/** What the provider calls each of these messages; one it has not named is missing. */
export async function providerIdsOf(t: TenantTx, sids: string[]): Promise<Map<string, string>> {
  if (sids.length === 0) return new Map();
  const rows = await t.many<{ id: string; sid: string }>(sql`
    select provider_message_id as id, message_sid as sid from provider_messages
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid = any(${sids}::text[])`);
  return new Map(rows.map(({ id, sid }) => [sid, id]));
}

/** From the provider's id to our SID. An id that is known keeps its message; tells the ids that were new. */
export async function rememberNames(t: TenantTx, names: ReadonlyMap<string, string>): Promise<string[]> {
  if (names.size === 0) return [];
  const rows = await t.many<{ id: string }>(sql`
    insert into provider_messages (account_sid, livemode, provider_message_id, message_sid)
    select ${t.accountSid}, ${t.livemode}, name.id, name.sid
      from unnest(${[...names.keys()]}::text[], ${[...names.values()]}::text[]) as name (id, sid)
     order by name.id
    on conflict do nothing
    returning provider_message_id as id`);
  return rows.map(({ id }) => id);
}
