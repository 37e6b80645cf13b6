// What stands against writing to somebody, for whoever judges many messages at once.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { inForce } from './in-force.ts';

export type Standing = {
  sid: string;
  contactSid: string;
  reason: string;
  scope: 'MARKETING' | 'ALL';
  /** Null when it holds for every sender. */
  senderSid: string | null;
};

/** The suppressions in force for these contacts, by contact. */
export async function standingSuppressions(
  t: TenantTx,
  contactSids: readonly string[],
): Promise<Map<string, Standing[]>> {
  const found = new Map<string, Standing[]>();
  if (contactSids.length === 0) return found;
  const rows = await t.many<Standing>(sql`
    select sid, contact_sid as "contactSid", reason, scope, sender_sid as "senderSid"
      from unnest(${[...contactSids]}::text[]) as person (known_as)
     cross join lateral (
       select * from suppressions
        where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = person.known_as
          and ${inForce(t.now)} offset 0) as standing`);
  for (const row of rows) found.set(row.contactSid, [...(found.get(row.contactSid) ?? []), row]);
  return found;
}
