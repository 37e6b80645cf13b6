import type { Person } from '../../platform/belongings.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { identitiesOf, survivorOf } from './contacts.ts';
import type { Identifier } from './schema.ts';

/** The person behind a contact: who it was merged into, all merged into that, and everything they are known by. */
export async function personOf(t: TenantTx, sid: string): Promise<Person> {
  const contactSid = await survivorOf(t, sid);
  const family = await identitiesOf(t, contactSid);
  const identifiers = await t.many<Identifier>(sql`
    select identifier_type as "identifierType", value, nullif(scope_ref, '') as "scopeRef" from contact_identifiers
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${family}::text[])
     order by created_at, id`);
  return { contactSid, family, identifiers };
}
