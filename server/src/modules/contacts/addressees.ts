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

type AddresseeRow = { given: string; contactSid: string } & {
  [Part in keyof Identifier]: Identifier[Part] | null;
};

/** Whom these SIDs stand for now, by the SID that was given; one that does not exist, or was erased, is missing. */
export async function addresseesOf(t: TenantTx, sids: readonly string[]): Promise<Map<string, Addressee>> {
  if (sids.length === 0) return new Map();
  // The survivor is found first: behind row security, an expression such as this is never looked up in an index. A row an identifier:
  // for thousands of people this costs half of what JSON does.
  const rows = await t.many<AddresseeRow>(sql`
    select c.given, c.sid as "contactSid", i.identifier_type as "identifierType", i.value, nullif(i.scope_ref, '') as "scopeRef"
      from (
        select account_sid, sid as given, coalesce(merged_into, sid) as sid from contacts
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${[...sids]}::text[])
           and erased_at is null
        offset 0) as c
      left join lateral (
        select * from contact_identifiers i where i.account_sid = c.account_sid and i.contact_sid = c.sid
         order by i.created_at, i.id offset 0) as i on true`);
  const found = new Map<string, Addressee>();
  for (const { given, contactSid, identifierType, value, scopeRef } of rows) {
    const addressee = found.get(given) ?? { contactSid, identifiers: [] };
    if (identifierType !== null && value !== null)
      addressee.identifiers.push({ identifierType, value, scopeRef });
    found.set(given, addressee);
  }
  return found;
}

/** Who owns these identifiers: a look-up, since a number is also its owner's when they have it in another form. */
export async function findAddressees(t: TenantTx, identifiers: readonly Identifier[]): Promise<Addressees> {
  const owners = await ownersOf(t, identifiers);
  return (identifier) => ownerOf(owners, identifier);
}

export type Addressees = (identifier: Identifier) => string | undefined;
