// Who has an identifier. A number is also its owner's when they have it in another form.
import type { TenantTx } from '../../../platform/db/database.ts';
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
  const rows = await t.many<Identifier & { contactSid: string }>(sql`
    select identifier_type as "identifierType", value, nullif(scope_ref, '') as "scopeRef",
      contact_sid as "contactSid"
      from unnest(${sought.map(({ value }) => value)}::text[]) as sought (known_as)
     cross join lateral (
       select * from contact_identifiers
        where account_sid = ${t.accountSid} and livemode = ${t.livemode} and value = sought.known_as offset 0) as owned`);
  const wanted = new Set(sought.map(identifierKey));
  return new Map(
    rows.map((row) => [identifierKey(row), row.contactSid] as const).filter(([key]) => wanted.has(key)),
  );
}

/** Whose an identifier is: its owner's, or for a number that nobody has the owner's of another form. */
export function ownerOf(owners: ReadonlyMap<string, string>, identifier: Identifier): string | undefined {
  const forms = withOtherForms([identifier]).map((form) => owners.get(identifierKey(form)));
  return forms.find((owner) => owner !== undefined);
}
