// Contacts as whoever writes to many of them needs them: found, followed to their survivor and made in a constant number
// of statements, however many there are.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { newSid, newUuid } from '../../platform/ids.ts';
import { insertContacts, ownerOf, ownersOf } from './find-or-create-contact.ts';
import { identifierKey } from './identifiers.ts';
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

/**
 * The owner of each of these identifiers, in their order; whoever is unknown becomes a contact. Of two requests that meet an
 * unknown identifier the one whose row comes first makes the contact, and the other waits for it and finds it.
 */
export async function contactsFor(t: TenantTx, identifiers: readonly Identifier[]): Promise<string[]> {
  const distinct = new Map(identifiers.map((identifier) => [identifierKey(identifier), identifier]));
  let owners = await ownersOf(t, [...distinct.values()]);
  const claims = new Map<string, Claim>();
  for (const [key, identifier] of distinct) {
    if (ownerOf(owners, identifier) !== undefined) continue;
    const sid = newSid('CT', t.now);
    claims.set(key, { key, identifier, sid });
    owners.set(key, sid); // for those after it that are written in another form
  }
  if (claims.size > 0) {
    await claimEach(t, [...claims.values()]);
    owners = await ownersOf(t, [...distinct.values()]);
    const made = [...claims.values()].filter(({ key, sid }) => owners.get(key) === sid);
    await insertContacts(
      t,
      made.map(({ sid, identifier }) => ({ sid, identifiers: [identifier], profile: {} })),
    );
  }
  return identifiers.map((identifier) => ownerOf(owners, identifier)!);
}

export type Claim = { key: string; identifier: Identifier; sid: string };

/**
 * Takes the identifiers nobody has and tells how many those were. Rows are taken in one order for all, so that two requests
 * cannot wait for each other in a circle; ids grow in the order given, which is the order identifiers are shown in.
 */
export async function claimEach(t: TenantTx, claims: Claim[]): Promise<number> {
  const ids = claims.map(() => newUuid(t.now)).sort();
  const sorted = claims
    .map((claim, i) => ({ ...claim, id: ids[i]! }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  return t.run(sql`
    insert into contact_identifiers (account_sid, livemode, id, contact_sid, identifier_type, scope_ref, value,
      created_at)
    select ${t.accountSid}, ${t.livemode}, item.id, item.contact_sid, item.identifier_type, item.scope_ref,
      item.value, ${t.now}
      from unnest(${sorted.map(({ id }) => id)}::uuid[], ${sorted.map(({ sid }) => sid)}::text[],
        ${sorted.map(({ identifier }) => identifier.identifierType)}::text[],
        ${sorted.map(({ identifier }) => identifier.scopeRef ?? '')}::text[],
        ${sorted.map(({ identifier }) => identifier.value)}::text[])
        as item (id, contact_sid, identifier_type, scope_ref, value)
    on conflict (account_sid, livemode, value, identifier_type, scope_ref) do nothing`);
}
