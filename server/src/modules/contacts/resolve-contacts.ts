// From identifiers to contacts: the one way in which contacts are found or come to be, for one person or for thousands, in a
// constant number of statements. Requests that meet the same unknown identifier at once settle by its unique index who makes
// the contact; the others wait and find what was made. Identifiers are claimed first and in one order, contacts are locked
// after, so that such requests cannot wait for each other in a circle.
import {
  type Asked,
  type MergedQueries,
  OwnTransactionNeeded,
  type TenantTx,
} from '../../platform/db/database.ts';
import { accountsOf } from '../../platform/db/merge.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { invalid } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import { newUuid } from '../../platform/ids.ts';
import { withoutNulls } from './attributes.ts';
import { changedHands, lockLive, noConsents, readContacts, refreshSearch, touched } from './contacts.ts';
import { contactEvents } from './events.ts';
import { fieldList, forEachField } from './fields.ts';
import type { ContactHooks } from './hooks.ts';
import { identifierKey } from './identifiers/identifiers.ts';
import { openConflicts } from './merges/conflicts.ts';
import type { Gained } from './opt-outs/erased-opt-outs.ts';
import { hasherAtHand } from './opt-outs/opt-out-key.ts';
import { returnOptOuts } from './opt-outs/return-opt-outs.ts';
import {
  type ContactEntry,
  type Found,
  isFound,
  type Known,
  type Profile,
  planOn,
  type Resolved,
  storedOwners,
} from './plan-contacts.ts';
import type { Contact, Identifier } from './schema.ts';
import { searchText } from './search.ts';

type Hooks = Pick<ContactHooks, 'consentsOf'>;

type Options = {
  /** Locks all contacts that were found until the transaction ends, and not only those that change. */
  lock?: boolean;
};

/** Finds or makes the contact of every entry, each as if it came by itself and in this order. */
export async function resolveContacts(
  t: TenantTx,
  hooks: Hooks,
  entries: readonly ContactEntry[],
  { lock = false }: Options = {},
): Promise<Resolved[]> {
  if (entries.length === 0) return [];
  const { plans, owners, claimed } = await claimIdentifiers(t, entries);
  const found = plans.filter(isFound);
  const made = new Set(found.filter(isCreated).map(({ contactSid }) => contactSid));
  await lockFound(t, lock ? found : found.filter(isChanging), made);
  const isMade = ({ contactSid }: Gained) => made.has(contactSid);
  const hashes = claimed.filter(isMade).flatMap(({ hash }) => hash ?? []);
  const { inserted, kept } = await insertContacts(t, contactsToMake(entries, plans, made, owners), hashes);
  const gained = found.filter(({ outcome, contactSid }) => outcome === 'updated' && !made.has(contactSid));
  const changed = await announceGains(t, hooks, [...new Set(gained.map(({ contactSid }) => contactSid))]);
  await openConflicts(
    t,
    plans.flatMap((plan, i) =>
      isFound(plan)
        ? plan.conflictsWith.map((otherSid) => ({
            contactSid: plan.contactSid,
            otherSid,
            identifiers: entries[i]!.identifiers,
          }))
        : [],
    ),
  );
  const returning = claimed.filter((one) => one.hash === null || !isMade(one) || kept.has(one.hash));
  const returned = returning.length > 0 ? await returnOptOuts(t, returning) : new Set();
  // Who got something back is to be read anew.
  const told = new Map(
    [...inserted, ...changed]
      .filter(({ sid }) => !returned.has(sid))
      .map((contact) => [contact.sid, contact]),
  );
  return plans.map((plan) => (isFound(plan) ? withContact(plan, told.get(plan.contactSid)) : plan));
}

const isCreated = ({ outcome }: Found) => outcome === 'created';
const isChanging = ({ outcome, conflictsWith }: Found) => outcome === 'updated' || conflictsWith.length > 0;
const withContact = (plan: Found, contact?: Contact): Found => (contact ? { ...plan, contact } : plan);

/** For whom a contact that cannot be had is an error: a batch of one, or people who must all be somebody. */
export function requireFound(resolved: Resolved): Found {
  if (!isFound(resolved)) throw invalid(resolved.issue);
  return resolved;
}

/** The contact of each of these identifiers, in their order; whoever is unknown becomes one. */
export async function contactsFor(
  t: TenantTx,
  hooks: Hooks,
  identifiers: readonly Identifier[],
): Promise<string[]> {
  const entries = identifiers.map((identifier) => ({ identifiers: [identifier], profile: {} }));
  return (await resolveContacts(t, hooks, entries)).map((one) => requireFound(one).contactSid);
}

/** `hash`: under which the no of somebody erased would be kept, where that is at hand. */
type Claim = { id: string; key: string; identifier: Identifier; sid: string; hash: string | null };
/** `claimed`: what contacts came to be known by, where somebody may have been known by it who was erased. */
type Claimed = {
  plans: Resolved[];
  owners: ReadonlyMap<string, string>;
  claimed: (Gained & Pick<Claim, 'hash'>)[];
};

/** Plans the entries and takes the identifiers nobody has for the contacts they are to belong to. */
async function claimIdentifiers(t: TenantTx, entries: readonly ContactEntry[]): Promise<Claimed> {
  const stored = await storedOwners(t, entries);
  const known: Known = { owners: new Map(stored), counts: new Map() };
  const plans = await planOn(t, entries, known);
  const wanted = unowned(entries, known.owners, stored);
  if (wanted.size === 0) return { plans, owners: known.owners, claimed: [] };
  // Ids grow in the order given, which is the order identifiers are shown in.
  const ids = [...wanted].map(() => newUuid(t.now)).sort();
  const hash = await hasherAtHand(t);
  const claims = [...wanted.values()].map((claim, i) => ({
    ...claim,
    id: ids[i]!,
    hash: hash?.(claim.identifier).toString('hex') ?? null,
  }));
  const { won, asks } = await insertIdentifiers(t, claims);
  const settled =
    won.length === claims.length ? { plans, owners: known.owners } : await planAgain(t, entries, won);
  const claimed = won.map(({ key, identifier, hash: its }) => ({
    identifier,
    contactSid: settled.owners.get(key)!,
    hash: its,
  }));
  return { ...settled, claimed: asks ? claimed : [] };
}

/**
 * Somebody took some of the identifiers meanwhile, and is waited for: whoever they made is found now. What was won goes to
 * whoever it turns out to belong to.
 */
async function planAgain(
  t: TenantTx,
  entries: readonly ContactEntry[],
  won: Claim[],
): Promise<Omit<Claimed, 'claimed'>> {
  const stored = await storedOwners(t, entries);
  for (const { key } of won) stored.delete(key);
  const known: Known = { owners: new Map(stored), counts: new Map() };
  const plans = await planOn(t, entries, known);
  const wanted = unowned(entries, known.owners, stored);
  // An identifier that was owned a moment ago and is not any more, or one that no entry takes after all.
  if (wanted.size !== won.length || won.some(({ key }) => !wanted.has(key))) throw changedHands();
  await t.run(sql`
    update contact_identifiers i set contact_sid = item.contact_sid
      from unnest(${won.map(({ id }) => id)}::uuid[], ${won.map(({ key }) => wanted.get(key)!.sid)}::text[])
        as item (id, contact_sid)
     where i.account_sid = ${t.accountSid} and i.livemode = ${t.livemode} and i.id = item.id`);
  return { plans, owners: known.owners };
}

/** What the plan gives to contacts and nobody owned before, by key. */
function unowned(
  entries: readonly ContactEntry[],
  planned: ReadonlyMap<string, string>,
  stored: ReadonlyMap<string, string>,
): Map<string, Omit<Claim, 'id' | 'hash'>> {
  const claims = new Map<string, Omit<Claim, 'id' | 'hash'>>();
  for (const identifier of entries.flatMap(({ identifiers }) => identifiers)) {
    const key = identifierKey(identifier);
    const sid = planned.get(key);
    if (sid !== undefined && !stored.has(key)) claims.set(key, { key, identifier, sid });
  }
  return claims;
}

/**
 * Takes the identifiers nobody has and tells which those were, and whether anybody of the account was erased who had said no.
 * Whoever is just taking one of them is waited for, but not by the other accounts of a shared transaction.
 */
async function insertIdentifiers(t: TenantTx, claims: Claim[]): Promise<{ won: Claim[]; asks: boolean }> {
  const rows = await t.merged(t.shared ? storeUnlessBusy : storeClaims, claims);
  if (rows.some(({ id }) => id === null)) throw new OwnTransactionNeeded();
  const won = new Set(rows.map(({ id }) => id));
  return { won: claims.filter(({ id }) => won.has(id)), asks: rows.some(({ asks }) => asks) };
}

// Who takes identifiers holds a lock of the account that keeps nobody else from it. It can be tried whether nobody holds it.
const announced = () => sql`pg_advisory_xact_lock_shared(place) is not null`;
// What people who were erased had forbidden is given back, for which the other accounts must not wait either: nothing of that is kept for any
// of the identifiers, or it is not known whether there is.
const announcedAlone = ({ livemode }: MergedQueries) => sql`case
  when exists (select from opt_out_keys k where k.account_sid = account.account_sid and k.livemode = ${livemode})
    and exists (
      select from item as own
       where own.account_sid = account.account_sid and (own.hash is null or ${isKept(livemode, sql`own`)}) offset 0)
  then false
  when pg_try_advisory_xact_lock_shared(place)
  then case when pg_try_advisory_lock(place) then pg_advisory_unlock(place) else false end else false end`;

/** Whether somebody's no is kept for its hash: found by its whole key, whatever the planner thinks of the table. */
const isKept = (livemode: boolean, asked: Sql) => sql`exists (
  select from erased_opt_outs e
   where e.account_sid = ${asked}.account_sid and e.livemode = ${livemode} and e.hash = decode(${asked}.hash, 'hex') offset 0)`;

/** In one order: by account, and by key within it. Of an account that must not go on, only that is told. */
const storing =
  (mayGoOn: (q: MergedQueries) => Sql) => (q: MergedQueries, asked: readonly Asked<Claim>[]) => {
    const order = ({ accountSid, item }: Asked<Claim>) => `${accountSid} ${item.key}`;
    const sorted = asked.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
    const claims = sorted.map(({ item }) => item);
    return q.many<{ accountSid: string; id: string | null; asks: boolean }>(sql`
    with item as (
      select * from unnest(${accountsOf(sorted)}::text[], ${claims.map(({ id }) => id)}::uuid[],
        ${claims.map(({ sid }) => sid)}::text[], ${claims.map(({ identifier }) => identifier.identifierType)}::text[],
        ${claims.map(({ identifier }) => identifier.scopeRef ?? '')}::text[],
        ${claims.map(({ identifier }) => identifier.value)}::text[], ${claims.map(({ hash }) => hash)}::text[])
        with ordinality as item (account_sid, id, contact_sid, identifier_type, scope_ref, value, hash, n)),
    account as materialized (
      select account_sid, ${mayGoOn(q)} as goes_on from (
        select account_sid, hashtextextended(concat('new identifiers ', account_sid, ${q.livemode}::text), 0) as place
          from item group by account_sid offset 0) as account),
    stored as (
      insert into contact_identifiers (account_sid, livemode, id, contact_sid, identifier_type, scope_ref, value,
        created_at)
      select account_sid, ${q.livemode}, item.id, item.contact_sid, item.identifier_type, item.scope_ref,
        item.value, ${q.now}
        from item join account using (account_sid) where account.goes_on order by item.n
      on conflict (account_sid, livemode, value, identifier_type, scope_ref) do nothing
      returning account_sid, id)
    select account_sid as "accountSid", id, exists (
        select from opt_out_keys k where k.account_sid = stored.account_sid and k.livemode = ${q.livemode}) as asks
      from stored
     union all select account_sid, null, false from account where not goes_on`);
  };
const storeClaims = storing(announced);
const storeUnlessBusy = storing(announcedAlone);

async function lockFound(t: TenantTx, found: Found[], made: ReadonlySet<string>): Promise<void> {
  const involved = found.flatMap(({ contactSid, conflictsWith }) => [contactSid, ...conflictsWith]);
  const there = [...new Set(involved)].filter((sid) => !made.has(sid));
  if (there.length === 0) return;
  // Identifiers belong to live contacts: if one of these is not, it was merged and its identifiers moved.
  if ((await lockLive(t, there)).length < there.length) throw changedHands();
}

type ContactToMake = { sid: string; identifiers: Identifier[]; profile: Profile };

/** A new contact has the profile of the entry that made it and the identifiers of all that found it afterwards. */
function contactsToMake(
  entries: readonly ContactEntry[],
  plans: Resolved[],
  made: ReadonlySet<string>,
  owners: ReadonlyMap<string, string>,
): ContactToMake[] {
  const contacts = new Map<string, { profile: Profile; identifiers: Map<string, Identifier> }>();
  for (const [i, plan] of plans.entries()) {
    if (!isFound(plan) || !made.has(plan.contactSid)) continue;
    const { identifiers, profile } = entries[i]!;
    const contact = contacts.get(plan.contactSid) ?? { profile, identifiers: new Map() };
    contacts.set(plan.contactSid, contact);
    for (const identifier of identifiers) {
      const key = identifierKey(identifier);
      if (owners.get(key) === plan.contactSid) contact.identifiers.set(key, identifier);
    }
  }
  return [...contacts].map(([sid, { profile, identifiers }]) => ({
    sid,
    profile,
    identifiers: [...identifiers.values()],
  }));
}

const columns = fieldList((column) => column);

/**
 * Makes contacts whose identifiers are already claimed for them, and tells for which of these hashes somebody's no is kept: asked with it,
 * since by now everybody has committed who was erased and had one of the identifiers.
 */
async function insertContacts(t: TenantTx, given: ContactToMake[], hashes: string[]) {
  const contacts = given.map((contact) => newContact(t, contact));
  const rows = await t.merged(storeContacts, [
    ...contacts.map((contact) => ({ contact })),
    ...hashes.map((hash) => ({ hash })),
  ]);
  for (const contact of contacts) emit(t, contactEvents.created, contact);
  return { inserted: contacts, kept: new Set(rows.map(({ hash }) => hash)) };
}

type ToStore = { contact: Contact } | { hash: string };

const storeContacts = async (q: MergedQueries, asked: readonly Asked<ToStore>[]) => {
  const made = asked.flatMap(({ item, ...of }) => ('contact' in item ? [{ ...of, item: item.contact }] : []));
  const hashes = asked.flatMap(({ item, ...of }) => ('hash' in item ? [{ ...of, item: item.hash }] : []));
  const contacts = made.map(({ item }) => item);
  const storing = sql`
    insert into contacts (account_sid, livemode, sid, ${columns}, attributes, search, created_at, updated_at)
    select item.account_sid, ${q.livemode}, item.sid, ${fieldList((column) => sql`item.${column}`)},
      item.attributes::jsonb, item.search, ${q.now}, ${q.now}
      from unnest(${accountsOf(made)}::text[], ${contacts.map(({ sid }) => sid)}::text[],
        ${fieldList((_, name) => sql`${contacts.map((contact) => contact[name])}::text[]`)},
        ${contacts.map(({ attributes }) => JSON.stringify(attributes))}::text[],
        ${contacts.map(searchText)}::text[])
        as item (account_sid, sid, ${columns}, attributes, search)`;
  if (hashes.length > 0)
    return q.many<{ accountSid: string; hash: string }>(sql`
      with stored as (${storing})
      select own.account_sid as "accountSid", own.hash
        from unnest(${accountsOf(hashes)}::text[], ${hashes.map(({ item }) => item)}::text[]) as own (account_sid, hash)
       where ${isKept(q.livemode, sql`own`)}`);
  await q.run(storing);
  return [];
};

function newContact(t: TenantTx, { sid, identifiers, profile }: ContactToMake): Contact {
  const at = t.now.toISOString();
  return {
    object: 'contact',
    sid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    status: 'ACTIVE',
    mergedInto: null,
    restrictedBy: null,
    ...forEachField((name) => profile[name] ?? null),
    attributes: withoutNulls(profile.attributes ?? {}),
    identifiers,
    consent: noConsents,
    createdAt: at,
    updatedAt: at,
  };
}

async function announceGains(t: TenantTx, hooks: Hooks, sids: string[]): Promise<Contact[]> {
  if (sids.length === 0) return [];
  await t.run(sql`
    update contacts set updated_at = ${touched(t)}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${sids}::text[])`);
  await refreshSearch(t, sids);
  const contacts = await readContacts(t, hooks, sids);
  for (const contact of contacts) emit(t, contactEvents.updated, contact);
  return contacts;
}
