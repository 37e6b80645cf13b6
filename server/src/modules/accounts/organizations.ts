// Organizations as documents name them, and the one that runs the platform.
import type { Queries, SystemTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';

/** What a document says of somebody: the name, and lines such as address and tax number. */
export type Party = { name: string; details: string[] };

/** Whoever runs the platform; until the operator has said which organization that is, only that it is the operator. */
export async function operatorParty(q: Queries): Promise<Party> {
  const found = await q.maybe<Party>(sql`
    select name, legal_details as details from organizations where is_operator`);
  return found ?? { name: 'The operator of this platform', details: [] };
}

/** Whose account it is. Without lines of its own, the country it is at home in. */
export async function partyOf(q: Queries, accountSid: string): Promise<Party> {
  const { name, country, details } = await q.one<Party & { country: string | null }>(sql`
    select o.name, o.country, o.legal_details as details
      from accounts a join organizations o on o.id = a.organization_id where a.sid = ${accountSid}`);
  return { name, details: details.length > 0 || country === null ? details : [country] };
}

export async function isOperator(q: Queries, organizationId: string): Promise<boolean> {
  return (
    (await q.maybe(sql`select from organizations where id = ${organizationId} and is_operator`)) !== undefined
  );
}

/** Makes the organization of an account the operator's; the one that was is so no longer. Tells its name. */
export async function nameOperator(s: SystemTx, accountSid: string): Promise<string> {
  await s.run(sql`update organizations set is_operator = false where is_operator`);
  const { name } = await s.one<{ name: string }>(sql`
    update organizations set is_operator = true
     where id = (select organization_id from accounts where sid = ${accountSid})
    returning name`);
  return name;
}

/** What documents say below the name of an account's organization. Those already issued keep what they say. */
export async function setLegalDetails(s: SystemTx, accountSid: string, details: string[]): Promise<string> {
  const { name } = await s.one<{ name: string }>(sql`
    update organizations set legal_details = ${details}
     where id = (select organization_id from accounts where sid = ${accountSid})
    returning name`);
  return name;
}
