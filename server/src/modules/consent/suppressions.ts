// Whom not to write to. A suppression is in force from its making until it is lifted or expires; the row is kept.
//   none → in force → lifted | expired
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newSid } from '../../platform/ids.ts';
import { type Principal, principalName } from '../../platform/principal.ts';
import { roundsOf } from '../../platform/queue/rounds.ts';
import {
  findOwners,
  identifierFilter,
  judgeIdentifier,
  lockContact,
  lockContacts,
  requireFound,
  resolveContacts,
  survivorOf,
} from '../contacts/index.ts';
import { requireSender } from '../senders/index.ts';
import { consentsOf } from './consents.ts';
import { suppressionEvents } from './events.ts';
import { inForce } from './in-force.ts';
import { queueMirroring } from './mirror-suppressions.ts';
import type { NewSuppression, Suppression, SuppressionQuery, SuppressionTerms } from './schema.ts';

export const suppressionColumns = (
  now: Date,
) => sql`'suppression' as object, sid, account_sid as "accountSid", livemode,
  contact_sid as "contactSid", reason, scope, sender_sid as "senderSid", source, ${inForce(now)} as active,
  expires_at as "expiresAt", mirror_to_provider as "mirrorToProvider",
  mirrored_at as "mirroredAt", mirror_failure as "mirrorFailure", created_by as "createdBy",
  lifted_at as "liftedAt", lifted_by as "liftedBy", lift_reason as "liftReason", created_at as "createdAt",
  updated_at as "updatedAt"`;

/** By contact or by identifier; a contact is made for an identifier nobody has seen. */
export async function createSuppression(t: TenantTx, input: NewSuppression): Promise<Suppression> {
  const { contactSid, identifier, identifierType, scopeRef, source = 'API', ...terms } = input;
  const details = judgeTarget(input);
  if (details.length > 0) throw invalid(...details);
  if (contactSid !== undefined) return suppressContact(t, contactSid, { ...terms, source });
  await judgeTerms(t, { ...terms, source });
  const given = { identifierType: identifierType!, value: identifier!, scopeRef: scopeRef ?? null };
  const judged = judgeIdentifier(given, { value: 'identifier', scopeRef: 'scopeRef' });
  if (judged.details.length > 0) throw invalid(...judged.details);
  const person = { identifiers: [judged.identifier], profile: {} };
  const [resolved] = await resolveContacts(t, { consentsOf }, [person], { lock: true });
  return suppressOne(t, requireFound(resolved!).contactSid, { ...terms, source });
}

function judgeTarget({ contactSid, identifier, identifierType, scopeRef }: NewSuppression): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  if ((contactSid === undefined) === (identifier === undefined)) {
    const issue = 'exactly one of contactSid and identifier must be given';
    return [
      { path: 'contactSid', issue },
      { path: 'identifier', issue },
    ];
  }
  if (identifier !== undefined && identifierType === undefined) {
    details.push({ path: 'identifierType', issue: 'is required beside identifier' });
  }
  for (const [path, value] of Object.entries({ identifierType, scopeRef })) {
    if (identifier === undefined && value !== undefined)
      details.push({ path, issue: 'needs identifier beside it' });
  }
  return details;
}

async function judgeTerms(t: TenantTx, { expiresAt, source, senderSid }: SuppressionTerms): Promise<void> {
  const details: ErrorDetail[] = [];
  if (source.trim() === '') details.push({ path: 'source', issue: 'must not be blank' });
  if (expiresAt !== undefined && new Date(expiresAt) <= t.now) {
    details.push({ path: 'expiresAt', issue: 'must be in the future' });
  }
  if (details.length > 0) throw invalid(...details);
  if (senderSid !== undefined) await requireSender(t, senderSid, 'senderSid');
}

export async function suppressContact(
  t: TenantTx,
  contactSid: string,
  terms: SuppressionTerms,
  toldAt?: Date,
): Promise<Suppression> {
  await lockContact(t, contactSid);
  await judgeTerms(t, terms);
  return suppressOne(t, contactSid, terms, toldAt);
}

async function suppressOne(t: TenantTx, contactSid: string, terms: SuppressionTerms, toldAt?: Date) {
  const [suppression] = await suppressLocked(t, [{ contactSid, terms, toldAt }]);
  return suppression!;
}

/** `toldAt`: when the person said it, where that is known; `by`: who does it, where it is not who the transaction is of. */
export type SuppressionEntry = {
  contactSid: string;
  terms: SuppressionTerms;
  toldAt?: Date | undefined;
  by?: Principal;
};

/** The suppression of each entry in order, or why it was refused: as `suppressContact` does it, many at once. */
export async function suppressEach(
  t: TenantTx,
  entries: readonly SuppressionEntry[],
): Promise<(Suppression | ApiError)[]> {
  const unlocked = await lockContacts(
    t,
    entries.map(({ contactSid }) => contactSid),
  );
  const ends = new Map<SuppressionEntry, Suppression | ApiError>();
  for (const entry of entries) {
    const refusal = unlocked.get(entry.contactSid) ?? (await refusalOf(judgeTerms(t, entry.terms)));
    if (refusal) ends.set(entry, refusal);
  }
  const sound = entries.filter((entry) => !ends.has(entry));
  // One that is repeated finds the one before it.
  for (const round of roundsOf(sound, ({ contactSid }) => contactSid)) {
    for (const [at, made] of (await suppressLocked(t, round)).entries()) ends.set(round[at]!, made);
  }
  return entries.map((entry) => ends.get(entry)!);
}

const refusalOf = (judged: Promise<void>): Promise<ApiError | null> =>
  judged.then(
    () => null,
    (error) => {
      if (error instanceof ApiError) return error;
      throw error;
    },
  );

/**
 * Suppresses contacts that the caller holds, each once, on terms it has judged. Repeating one that is in force answers with
 * that one. It never ends sooner for it, but may end later.
 */
export async function suppressLocked(
  t: TenantTx,
  entries: readonly SuppressionEntry[],
): Promise<Suppression[]> {
  if (entries.length === 0) return [];
  for (const { contactSid } of entries) t.outwait(contactSid);
  const standing = await standingOf(t, entries);
  const added = entries.filter((entry) => !standing.has(entry));
  const made = await insertSuppressions(t, added);
  const suppressions = new Map(added.map((entry, i) => [entry, made[i]!]));
  for (const [entry, before] of standing) suppressions.set(entry, await strengthen(t, before, entry.terms));
  return entries.map((entry) => suppressions.get(entry)!);
}

/** The suppression in force that each entry would repeat, if there is one. */
async function standingOf(
  t: TenantTx,
  entries: readonly SuppressionEntry[],
): Promise<Map<SuppressionEntry, Suppression>> {
  const rows = await t.many<Suppression & { place: number }>(sql`
    select ${suppressionColumns(t.now)}, item.place::integer
      from unnest(${entries.map(({ contactSid }) => contactSid)}::text[],
        ${entries.map(({ terms }) => terms.scope)}::text[], ${entries.map(({ terms }) => terms.reason)}::text[],
        ${entries.map(({ terms }) => terms.senderSid ?? null)}::text[])
        with ordinality as item (of_contact, of_scope, of_reason, of_sender, place)
     cross join lateral (
       select * from suppressions
        where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = item.of_contact
          and scope = item.of_scope and reason = item.of_reason and sender_sid is not distinct from item.of_sender
          and ${inForce(t.now)}
        order by sid desc limit 1) as standing`);
  return new Map(rows.map(({ place, ...suppression }) => [entries[place - 1]!, suppression]));
}

async function insertSuppressions(t: TenantTx, entries: readonly SuppressionEntry[]): Promise<Suppression[]> {
  if (entries.length === 0) return [];
  const sids = entries.map(() => newSid('SU', t.now));
  const of = <T>(pick: (terms: SuppressionTerms) => T) => entries.map(({ terms }) => pick(terms));
  const rows = await t.many<Suppression>(sql`
    insert into suppressions (account_sid, livemode, sid, contact_sid, reason, scope, sender_sid, source, expires_at,
      mirror_to_provider, created_by, created_at, updated_at)
    select ${t.accountSid}, ${t.livemode}, item.sid, item.contact_sid, item.reason, item.scope, item.sender_sid,
      item.source, item.expires_at, item.mirror, item.created_by, ${t.now}, ${t.now}
      from unnest(${sids}::text[], ${entries.map(({ contactSid }) => contactSid)}::text[],
        ${of(({ reason }) => reason)}::text[], ${of(({ scope }) => scope)}::text[],
        ${of(({ senderSid }) => senderSid ?? null)}::text[], ${of(({ source }) => source)}::text[],
        ${of(({ expiresAt }) => expiresAt ?? null)}::timestamptz[],
        ${of(({ mirrorToProvider }) => mirrorToProvider ?? false)}::boolean[],
        ${entries.map(({ by = t.principal }) => principalName(by))}::text[])
        as item (sid, contact_sid, reason, scope, sender_sid, source, expires_at, mirror, created_by)
    returning ${suppressionColumns(t.now)}`);
  const bySid = new Map(rows.map((row) => [row.sid, row]));
  return entries.map(({ toldAt }, i) => {
    const suppression = bySid.get(sids[i]!)!;
    if (suppression.mirrorToProvider) queueMirroring(t, suppression.contactSid, suppression.expiresAt);
    emit(t, suppressionEvents.created, suppression, toldAt);
    return suppression;
  });
}

async function strengthen(t: TenantTx, standing: Suppression, terms: SuppressionTerms): Promise<Suppression> {
  const endsLater =
    standing.expiresAt !== null &&
    (terms.expiresAt === undefined || new Date(terms.expiresAt) > new Date(standing.expiresAt));
  // What the provider has refused may be asked for again.
  const mirrors =
    terms.mirrorToProvider === true && (!standing.mirrorToProvider || standing.mirrorFailure !== null);
  if (!endsLater && !mirrors) return standing;
  const suppression = await t.one<Suppression>(sql`
    update suppressions set
      expires_at = case when ${endsLater} then ${terms.expiresAt ?? null}::timestamptz else expires_at end,
      mirror_to_provider = mirror_to_provider or ${mirrors},
      mirror_failure = case when ${mirrors} then null else mirror_failure end,
      updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${standing.sid}
    returning ${suppressionColumns(t.now)}`);
  if (suppression.mirrorToProvider) queueMirroring(t, suppression.contactSid, suppression.expiresAt);
  emit(t, suppressionEvents.updated, suppression);
  return suppression;
}

/** Those in force, newest first; with `active` false all there ever were. */
export async function listSuppressions(t: TenantTx, query: SuppressionQuery, pager: Pager) {
  const filter = identifierFilter(query);
  if (filter && 'details' in filter) throw invalid(...filter.details);
  const owners = filter && (await findOwners(t, filter));
  const { contactSid, reason, scope, active = true } = query;
  const before = pager.after?.[0];
  // Only the conditions that apply: a plan made for all cases could use none of the indexes.
  const conditions = [
    sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}`,
    ...(contactSid === undefined ? [] : [sql`contact_sid = ${contactSid}`]),
    ...(owners === null ? [] : [sql`contact_sid = any (${owners})`]),
    ...(reason === undefined ? [] : [sql`reason = ${reason}`]),
    ...(scope === undefined ? [] : [sql`scope = ${scope}`]),
    ...(active ? [inForce(t.now)] : []),
    ...(before === undefined ? [] : [sql`sid < ${before}`]),
  ];
  const rows = await t.many<Suppression>(sql`
    select ${suppressionColumns(t.now)} from suppressions
     where ${sql.join(conditions, sql` and `)}
     order by sid desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ sid }) => [sid],
    (row) => row,
  );
}

/** All a contact ever had, newest first. */
export async function listContactSuppressions(t: TenantTx, contactSid: string, pager: Pager) {
  await survivorOf(t, contactSid); // NOT_FOUND for a contact that is not there
  const before = pager.after?.[0];
  const rows = await t.many<Suppression>(sql`
    select ${suppressionColumns(t.now)} from suppressions
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}
       ${before === undefined ? sql`` : sql`and sid < ${before}`}
     order by sid desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ sid }) => [sid],
    (row) => row,
  );
}

export async function getSuppression(t: TenantTx, sid: string): Promise<Suppression> {
  const row = await t.maybe<Suppression>(sql`
    select ${suppressionColumns(t.now)} from suppressions
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}`);
  if (!row) throw new ApiError('NOT_FOUND');
  return row;
}
