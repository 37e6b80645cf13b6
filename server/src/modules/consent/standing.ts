// What stands against writing to somebody, for whoever judges many messages at once.
import type { Asked, MergedQueries, TenantTx } from '../../platform/db/database.ts';
import { accountsOf } from '../../platform/db/merge.ts';
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
  for (const { accountSid: _, ...row } of await t.merged(findStanding, contactSids)) {
    found.set(row.contactSid, [...(found.get(row.contactSid) ?? []), row]);
  }
  return found;
}

const findStanding = (q: MergedQueries, asked: readonly Asked<string>[]) =>
  q.many<Standing & { accountSid: string }>(sql`
    select standing.account_sid as "accountSid", sid, contact_sid as "contactSid", reason, scope, sender_sid as "senderSid"
      from unnest(${accountsOf(asked)}::text[], ${asked.map(({ item }) => item)}::text[]) as person (account_sid, known_as)
     cross join lateral (
       select * from suppressions s
        where s.account_sid = person.account_sid and livemode = ${q.livemode} and contact_sid = person.known_as
          and ${inForce(q.now)} offset 0) as standing`);
