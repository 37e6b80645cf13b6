// Which contact each entry means and what becomes of it, as if every entry had been sent by itself and in this order: an entry
// may find the contact that an earlier one made. Nothing is written here.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { ErrorDetail } from '../../platform/errors/errors.ts';
import { newSid } from '../../platform/ids.ts';
import type { Attributes } from './attributes.ts';
import type { FieldName } from './fields.ts';
import { identifierKey } from './identifiers/identifiers.ts';
import { ownerOf, ownersOf } from './identifiers/owners.ts';
import type { Contact, Identifier } from './schema.ts';

export type Profile = { [Name in FieldName]?: string } & { attributes?: Attributes };

/** The profile is that of a new contact: finding one changes none of it. */
export type ContactEntry = { identifiers: Identifier[]; profile: Profile };

export type Found = {
  contactSid: string;
  outcome: 'created' | 'updated' | 'unchanged';
  /** Other contacts that own some of the identifiers; an identity conflict with each is opened. */
  conflictsWith: string[];
  /** As it was announced, where it was made or gained identifiers. */
  contact?: Contact;
};
export type Resolved = Found | { issue: ErrorDetail };

export const isFound = (resolved: Resolved): resolved is Found => 'outcome' in resolved;

/** Who owns which identifier and how many each contact has, as far as it was looked up or planned. */
export type Known = { owners: Map<string, string>; counts: Map<string, number> };

/** What would happen, without doing it. `known` learns what was planned, so that later entries build on it. */
export async function planContacts(
  t: TenantTx,
  entries: readonly ContactEntry[],
  known: Known = { owners: new Map(), counts: new Map() },
): Promise<Resolved[]> {
  for (const [key, owner] of await storedOwners(t, entries)) known.owners.set(key, owner);
  return planOn(t, entries, known);
}

export const storedOwners = (t: TenantTx, entries: readonly ContactEntry[]) =>
  ownersOf(
    t,
    entries.flatMap(({ identifiers }) => identifiers),
  );

/** The plan when the owners are looked up already. */
export async function planOn(
  t: TenantTx,
  entries: readonly ContactEntry[],
  known: Known,
): Promise<Resolved[]> {
  await learnCounts(t, entries, known);
  return entries.map((entry) => planOne(t, entry, known));
}

/** Only for contacts that some entry would give another identifier: most give none. */
async function learnCounts(
  t: TenantTx,
  entries: readonly ContactEntry[],
  { owners, counts }: Known,
): Promise<void> {
  const gaining = new Set<string>();
  for (const { identifiers } of entries) {
    const target = identifiers
      .map((identifier) => ownerOf(owners, identifier))
      .find((one) => one !== undefined);
    const gains = identifiers.some((identifier) => !owners.has(identifierKey(identifier)));
    if (target !== undefined && gains && !counts.has(target)) gaining.add(target);
  }
  if (gaining.size === 0) return;
  const rows = await t.many<{ sid: string; count: number }>(sql`
    select contact_sid as sid, count(*)::integer as count from contact_identifiers
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${[...gaining]}::text[])
     group by contact_sid`);
  for (const { sid, count } of rows) counts.set(sid, count);
}

const maxIdentifiers = 100;

const tooManyIdentifiers = (contactSid: string) => ({
  path: 'identifiers',
  issue: `would give ${contactSid} more than ${maxIdentifiers} identifiers`,
});

/**
 * The contact that owns the first of these identifiers that is known; the unknown ones become its own. With none known,
 * a new contact. Identifiers owned by others stay where they are.
 */
function planOne(t: TenantTx, { identifiers }: ContactEntry, { owners, counts }: Known): Resolved {
  const keys = new Set(identifiers.map(identifierKey));
  const unseen = [...keys].filter((key) => !owners.has(key));
  const [target, ...conflictsWith] = new Set(
    identifiers.flatMap((identifier) => ownerOf(owners, identifier) ?? []),
  );
  const contactSid = target ?? newSid('CT', t.now);
  const count = (counts.get(contactSid) ?? 0) + unseen.length;
  if (unseen.length > 0 && count > maxIdentifiers) return { issue: tooManyIdentifiers(contactSid) };
  for (const key of unseen) owners.set(key, contactSid);
  if (unseen.length > 0) counts.set(contactSid, count);
  if (target === undefined) return { contactSid, outcome: 'created', conflictsWith };
  return { contactSid, outcome: unseen.length > 0 ? 'updated' : 'unchanged', conflictsWith };
}
