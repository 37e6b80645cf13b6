// What stands against writing to somebody, for whoever judges many messages at once.
import type { Asked, MergedQueries, TenantTx } from '../../platform/db/database.ts';
import { accountsOf } from '../../platform/db/merge.ts';
import { plainArray, sql } from '../../platform/db/query.ts';
import { inForce } from './in-force.ts';

export type Standing = {
  /** Null for what is only kept of somebody who was erased. */
  sid: string | null;
  contactSid: string;
  reason: string;
  scope: 'MARKETING' | 'ALL';
  /** Null when it holds for every sender. */
  senderSid: string | null;
};

type Recorded = Standing & { sid: string };

/** The suppressions in force for these contacts, by contact. */
export async function standingSuppressions(
  t: TenantTx,
  contactSids: readonly string[],
): Promise<Map<string, Recorded[]>> {
  const rows = await t.merged(findStanding, contactSids);
  return byContact(rows.map(({ accountSid: _, ...row }) => row));
}

/** The same for a part of a large audience: looked up in the order of the index, which for thousands at once costs far less. */
export async function suppressionsOfAudience(
  t: TenantTx,
  contactSids: readonly string[],
): Promise<Map<string, Recorded[]>> {
  return byContact(
    await t.many<Recorded>(sql`
      select sid, contact_sid as "contactSid", reason, scope, sender_sid as "senderSid" from suppressions
       where account_sid = ${t.accountSid} and livemode = ${t.livemode}
         and contact_sid = any (${plainArray([...contactSids])}::text[]) and ${inForce(t.now)}`),
  );
}

const byContact = (rows: readonly Recorded[]): Map<string, Recorded[]> =>
  Map.groupBy(rows, ({ contactSid }) => contactSid);

const findStanding = (q: MergedQueries, asked: readonly Asked<string>[]) =>
  q.many<Recorded & { accountSid: string }>(sql`
    select standing.account_sid as "accountSid", sid, contact_sid as "contactSid", reason, scope, sender_sid as "senderSid"
      from unnest(${accountsOf(asked)}::text[], ${asked.map(({ item }) => item)}::text[]) as person (account_sid, known_as)
     cross join lateral (
       select * from suppressions s
        where s.account_sid = person.account_sid and livemode = ${q.livemode} and contact_sid = person.known_as
          and ${inForce(q.now)} offset 0) as standing`);
