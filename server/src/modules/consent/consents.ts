// The consent ledger: who agreed to what, when, in which words. Records are added and never changed; the newest for a
// purpose is the one that counts, until it expires.
import {
  type Committed,
  committed,
  detailColumn,
  keepDetail,
  type Link,
  nextLink,
  readRecord,
} from '../../platform/chain.ts';
import type { Asked, MergedQueries, TenantTx } from '../../platform/db/database.ts';
import { accountsOf } from '../../platform/db/merge.ts';
import { plainArray, sql } from '../../platform/db/query.ts';
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newSid } from '../../platform/ids.ts';
import { type Principal, principalName } from '../../platform/principal.ts';
import { audit } from '../audit/index.ts';
import {
  type ConsentPurpose,
  type ConsentSummary,
  identitiesOf,
  lockContact,
  lockContacts,
  noConsents,
} from '../contacts/index.ts';
import { consentEvents } from './events.ts';
import type { Consent, ConsentRecord, NewConsent } from './schema.ts';

const columns = sql`payload, sequence, previous_hash as "previousHash", hash`;
export const stored = sql`${columns}, ${detailColumn('consent', sql`consents`)}`;

/** What is shown is what was hashed, with the detail it is a commitment to, and nothing beside it. */
export function toConsent(link: Link): Consent {
  const { record, detail } = readRecord<ConsentRecord>(link);
  const { sequence, previousHash, hash } = link;
  const hashes = { previousHash: previousHash.toString('hex'), hash: hash.toString('hex') };
  return { object: 'consent', ...record, ledger: { sequence, ...hashes, detail } };
}

// What stays when a person is forgotten, to show that there was a consent and when; all else is words about them.
const lasting = ['capturedAt', 'withdrawnAt', 'reOptIn', 'supersedesConsentSid'];

function commit(record: ConsentRecord): Committed {
  const { evidence, evidenceRef } = record;
  const [kept, said] = [true, false].map((lasts) =>
    Object.entries(evidence ?? {}).filter(([name]) => lasting.includes(name) === lasts),
  ) as [Evidence, Evidence];
  return committed(
    { ...record, evidenceRef: null, evidence: evidence && Object.fromEntries(kept) },
    {
      ...(evidenceRef !== null && { evidenceRef }),
      ...(said.length > 0 && { evidence: Object.fromEntries(said) }),
    },
  );
}

type Evidence = [string, unknown][];

export async function recordConsent(
  t: TenantTx,
  contactSid: string,
  input: NewConsent,
  toldAt?: Date,
): Promise<Consent> {
  const details = judgeConsent(t.now, input);
  if (details.length > 0) throw invalid(...details);
  // Held until the end, so that of two records for one contact the later in the ledger is the one that counts.
  await lockContact(t, contactSid);
  const named = input.evidence?.supersedesConsentSid;
  if (named !== undefined) await refuseForeignRecord(t, contactSid, input.purpose, named);
  const [consent] = await recordConsents(t, [{ contactSid, input, toldAt }]);
  return consent!;
}

/**
 * The record of each entry in order, or why it was refused: as `recordConsent` does it, many at once. A record that is superseded is
 * never named here: it is the one that counts.
 */
export async function recordEach(t: TenantTx, entries: ConsentEntry[]): Promise<(Consent | ApiError)[]> {
  const unlocked = await lockContacts(
    t,
    entries.map(({ contactSid }) => contactSid),
  );
  const refusalOf = ({ contactSid, input }: ConsentEntry) => {
    const details = judgeConsent(t.now, input);
    return details.length > 0 ? invalid(...details) : unlocked.get(contactSid);
  };
  const refusals = entries.map(refusalOf);
  const sound = entries.filter((_, at) => !refusals[at]);
  const consents = (await recordConsents(t, sound)).values();
  return refusals.map((refusal) => refusal ?? consents.next().value!);
}

/** `toldAt`: when the person said it, where that is known; `by`: who records it, where it is not who the transaction is of. */
export type ConsentEntry = {
  contactSid: string;
  input: NewConsent;
  toldAt?: Date | undefined;
  by?: Principal;
};

/**
 * Records consents in their order, in a constant number of statements. Judging them and holding the contacts is the
 * caller's part; so is that a record named as superseded is the contact's own.
 */
export async function recordConsents(t: TenantTx, entries: ConsentEntry[]): Promise<Consent[]> {
  if (entries.length === 0) return [];
  const current = await currentRecords(
    t,
    entries.map(({ contactSid }) => contactSid),
  );
  const records = entries.map(({ contactSid, input, by }): ConsentRecord => {
    const key = `${contactSid} ${input.purpose}`;
    const sid = newSid('CV', t.now);
    const supersedes = input.evidence?.supersedesConsentSid ?? current.get(key) ?? null;
    current.set(key, sid);
    return {
      ...toRecord(t, sid, contactSid, input, supersedes),
      ...(by && { recordedBy: principalName(by) }),
    };
  });
  const consents = (await append(t, records)).map(toConsent);
  for (const [i, consent] of consents.entries()) {
    emit(t, consentEvents.recorded, consent, entries[i]!.toldAt);
    if (consent.status !== 'OPTED_IN') t.outwait(consent.contactSid);
  }
  audit(t, anchorOf(consents));
  return consents;
}

function toRecord(
  t: TenantTx,
  sid: string,
  contactSid: string,
  input: NewConsent,
  supersedesConsentSid: string | null,
): ConsentRecord {
  return {
    sid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    contactSid,
    purpose: input.purpose,
    status: input.status,
    source: input.source,
    evidenceRef: input.evidenceRef ?? null,
    evidence: input.evidence ?? null,
    expiresAt: input.expiresAt === undefined ? null : new Date(input.expiresAt).toISOString(),
    supersedesConsentSid,
    recordedBy: principalName(t.principal),
    createdAt: t.now.toISOString(),
  };
}

/** Many records at once are anchored by their last: its hash holds all before it. */
function anchorOf(consents: Consent[]) {
  const last = consents.at(-1)!;
  const { hash } = last.ledger;
  if (consents.length > 1) {
    const { sequence } = consents[0]!.ledger;
    const facts = {
      records: consents.length,
      firstSequence: sequence,
      lastSequence: last.ledger.sequence,
      hash,
    };
    return { action: 'consent.recorded', facts };
  }
  const { sid, contactSid, purpose, status } = last;
  return { action: 'consent.recorded', resource: sid, facts: { contactSid, purpose, status, hash } };
}

// Clocks of forms and shops run a little ahead of ours.
const skewMs = 5 * 60 * 1000;

/** What a record is judged by beyond its shape. */
export function judgeConsent(now: Date, { expiresAt, evidence }: NewConsent): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  if (expiresAt !== undefined && new Date(expiresAt) <= now) {
    details.push({ path: 'expiresAt', issue: 'must be in the future' });
  }
  for (const name of ['capturedAt', 'withdrawnAt'] as const) {
    const at = evidence?.[name];
    if (at !== undefined && new Date(at).getTime() > now.getTime() + skewMs) {
      details.push({ path: `evidence.${name}`, issue: 'must not be in the future' });
    }
  }
  return details;
}

/** The records that count until now, by contact and purpose. */
async function currentRecords(t: TenantTx, contactSids: string[]): Promise<Map<string, string>> {
  const rows = await t.many<{ key: string; sid: string }>(sql`
    select contact_sid || ' ' || purpose as key, consent_sid as sid from consent_states
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${contactSids}::text[])`);
  return new Map(rows.map(({ key, sid }) => [key, sid]));
}

async function refuseForeignRecord(
  t: TenantTx,
  contactSid: string,
  purpose: string,
  named: string,
): Promise<void> {
  const found = await t.maybe(sql`
    select from consents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${named} and purpose = ${purpose}
       and contact_sid = any (${await identitiesOf(t, contactSid)})`);
  if (found) return;
  const issue = `must be a ${purpose} consent of this contact`;
  throw invalid({ path: 'evidence.supersedesConsentSid', issue });
}

async function append(t: TenantTx, records: ConsentRecord[]): Promise<Link[]> {
  const rows = records.length === 1 ? [await appendOne(t, records[0]!)] : await appendMany(t, records);
  await replaceStates(t, records, rows);
  return rows;
}

async function appendOne(t: TenantTx, record: ConsentRecord): Promise<Link> {
  const { sid, contactSid, purpose, status, expiresAt } = record;
  const { payload, detail } = commit(record);
  const row = await t.one<Link>(sql`
    with link as (${nextLink(t, 'consent', payload)})${keepDetail(t, 'consent', detail)}
    insert into consents (account_sid, livemode, sequence, sid, contact_sid, purpose, status, expires_at, created_at,
      payload, previous_hash, hash)
    select ${t.accountSid}, ${t.livemode}, link.sequence, ${sid}, ${contactSid}, ${purpose}, ${status},
      ${expiresAt}::timestamptz, ${t.now}::timestamptz, ${payload}, link.previous_hash, link.hash from link
    returning ${columns}`);
  return { ...row, detail };
}

async function appendMany(t: TenantTx, records: ConsentRecord[]): Promise<Link[]> {
  const commits = records.map(commit);
  const payloads = commits.map(({ payload }) => payload);
  const rows = await t.many<Link>(sql`
    with next as materialized (
      select * from chain_next(${t.accountSid}, ${t.livemode}, 'consent', ${payloads}::text[])),
    detail as (
      insert into chain_details (account_sid, livemode, chain, sequence, salt, text)
      select ${t.accountSid}, ${t.livemode}, 'consent', next.sequence, decode(said.salt, 'hex'), said.text
        from next
        join unnest(${commits.map(({ detail }) => detail?.salt ?? null)}::text[],
          ${commits.map(({ detail }) => detail?.text ?? null)}::text[])
          with ordinality as said (salt, text, link) using (link)
       where said.salt is not null)
    insert into consents (account_sid, livemode, sequence, sid, contact_sid, purpose, status, expires_at, created_at,
      payload, previous_hash, hash)
    select ${t.accountSid}, ${t.livemode}, next.sequence, item.sid, item.contact_sid, item.purpose, item.status,
      item.expires_at, ${t.now}, item.payload, next.previous_hash, next.hash
      from next
      join unnest(${records.map(({ sid }) => sid)}::text[], ${records.map(({ contactSid }) => contactSid)}::text[],
          ${records.map(({ purpose }) => purpose)}::text[], ${records.map(({ status }) => status)}::text[],
          ${records.map(({ expiresAt }) => expiresAt)}::timestamptz[], ${payloads}::text[])
        with ordinality as item (sid, contact_sid, purpose, status, expires_at, payload, link) using (link)
    returning ${columns}`);
  return rows
    .sort((a, b) => (BigInt(a.sequence) < BigInt(b.sequence) ? -1 : 1))
    .map((row, at) => ({ ...row, detail: commits[at]!.detail }));
}

/** The last record of a contact and purpose is the one that counts. */
async function replaceStates(t: TenantTx, records: ConsentRecord[], rows: Link[]): Promise<void> {
  const last = new Map(
    records.map((record, i) => [
      `${record.contactSid} ${record.purpose}`,
      { ...record, sequence: rows[i]!.sequence },
    ]),
  );
  const states = [...last.values()].sort((a, b) => (a.contactSid < b.contactSid ? -1 : 1));
  await t.run(sql`
    insert into consent_states (account_sid, livemode, contact_sid, purpose, consent_sid, sequence, status, expires_at,
      recorded_at)
    select ${t.accountSid}, ${t.livemode}, item.contact_sid, item.purpose, item.sid, item.sequence, item.status,
      item.expires_at, ${t.now}
      from unnest(${states.map(({ contactSid }) => contactSid)}::text[],
        ${states.map(({ purpose }) => purpose)}::text[], ${states.map(({ sid }) => sid)}::text[],
        ${states.map(({ sequence }) => sequence)}::bigint[], ${states.map(({ status }) => status)}::text[],
        ${states.map(({ expiresAt }) => expiresAt)}::timestamptz[])
        as item (contact_sid, purpose, sid, sequence, status, expires_at)
    on conflict (account_sid, contact_sid, purpose) do update set consent_sid = excluded.consent_sid,
      sequence = excluded.sequence, status = excluded.status, expires_at = excluded.expires_at,
      recorded_at = excluded.recorded_at`);
}

/** The records a contact holds, newest first: its own and those of contacts merged into it. */
export async function listConsents(t: TenantTx, contactSid: string, pager: Pager) {
  const identities = await identitiesOf(t, contactSid);
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<Link>(sql`
    select ${stored} from consents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${identities})
       ${before === null ? sql`` : sql`and sequence < ${before}::bigint`}
     order by sequence desc limit ${pager.fetch}`);
  return pager.page(rows, ({ sequence }) => [sequence], toConsent);
}

export async function getConsent(t: TenantTx, contactSid: string, sid: string): Promise<Consent> {
  const row = await t.maybe<Link>(sql`
    select ${stored} from consents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}
       and contact_sid = any (${await identitiesOf(t, contactSid)})`);
  if (!row) throw new ApiError('NOT_FOUND');
  return toConsent(row);
}

/** Records by their SIDs, whosever they are. */
export async function consentsBySid(t: TenantTx, sids: readonly string[]): Promise<Map<string, Consent>> {
  if (sids.length === 0) return new Map();
  const rows = await t.many<Link>(sql`
    select ${stored} from consents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${[...sids]}::text[])`);
  return new Map(rows.map(toConsent).map((consent) => [consent.sid, consent]));
}

/** A record whose time has passed counts as EXPIRED, whatever it said. */
export const statusNow = (now: Date) => sql`case when expires_at <= ${now} then 'EXPIRED' else status end`;

type State = { contactSid: string; purpose: ConsentPurpose } & ConsentSummary[ConsentPurpose];

const findStates = (q: MergedQueries, asked: readonly Asked<string>[]) =>
  q.many<State & { accountSid: string }>(sql`
    select state.account_sid as "accountSid", contact_sid as "contactSid", purpose, ${statusNow(q.now)} as status,
      consent_sid as "consentSid", recorded_at as "recordedAt", expires_at as "expiresAt"
      from unnest(${accountsOf(asked)}::text[], ${asked.map(({ item }) => item)}::text[]) as person (account_sid, known_as)
     cross join lateral (
       select * from consent_states s
        where s.account_sid = person.account_sid and livemode = ${q.livemode} and contact_sid = person.known_as
       offset 0) as state`);

export async function consentsOf(
  t: TenantTx,
  contactSids: readonly string[],
): Promise<Map<string, ConsentSummary>> {
  const states = await t.merged(findStates, [...new Set(contactSids)]);
  const summaries = new Map<string, ConsentSummary>();
  for (const { accountSid: _, contactSid, purpose, ...state } of states) {
    summaries.set(contactSid, { ...(summaries.get(contactSid) ?? noConsents), [purpose]: state });
  }
  return summaries;
}

/** What somebody last said for the purposes they were asked about, as far as it decides anything. */
export type ConsentStanding = Partial<
  Record<ConsentPurpose, Pick<ConsentSummary[ConsentPurpose], 'status' | 'consentSid'>>
>;

/** For a part of a large audience: looked up in the order of the index, which for thousands at once costs far less. */
export async function consentsOfAudience(
  t: TenantTx,
  contactSids: readonly string[],
): Promise<Map<string, ConsentStanding>> {
  const rows = await t.many<Pick<State, 'contactSid' | 'purpose' | 'status' | 'consentSid'>>(sql`
    select contact_sid as "contactSid", purpose, ${statusNow(t.now)} as status, consent_sid as "consentSid"
      from consent_states
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       and contact_sid = any (${plainArray([...contactSids])}::text[])`);
  const found = new Map<string, ConsentStanding>();
  for (const { contactSid, purpose, status, consentSid } of rows) {
    const standing = found.get(contactSid);
    if (standing) standing[purpose] = { status, consentSid };
    else found.set(contactSid, { [purpose]: { status, consentSid } });
  }
  return found;
}

/** Makes what counts for a contact anew from the ledger; for when records change hands. */
export async function rebuildStates(t: TenantTx, contactSid: string, identities: string[]): Promise<void> {
  await Promise.all([
    t.run(sql`
      delete from consent_states
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}`),
    t.run(sql`
      insert into consent_states (account_sid, livemode, contact_sid, purpose, consent_sid, sequence, status,
        expires_at, recorded_at)
      select distinct on (purpose) account_sid, livemode, ${contactSid}, purpose, sid, sequence, status, expires_at,
        created_at
        from consents
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${identities})
       order by purpose, sequence desc`),
  ]);
}

/** The SIDs of the records some contacts made, oldest first. */
export async function consentSidsOf(t: TenantTx, contactSids: string[]): Promise<string[]> {
  const rows = await t.many<{ sid: string }>(sql`
    select sid from consents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${contactSids})
     order by sequence`);
  return rows.map(({ sid }) => sid);
}
