// Who has an identifier, and which ones somebody has. A number is also its owner's when they have it in another form.
import type { Asked, MergedQueries, TenantTx } from '../../../platform/db/database.ts';
import { accountsOf } from '../../../platform/db/merge.ts';
import { sql } from '../../../platform/db/query.ts';
import type { Identifier } from '../schema.ts';
import { identifierKey } from './identifiers.ts';
import { withOtherForms } from './number-forms.ts';

/** Who owns these identifiers and the other forms of their numbers, by key. */
export async function ownersOf(
  t: TenantTx,
  identifiers: readonly Identifier[],
): Promise<Map<string, string>> {
  const sought = withOtherForms(identifiers);
  const rows = await t.merged(
    findOwned,
    sought.map(({ value }) => value),
  );
  const wanted = new Set(sought.map(identifierKey));
  return new Map(
    rows.map((row) => [identifierKey(row), row.contactSid] as const).filter(([key]) => wanted.has(key)),
  );
}

const findOwned = (q: MergedQueries, asked: readonly Asked<string>[]) =>
  q.many<Identifier & { accountSid: string; contactSid: string }>(sql`
    select owned.account_sid as "accountSid", identifier_type as "identifierType", value,
      nullif(scope_ref, '') as "scopeRef", contact_sid as "contactSid"
      from unnest(${accountsOf(asked)}::text[], ${asked.map(({ item }) => item)}::text[]) as sought (account_sid, known_as)
     cross join lateral (
       select * from contact_identifiers i
        where i.account_sid = sought.account_sid and livemode = ${q.livemode} and value = sought.known_as
       offset 0) as owned`);

/** Whose an identifier is: its owner's, or for a number that nobody has the owner's of another form. */
export function ownerOf(owners: ReadonlyMap<string, string>, identifier: Identifier): string | undefined {
  const forms = withOtherForms([identifier]).map((form) => owners.get(identifierKey(form)));
  return forms.find((owner) => owner !== undefined);
}

/** What a contact is known by, oldest first, for a statement that reads account and SID of contacts as `c`. */
export const knownIdentifiers = sql`(
  select coalesce(json_agg(json_build_object('identifierType', i.identifier_type, 'value', i.value,
      'scopeRef', nullif(i.scope_ref, '')) order by i.created_at, i.id), '[]')
    from contact_identifiers i where i.account_sid = c.account_sid and i.contact_sid = c.sid)`;
