// Who holds a scope, found from the scope: for those who have something to tell them.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { seenFrom } from './bindings.ts';
import { isRole, type Role, roleCatalogue, scopesOfRole } from './catalogue.ts';
import { isGrantable } from './roles.ts';

type Asked = {
  /** Those count too who hold the scope in this inbox only. */
  inboxSid?: string | null;
  /** Only these people, instead of a page of all. */
  among?: readonly string[];
  after?: string;
  limit?: number;
};

/** People of the customer who hold the scope on this account and in this environment at this moment, by SID. */
export async function holdersOf(
  t: TenantTx,
  scope: string,
  { inboxSid = null, among, after = '', limit = among?.length ?? 500 }: Asked = {},
): Promise<string[]> {
  if (limit === 0) return [];
  const named = among ? sql`and principal_ref = any (${[...among]}::text[])` : sql``;
  const rows = await t.many<{ userSid: string }>(sql`
    select distinct principal_ref as "userSid" from role_bindings
     where ${await seenFrom(t)} and principal_type = 'USER' and role = any (${rolesWith(scope)}::text[])
       and (expires_at is null or expires_at > ${t.now}) and (inbox_sid is null or inbox_sid = ${inboxSid})
       and principal_ref > ${after} ${named}
     order by principal_ref limit ${limit}`);
  return rows.map(({ userSid }) => userSid);
}

const rolesWith = (scope: string): Role[] =>
  Object.keys(roleCatalogue)
    .filter(isRole)
    // The operator's staff looks after itself: what happens to a customer is told to the customer.
    .filter((role) => isGrantable(role) && scopesOfRole(role).includes(scope));
