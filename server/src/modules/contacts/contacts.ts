// A contact as it is read, listed and locked. A MERGED contact can be read; whoever writes to it is told the
// survivor.
import { needsOwnTransaction, type TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { ApiError, invalid } from '../../platform/errors/errors.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { fieldList } from './fields.ts';
import type { ContactHooks } from './hooks.ts';
import { identifierFilter } from './identifiers/identifiers.ts';
import { otherForms } from './identifiers/number-forms.ts';
import { knownIdentifiers } from './identifiers/owners.ts';
import { isRestricted } from './restrictions.ts';
import { type ConsentSummary, type Contact, type ContactQuery, consentPurposes } from './schema.ts';
import { searchPattern, searchText } from './search.ts';

const columns = sql`'contact' as object, c.sid, c.account_sid as "accountSid", c.livemode,
  case when c.erased_at is not null then 'ERASED' when c.merged_into is null then 'ACTIVE' else 'MERGED' end as status,
  c.merged_into as "mergedInto", (select min(r.request_sid) from contact_restrictions r
    where r.account_sid = c.account_sid and r.contact_sid = c.sid) as "restrictedBy",
  ${fieldList((column, name) => sql`c.${column} as ${sql.id(name)}`)}, c.attributes,
  ${knownIdentifiers} as identifiers,
  c.created_at as "createdAt", c.updated_at as "updatedAt"`;

type Row = Omit<Contact, 'consent'>;

const unknown = { status: 'UNKNOWN', consentSid: null, recordedAt: null, expiresAt: null };
export const noConsents = Object.fromEntries(
  consentPurposes.map((purpose) => [purpose, unknown]),
) as ConsentSummary;

export async function readContacts(
  t: TenantTx,
  hooks: Pick<ContactHooks, 'consentsOf'>,
  sids: string[],
): Promise<Contact[]> {
  const [rows, consents] = await Promise.all([
    t.many<Row>(sql`
      select ${columns} from contacts c
       where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = any (${sids})`),
    hooks.consentsOf(t, sids),
  ]);
  return rows.map((row) => ({ ...row, consent: consents.get(row.sid) ?? noConsents }));
}

export async function getContact(t: TenantTx, hooks: ContactHooks, sid: string): Promise<Contact> {
  const [contact] = await readContacts(t, hooks, [sid]);
  if (!contact) throw new ApiError('NOT_FOUND');
  return contact;
}

/** Live contacts, newest first; whoever is restricted only when asked for by an identifier. SIDs begin with their time, so their order is that of creation. */
export async function listContacts(
  t: TenantTx,
  hooks: Pick<ContactHooks, 'consentsOf'>,
  query: ContactQuery,
  pager: Pager,
) {
  const sids = await findSids(t, query, pager);
  const found = new Map((await readContacts(t, hooks, sids)).map((contact) => [contact.sid, contact]));
  const page = pager.page(
    sids,
    (sid) => [sid],
    (sid) => found.get(sid),
  );
  // A contact merged between the two statements is no longer live, and left out.
  return { ...page, data: page.data.filter((contact) => contact?.status === 'ACTIVE') };
}

async function findSids(t: TenantTx, query: ContactQuery, pager: Pager): Promise<string[]> {
  const before = (pager.after?.[0] ?? null) as string | null;
  const pattern = searchPattern(query.q);
  const filter = identifierFilter(query);
  if (filter && 'details' in filter) throw invalid(...filter.details);
  // Conditions are written only when they apply: a plan made for all cases could not begin where a page begins.
  const live = sql`c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.merged_into is null
    ${before === null ? sql`` : sql`and c.sid < ${before}`}`;
  const newest = sql`order by c.sid desc limit ${pager.fetch}`;
  if (filter) {
    const owners = await findOwners(t, filter);
    return sidsOf(
      t,
      sql`
      select c.sid from contacts c
       where ${live} and c.sid = any (${owners}) and (${pattern}::text is null or c.search like ${pattern}) ${newest}`,
    );
  }
  if (pattern !== null) {
    return sidsOf(
      t,
      sql`
      select sid from find_contacts(${t.accountSid}, ${t.livemode}, ${pattern}, ${before}, ${pager.fetch}) as sid`,
    );
  }
  return sidsOf(
    t,
    sql`select c.sid from contacts c where ${live} and not ${isRestricted(t, sql`c.sid`)} ${newest}`,
  );
}

const sidsOf = async (t: TenantTx, query: ReturnType<typeof sql>) =>
  (await t.many<{ sid: string }>(query)).map(({ sid }) => sid);

type Filter = { values: string[]; identifierType: string | null; scopeRef: string | null };

/**
 * The contacts that own an identifier asked after; usually one or none. A number that nobody has is looked for in the other
 * forms it is written in.
 */
export async function findOwners(t: TenantTx, filter: Filter): Promise<string[]> {
  const forms = filter.values.flatMap(otherForms);
  const rows = await t.many<{ sid: string; exact: boolean }>(sql`
    select contact_sid as sid, bool_or(value = any (${filter.values})) as exact from contact_identifiers
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and value = any (${[...filter.values, ...forms]})
       and (${filter.identifierType}::text is null or identifier_type = ${filter.identifierType})
       and (${filter.scopeRef}::text is null or scope_ref = ${filter.scopeRef})
     group by contact_sid`);
  const exact = rows.filter((row) => row.exact);
  return (exact.length > 0 ? exact : rows).map(({ sid }) => sid);
}

/** How many live contacts there are, without those that are restricted. */
export async function countContacts(t: TenantTx): Promise<number> {
  const { count } = await t.one<{ count: number }>(sql`
    select count(*)::integer as count from contacts c
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.merged_into is null
       and not ${isRestricted(t, sql`c.sid`)}`);
  return count;
}

/**
 * Locks live contacts until the transaction ends, in the order of their SIDs; those that are merged or erased are left out. Nobody
 * but a merge or its revert ever locks a merged contact, so such a lock cannot close a circle.
 */
export async function lockLive(t: TenantTx, sids: string[], waiting: Sql = sql``): Promise<string[]> {
  return sidsOf(
    t,
    sql`
    select sid from contacts
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${sids}) and merged_into is null
       and erased_at is null
     order by sid for no key update ${waiting}`,
  );
}

/**
 * A merge or revert came between looking and locking. Trying on would take locks out of order, since those taken so far
 * are kept; so the whole transaction is tried again, as after any serialization failure.
 */
export function changedHands(): Error {
  return Object.assign(new Error('a contact changed hands meanwhile'), { code: '40001' });
}

/** Locks a live contact for a write that belongs to it, before anything is written. Others do not wait for it too. */
export async function lockContact(t: TenantTx, sid: string): Promise<void> {
  const refusal = (await lockContacts(t, [sid])).get(sid);
  if (refusal) throw refusal;
}

/** The same of many, in one order; tells why of those it cannot lock. */
export async function lockContacts(t: TenantTx, sids: readonly string[]): Promise<Map<string, ApiError>> {
  const held = new Set(await lockLive(t, [...new Set(sids)], t.shared ? sql`skip locked` : sql``));
  const missing = sids.filter((sid) => !held.has(sid));
  if (missing.length === 0) return new Map();
  needsOwnTransaction(t);
  const survivors = await survivorsOf(t, missing);
  const erased = await erasedAmong(t, missing);
  return new Map(
    missing.map((sid) => [sid, erased.has(sid) ? erasedConflict(sid) : refusalOf(sid, survivors.get(sid))]),
  );
}

export const erasedConflict = (sid: string): ApiError =>
  new ApiError('CONFLICT', {
    message: 'The contact was erased.',
    details: [{ path: 'contactSid', issue: `${sid} was erased` }],
  });

async function erasedAmong(t: TenantTx, sids: readonly string[]): Promise<Set<string>> {
  const rows = await t.many<{ sid: string }>(sql`
    select sid from contacts
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${[...sids]}::text[]) and erased_at is not null`);
  return new Set(rows.map(({ sid }) => sid));
}

function refusalOf(sid: string, survivor: string | undefined): ApiError {
  if (survivor === sid) throw changedHands();
  return survivor === undefined ? new ApiError('NOT_FOUND') : mergedConflict(sid, survivor);
}

/** Locks the contact, or whoever it was merged into: for what happens to a person, whatever they are called now. */
export async function lockSurvivor(t: TenantTx, sid: string): Promise<string> {
  const survivor = await survivorOf(t, sid);
  const [held] = await lockLive(t, [survivor]);
  if (held === undefined) throw (await isErased(t, survivor)) ? erasedConflict(survivor) : changedHands();
  return held;
}

export function mergedConflict(sid: string, survivorSid: string): ApiError {
  return new ApiError('CONFLICT', {
    message: `The contact was merged into ${survivorSid}.`,
    details: [{ path: 'contactSid', issue: `${sid} was merged into ${survivorSid}` }],
  });
}

/** The live contact behind a SID, itself or its survivor; reads only. */
export async function survivorOf(t: TenantTx, sid: string): Promise<string> {
  const row = await t.maybe<{ survivor: string }>(sql`
    select coalesce(merged_into, sid) as survivor from contacts
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}`);
  if (!row) throw new ApiError('NOT_FOUND');
  return row.survivor;
}

/** The live contacts behind many SIDs, each itself or its survivor; reads only, and leaves out what is not there. */
export async function survivorsOf(t: TenantTx, sids: readonly string[]): Promise<Map<string, string>> {
  const rows = await t.many<{ sid: string; survivor: string }>(sql`
    select sid, coalesce(merged_into, sid) as survivor from contacts
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${[...sids]}::text[])`);
  return new Map(rows.map(({ sid, survivor }) => [sid, survivor]));
}

/** Every SID this contact answers for: its own and those merged into it. None for one that is merged itself. */
export async function identitiesOf(t: TenantTx, sid: string): Promise<string[]> {
  const row = await t.maybe<{ mergedInto: string | null; others: string[] }>(sql`
    select c.merged_into as "mergedInto",
      array(select m.sid from contacts m where m.account_sid = c.account_sid and m.merged_into = c.sid) as others
      from contacts c
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = ${sid}`);
  if (!row) throw new ApiError('NOT_FOUND');
  return row.mergedInto === null ? [sid, ...row.others] : [];
}

/** The change must be visible as one even within a millisecond, or `expectedUpdatedAt` could not tell. */
export const touched = (t: TenantTx) => sql`greatest(${t.now}, updated_at + interval '1 millisecond')`;

/** Attributes are changed name by name: what is not named stays, and null removes. */
export const changedAttributes = (current: Sql, added: Sql, removed: Sql): Sql =>
  sql`(${current} || ${added}) - ${removed}`;

/** Writes anew what search looks in, after names or identifiers changed. */
export async function refreshSearch(t: TenantTx, sids: string[]): Promise<void> {
  const rows = await t.many<Row>(sql`
    select ${columns} from contacts c
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = any (${sids})`);
  await t.run(sql`
    update contacts c set search = next.search
      from unnest(${rows.map(({ sid }) => sid)}::text[], ${rows.map(searchText)}::text[]) as next (sid, search)
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = next.sid
       and c.search <> next.search`);
}

/** What is left of somebody who was erased is the SID. */
export const isErased = async (t: TenantTx, sid: string): Promise<boolean> =>
  (await erasedAmong(t, [sid])).has(sid);
