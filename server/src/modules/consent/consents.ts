// The consent ledger: who agreed to what, when, in which words. Records are added and never changed; the newest for a
// purpose is the one that counts, until it expires.
import { chainPayload } from '../../platform/chain.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import { newSid } from '../../platform/ids.ts';
import type { Pager } from '../../platform/pagination.ts';
import { principalName } from '../../platform/principal.ts';
import { audit } from '../audit/index.ts';
import {
  type ConsentPurpose,
  type ConsentSummary,
  holdContact,
  identitiesOf,
  noConsents,
} from '../contacts/index.ts';
import type { Consent, ConsentRecord, NewConsent } from './schema.ts';

type Row = { payload: string; sequence: string; previousHash: Buffer; hash: Buffer };

const columns = sql`payload, sequence, previous_hash as "previousHash", hash`;

/** What is shown is what was hashed, and nothing beside it. */
const toConsent = ({ payload, sequence, previousHash, hash }: Row): Consent => ({
  object: 'consent',
  ...(JSON.parse(payload) as ConsentRecord),
  ledger: { sequence, previousHash: previousHash.toString('hex'), hash: hash.toString('hex') },
});

export async function recordConsent(t: TenantTx, contactSid: string, input: NewConsent): Promise<Consent> {
  const details = judgeTimes(t.now, input);
  if (details.length > 0) throw invalid(...details);
  // Held until the end, so that of two records for one contact the later in the ledger is the one that counts.
  await holdContact(t, contactSid);
  const record: ConsentRecord = {
    sid: newSid('CV', t.now),
    accountSid: t.accountSid,
    livemode: t.livemode,
    contactSid,
    purpose: input.purpose,
    status: input.status,
    source: input.source,
    evidenceRef: input.evidenceRef ?? null,
    evidence: input.evidence ?? null,
    expiresAt: input.expiresAt === undefined ? null : new Date(input.expiresAt).toISOString(),
    supersedesConsentSid: await supersededBy(t, contactSid, input),
    recordedBy: principalName(t.principal),
    createdAt: t.now.toISOString(),
  };
  const consent = toConsent(await append(t, record));
  audit(t, {
    action: 'consent.recorded',
    resource: record.sid,
    facts: { contactSid, purpose: record.purpose, status: record.status, hash: consent.ledger.hash },
  });
  emit(t, 'consent.recorded', consent);
  return consent;
}

// Clocks of forms and shops run a little ahead of ours.
const skewMs = 5 * 60 * 1000;

function judgeTimes(now: Date, { expiresAt, evidence }: NewConsent): ErrorDetail[] {
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

/** The record this one replaces: the one named, or else the one that counted until now. */
async function supersededBy(
  t: TenantTx,
  contactSid: string,
  { purpose, evidence }: NewConsent,
): Promise<string | null> {
  const named = evidence?.supersedesConsentSid;
  if (named === undefined) {
    const current = await t.maybe<{ sid: string }>(sql`
      select consent_sid as sid from consent_states
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}
         and purpose = ${purpose}`);
    return current?.sid ?? null;
  }
  const found = await t.maybe(sql`
    select from consents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${named} and purpose = ${purpose}
       and contact_sid = any (${await identitiesOf(t, contactSid)})`);
  if (found) return named;
  const issue = `must be a ${purpose} consent of this contact`;
  throw invalid({ path: 'evidence.supersedesConsentSid', issue });
}

async function append(t: TenantTx, record: ConsentRecord): Promise<Row> {
  const payload = chainPayload(record);
  const { sid, contactSid, purpose, status, expiresAt, createdAt } = record;
  const row = await t.one<Row>(sql`
    insert into consents (account_sid, livemode, sequence, sid, contact_sid, purpose, status, expires_at, created_at,
      payload, previous_hash, hash)
    select ${t.accountSid}, ${t.livemode}, next.sequence, ${sid}, ${contactSid}, ${purpose}, ${status},
      ${expiresAt}::timestamptz, ${createdAt}::timestamptz, ${payload}, next.previous_hash, next.hash
      from chain_next(${t.accountSid}, ${t.livemode}, 'consent', ${[payload]}::text[]) as next
    returning ${columns}`);
  await t.run(sql`
    insert into consent_states (account_sid, livemode, contact_sid, purpose, consent_sid, sequence, status, expires_at,
      recorded_at)
    values (${t.accountSid}, ${t.livemode}, ${contactSid}, ${purpose}, ${sid}, ${row.sequence}, ${status},
      ${expiresAt}, ${createdAt})
    on conflict (account_sid, contact_sid, purpose) do update set consent_sid = excluded.consent_sid,
      sequence = excluded.sequence, status = excluded.status, expires_at = excluded.expires_at,
      recorded_at = excluded.recorded_at`);
  return row;
}

/** The records a contact holds, newest first: its own and those of contacts merged into it. */
export async function listConsents(t: TenantTx, contactSid: string, pager: Pager) {
  const identities = await identitiesOf(t, contactSid);
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<Row>(sql`
    select ${columns} from consents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${identities})
       ${before === null ? sql`` : sql`and sequence < ${before}::bigint`}
     order by sequence desc limit ${pager.fetch}`);
  return pager.page(rows, ({ sequence }) => [sequence], toConsent);
}

export async function getConsent(t: TenantTx, contactSid: string, sid: string): Promise<Consent> {
  const row = await t.maybe<Row>(sql`
    select ${columns} from consents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}
       and contact_sid = any (${await identitiesOf(t, contactSid)})`);
  if (!row) throw new ApiError('NOT_FOUND');
  return toConsent(row);
}

/** A record whose time has passed counts as EXPIRED, whatever it said. */
export const statusNow = (now: Date) => sql`case when expires_at <= ${now} then 'EXPIRED' else status end`;

type State = { contactSid: string; purpose: ConsentPurpose } & ConsentSummary[ConsentPurpose];

export async function consentsOf(t: TenantTx, contactSids: string[]): Promise<Map<string, ConsentSummary>> {
  const states = await t.many<State>(sql`
    select contact_sid as "contactSid", purpose, ${statusNow(t.now)} as status, consent_sid as "consentSid",
      recorded_at as "recordedAt", expires_at as "expiresAt"
      from consent_states
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${contactSids})`);
  const summaries = new Map<string, ConsentSummary>();
  for (const { contactSid, purpose, ...state } of states) {
    summaries.set(contactSid, { ...(summaries.get(contactSid) ?? noConsents), [purpose]: state });
  }
  return summaries;
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
