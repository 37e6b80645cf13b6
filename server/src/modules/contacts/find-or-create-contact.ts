// From identifiers to one contact. Concurrent requests for an identifier nobody has seen settle by the identifiers'
// unique index which of them makes the contact; the others wait for it and find what it made. Identifiers are claimed
// first and in one order, contacts are locked after, so that such requests cannot wait for each other in a circle.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { type ErrorDetail, invalid } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import { newSid, newUuid } from '../../platform/ids.ts';
import { type Attributes, judgeAttributes, withoutNulls } from './attributes.ts';
import { openConflicts } from './conflicts.ts';
import {
  changedHands,
  getContact,
  judgeProfile,
  lockLive,
  noConsents,
  refreshSearch,
  touched,
} from './contacts.ts';
import type { ContactHooks } from './hooks.ts';
import { identifierKey, judgeIdentifiers } from './identifiers.ts';
import { withOtherForms } from './number-forms.ts';
import type { Contact, Identifier, NewContact } from './schema.ts';
import { searchText } from './search.ts';

export type Profile = {
  displayName?: string;
  locale?: string;
  timezone?: string;
  attributes?: Attributes;
};

/** What a contact is judged by before anything is looked up. */
export function judgeContact(input: NewContact): { identifiers: Identifier[]; details: ErrorDetail[] } {
  const { identifiers, details } = judgeIdentifiers(input.identifiers, input.defaultCountry);
  details.push(...judgeProfile(input), ...judgeAttributes(input.attributes ?? {}));
  return { identifiers, details };
}

/** The name, attributes, locale and time zone are those of a new contact: finding one changes none of them. */
export async function findOrCreateContact(
  t: TenantTx,
  hooks: ContactHooks,
  input: NewContact,
): Promise<{ contact: Contact; created: boolean }> {
  const { identifiers, details } = judgeContact(input);
  if (details.length > 0) throw invalid(...details);
  const resolved = await resolveContact(t, identifiers, input);
  if (resolved.created) return { contact: resolved.created, created: true };
  const contact = await getContact(t, hooks, resolved.contactSid);
  if (resolved.added) emit(t, 'contact.updated', contact);
  return { contact, created: false };
}

type Resolved = {
  contactSid: string;
  /** The contact, when it was made for these identifiers. */
  created: Contact | null;
  /** Whether the contact gained identifiers it did not have. */
  added: boolean;
};

/**
 * The contact that owns the first of these identifiers that is known; the unknown ones become its own. With none known,
 * a new contact. Identifiers owned by others stay where they are and open an identity conflict.
 */
export async function resolveContact(
  t: TenantTx,
  identifiers: Identifier[],
  profile: Profile = {},
): Promise<Resolved> {
  const claimant = newSid('CT', t.now);
  let owners = await ownersOf(t, identifiers);
  const unseen = identifiers.filter((identifier) => !owners.has(identifierKey(identifier)));
  if (unseen.length > 0) {
    await claim(t, claimant, unseen);
    owners = await ownersOf(t, identifiers);
  }
  const distinct = new Set(identifiers.map((identifier) => ownerOf(owners, identifier, claimant)));
  const claimed = identifiers.some((identifier) => owners.get(identifierKey(identifier)) === claimant);
  distinct.delete(claimant);
  const [target, ...others] = [...distinct];
  if (target === undefined) {
    return {
      contactSid: claimant,
      created: await insertContact(t, claimant, identifiers, profile),
      added: true,
    };
  }
  if (!claimed && others.length === 0) return { contactSid: target, created: null, added: false };
  const locked = await lockLive(t, [target, ...others]);
  // Identifiers belong to live contacts: if one of these is not, it was merged and its identifiers moved.
  if (locked.length < distinct.size) throw changedHands();
  if (claimed) await handOver(t, claimant, target);
  await openConflicts(t, target, others, identifiers);
  return { contactSid: target, created: null, added: claimed };
}

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

/** Whose an identifier is: its owner's, or for a number that nobody has (or `claimant` just took) the owner's of another form. */
export function ownerOf(owners: Map<string, string>, identifier: Identifier, claimant: string): string;
export function ownerOf(owners: Map<string, string>, identifier: Identifier): string | undefined;
export function ownerOf(owners: Map<string, string>, identifier: Identifier, claimant?: string) {
  const [own, ...others] = withOtherForms([identifier]).map((form) => owners.get(identifierKey(form)));
  if (own !== claimant) return own;
  return others.find((owner) => owner !== undefined) ?? claimant;
}

/** Takes the identifiers nobody has; waits for whoever is just taking one of them. */
async function claim(t: TenantTx, claimant: string, unseen: Identifier[]): Promise<void> {
  // Ids grow in the order given, which is the order identifiers are shown in; rows are taken in one order for all.
  const ids = unseen.map(() => newUuid(t.now)).sort();
  const sorted = unseen
    .map((identifier, i) => ({ ...identifier, id: ids[i]!, key: identifierKey(identifier) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  await t.run(sql`
    insert into contact_identifiers (account_sid, livemode, id, contact_sid, identifier_type, scope_ref, value,
      created_at)
    select ${t.accountSid}, ${t.livemode}, item.id, ${claimant}, item.identifier_type, item.scope_ref, item.value,
      ${t.now}
      from unnest(${sorted.map(({ id }) => id)}::uuid[],
        ${sorted.map(({ identifierType }) => identifierType)}::text[],
        ${sorted.map(({ scopeRef }) => scopeRef ?? '')}::text[],
        ${sorted.map(({ value }) => value)}::text[]) as item (id, identifier_type, scope_ref, value)
    on conflict (account_sid, livemode, value, identifier_type, scope_ref) do nothing`);
}

async function insertContact(
  t: TenantTx,
  sid: string,
  identifiers: Identifier[],
  profile: Profile,
): Promise<Contact> {
  const [contact] = await insertContacts(t, [{ sid, identifiers, profile }]);
  return contact!;
}

type ContactToInsert = { sid: string; identifiers: Identifier[]; profile: Profile };

/** Makes contacts whose identifiers are already claimed for them. */
export async function insertContacts(t: TenantTx, given: ContactToInsert[]): Promise<Contact[]> {
  if (given.length === 0) return [];
  const contacts = given.map(({ sid, identifiers, profile }) => newContact(t, sid, identifiers, profile));
  await t.run(sql`
    insert into contacts (account_sid, livemode, sid, display_name, locale, timezone, attributes, search, created_at,
      updated_at)
    select ${t.accountSid}, ${t.livemode}, item.sid, item.display_name, item.locale, item.timezone,
      item.attributes::jsonb, item.search, ${t.now}, ${t.now}
      from unnest(${contacts.map(({ sid }) => sid)}::text[],
        ${contacts.map(({ displayName }) => displayName)}::text[],
        ${contacts.map(({ locale }) => locale)}::text[],
        ${contacts.map(({ timezone }) => timezone)}::text[],
        ${contacts.map(({ attributes }) => JSON.stringify(attributes))}::text[],
        ${contacts.map(searchText)}::text[])
        as item (sid, display_name, locale, timezone, attributes, search)`);
  for (const contact of contacts) emit(t, 'contact.created', contact);
  return contacts;
}

function newContact(t: TenantTx, sid: string, identifiers: Identifier[], profile: Profile): Contact {
  const { displayName = null, locale = null, timezone = null } = profile;
  const at = t.now.toISOString();
  return {
    object: 'contact',
    sid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    status: 'ACTIVE',
    mergedInto: null,
    displayName,
    locale,
    timezone,
    attributes: withoutNulls(profile.attributes ?? {}),
    identifiers,
    consent: noConsents,
    createdAt: at,
    updatedAt: at,
  };
}

export const maxIdentifiers = 100;

export const tooManyIdentifiers = (contactSid: string) => ({
  path: 'identifiers',
  issue: `would give ${contactSid} more than ${maxIdentifiers} identifiers`,
});

/** Gives what this request claimed to the contact that turned out to own one of the identifiers. */
async function handOver(t: TenantTx, claimant: string, target: string): Promise<void> {
  await t.run(sql`
    update contact_identifiers set contact_sid = ${target}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${claimant}`);
  const { count } = await t.one<{ count: number }>(sql`
    select count(*)::integer as count from contact_identifiers
     where account_sid = ${t.accountSid} and contact_sid = ${target}`);
  if (count > maxIdentifiers) {
    throw invalid(tooManyIdentifiers(target));
  }
  await t.run(sql`
    update contacts set updated_at = ${touched(t)}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${target}`);
  await refreshSearch(t, [target]);
}
