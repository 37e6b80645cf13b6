// Contacts as whoever writes to many of them needs them: found and followed to their survivor in a constant number of
// statements, however many there are.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ownerOf, ownersOf } from './identifiers/owners.ts';
import type { Identifier } from './schema.ts';

export type Addressee = {
  /** The contact that is written to: the survivor of the one that was named. */
  contactSid: string;
  /** Oldest first. */
  identifiers: Identifier[];
};

/** Whom these SIDs stand for now, by the SID that was given; one that does not exist is missing. */
export async function addresseesOf(t: TenantTx, sids: readonly string[]): Promise<Map<string, Addressee>> {
  if (sids.length === 0) return new Map();
  const rows = await t.many<{ given: string; contactSid: string; identifiers: Identifier[] | null }>(sql`
    select c.sid as given, coalesce(c.merged_into, c.sid) as "contactSid",
      (select json_agg(json_build_object('identifierType', i.identifier_type, 'value', i.value,
          'scopeRef', nullif(i.scope_ref, '')) order by i.id)
         from contact_identifiers i
        where i.account_sid = c.account_sid and i.contact_sid = coalesce(c.merged_into, c.sid)) as identifiers
      from contacts c
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = any (${[...sids]}::text[])`);
  return new Map(
    rows.map(({ given, contactSid, identifiers }) => [given, { contactSid, identifiers: identifiers ?? [] }]),
  );
}

/** Who owns these identifiers: a look-up, since a number is also its owner's when they have it in another form. */
export async function findAddressees(t: TenantTx, identifiers: readonly Identifier[]): Promise<Addressees> {
  const owners = await ownersOf(t, identifiers);
  return (identifier) => ownerOf(owners, identifier);
}

export type Addressees = (identifier: Identifier) => string | undefined;
