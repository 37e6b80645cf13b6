// Many contacts from their identifiers, in a constant number of statements, as if each entry had been sent by itself and
// in this order: an entry may find the contact that an earlier one made.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { ErrorDetail } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import { newSid } from '../../platform/ids.ts';
import { type Claim, claimEach } from './addressees.ts';
import { openConflicts } from './conflicts.ts';
import { changedHands, lockLive, readContacts, refreshSearch, touched } from './contacts.ts';
import {
  insertContacts,
  maxIdentifiers,
  ownerOf,
  ownersOf,
  type Profile,
  tooManyIdentifiers,
} from './find-or-create-contact.ts';
import type { ContactHooks } from './hooks.ts';
import { identifierKey } from './identifiers.ts';
import type { Identifier } from './schema.ts';

export type ContactEntry = { identifiers: Identifier[]; profile: Profile };

export type Resolved =
  | {
      contactSid: string;
      outcome: 'created' | 'updated' | 'unchanged';
      /** Other contacts that own some of the identifiers; an identity conflict with each is opened. */
      conflictsWith: string[];
    }
  | { issue: ErrorDetail };

/** Who owns which identifier and how many each contact has, as far as it was looked up or planned. */
export type Known = { owners: Map<string, string>; counts: Map<string, number> };

/** What would happen, without doing it. `known` learns what was planned, so that later entries build on it. */
export async function planContacts(
  t: TenantTx,
  entries: ContactEntry[],
  known: Known = { owners: new Map(), counts: new Map() },
): Promise<Resolved[]> {
  for (const [key, owner] of await storedOwners(t, entries)) known.owners.set(key, owner);
  await learnCounts(t, entries, known);
  return entries.map((entry) => planOne(t, entry, known));
}

const storedOwners = (t: TenantTx, entries: ContactEntry[]) =>
  ownersOf(
    t,
    entries.flatMap(({ identifiers }) => identifiers),
  );

/** Only for contacts that some entry would give another identifier: most files give none. */
async function learnCounts(t: TenantTx, entries: ContactEntry[], { owners, counts }: Known): Promise<void> {
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

function planOne(t: TenantTx, { identifiers }: ContactEntry, { owners, counts }: Known): Resolved {
  const keys = identifiers.map(identifierKey);
  const unseen = keys.filter((key) => !owners.has(key));
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

/** Finds or makes the contact of every entry. All that were found are held until the transaction ends. */
export async function resolveContacts(
  t: TenantTx,
  hooks: Pick<ContactHooks, 'consentsOf'>,
  entries: ContactEntry[],
): Promise<Resolved[]> {
  const before = await storedOwners(t, entries);
  const known: Known = { owners: new Map(before), counts: new Map() };
  await learnCounts(t, entries, known);
  const plans = entries.map((entry) => planOne(t, entry, known));
  await claimPlanned(t, entries, known.owners, before);
  const made = new Set(
    plans.flatMap((plan) => ('outcome' in plan && plan.outcome === 'created' ? plan.contactSid : [])),
  );
  await holdFound(t, plans, made);
  await insertPlanned(t, entries, plans, made, known.owners);
  const gained = plans.flatMap((plan) =>
    'outcome' in plan && plan.outcome === 'updated' ? plan.contactSid : [],
  );
  await announceGains(
    t,
    hooks,
    [...new Set(gained)].filter((sid) => !made.has(sid)),
  );
  for (const [i, plan] of plans.entries()) {
    if ('outcome' in plan && plan.conflictsWith.length > 0) {
      await openConflicts(t, plan.contactSid, plan.conflictsWith, entries[i]!.identifiers);
    }
  }
  return plans;
}

async function claimPlanned(
  t: TenantTx,
  entries: ContactEntry[],
  planned: Map<string, string>,
  before: Map<string, string>,
): Promise<void> {
  const claims = new Map<string, Claim>();
  for (const identifier of entries.flatMap(({ identifiers }) => identifiers)) {
    const key = identifierKey(identifier);
    const sid = planned.get(key);
    if (sid !== undefined && !before.has(key)) claims.set(key, { key, identifier, sid });
  }
  if (claims.size === 0) return;
  // Somebody took one of them meanwhile: what was planned no longer holds, and is planned again.
  if ((await claimEach(t, [...claims.values()])) < claims.size) throw changedHands();
}

async function holdFound(t: TenantTx, plans: Resolved[], made: Set<string>): Promise<void> {
  const involved = plans.flatMap((plan) =>
    'outcome' in plan ? [plan.contactSid, ...plan.conflictsWith] : [],
  );
  const found = [...new Set(involved)].filter((sid) => !made.has(sid));
  if (found.length === 0) return;
  // Identifiers belong to live contacts: if one of these is not, it was merged and its identifiers moved.
  if ((await lockLive(t, found)).length < found.length) throw changedHands();
}

/** A new contact has the profile of the entry that made it and the identifiers of all that found it afterwards. */
async function insertPlanned(
  t: TenantTx,
  entries: ContactEntry[],
  plans: Resolved[],
  made: Set<string>,
  owners: Map<string, string>,
): Promise<void> {
  const contacts = new Map<string, { profile: Profile; identifiers: Map<string, Identifier> }>();
  for (const [i, plan] of plans.entries()) {
    if (!('outcome' in plan) || !made.has(plan.contactSid)) continue;
    const { identifiers, profile } = entries[i]!;
    const contact = contacts.get(plan.contactSid) ?? { profile, identifiers: new Map() };
    contacts.set(plan.contactSid, contact);
    for (const identifier of identifiers) {
      const key = identifierKey(identifier);
      if (owners.get(key) === plan.contactSid) contact.identifiers.set(key, identifier);
    }
  }
  await insertContacts(
    t,
    [...contacts].map(([sid, { profile, identifiers }]) => ({
      sid,
      profile,
      identifiers: [...identifiers.values()],
    })),
  );
}

async function announceGains(
  t: TenantTx,
  hooks: Pick<ContactHooks, 'consentsOf'>,
  sids: string[],
): Promise<void> {
  if (sids.length === 0) return;
  await t.run(sql`
    update contacts set updated_at = ${touched(t)}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${sids}::text[])`);
  await refreshSearch(t, sids);
  for (const contact of await readContacts(t, hooks, sids)) emit(t, 'contact.updated', contact);
}
