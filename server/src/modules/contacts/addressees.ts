// Contacts as whoever writes to many of them needs them: found and followed to their survivor in a constant number of
// statements, however many there are.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { knownIdentifiers, ownerOf, ownersOf } from './identifiers/owners.ts';
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
  // The survivor is found first: behind row security, an expression such as this is never looked up in an index.
  const rows = await t.many<{ given: string; contactSid: string; identifiers: Identifier[] }>(sql`
    select c.given, c.sid as "contactSid", ${knownIdentifiers} as identifiers
      from (
        select account_sid, sid as given, coalesce(merged_into, sid) as sid from contacts
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${[...sids]}::text[])
        offset 0) as c`);
  return new Map(rows.map(({ given, ...addressee }) => [given, addressee]));
}

/** Who owns these identifiers: a look-up, since a number is also its owner's when they have it in another form. */
export async function findAddressees(t: TenantTx, identifiers: readonly Identifier[]): Promise<Addressees> {
  const owners = await ownersOf(t, identifiers);
  return (identifier) => ownerOf(owners, identifier);
}

export type Addressees = (identifier: Identifier) => string | undefined;
