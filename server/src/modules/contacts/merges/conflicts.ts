// Identity conflicts: one request took two contacts for the same person. Somebody decides: merge, or they are two.
//   open → resolved by merge | dismiss, once
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { newUuid } from '../../../platform/ids.ts';
import { principalName } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import { contactEvents } from '../events.ts';
import { withOtherForms } from '../identifiers/number-forms.ts';
import type { ContactConflict, Identifier } from '../schema.ts';

type Row = Omit<ContactConflict, 'identifiers'> & { identifierIds: string[] };

const columns = sql`'contact_conflict' as object, id, account_sid as "accountSid", livemode, status,
  contact_sid as "contactSid", other_contact_sid as "otherContactSid", identifiers as "identifierIds", resolution,
  merge_id as "mergeId", resolved_by as "resolvedBy", resolved_at as "resolvedAt", created_at as "createdAt",
  updated_at as "updatedAt"`;

const pair = sql`least(contact_sid, other_contact_sid), greatest(contact_sid, other_contact_sid)`;

/** A request whose identifiers point at a contact and at another one. */
export type Disagreement = { contactSid: string; otherSid: string; identifiers: Identifier[] };

/**
 * Opens a conflict between the contacts of each disagreement, on those of its identifiers that the other one owns. One that
 * is open already stays the only one; one dismissed on the same identifiers stays dismissed.
 */
export async function openConflicts(t: TenantTx, disagreements: readonly Disagreement[]): Promise<void> {
  if (disagreements.length === 0) return;
  const sought = disagreements.map(({ identifiers }) => JSON.stringify(withOtherForms(identifiers)));
  const rows = await t.many<Row>(sql`
    with asked as (
      select item.*, (
        select coalesce(jsonb_agg(i.id order by i.created_at, i.id), '[]') from contact_identifiers i
         where i.account_sid = ${t.accountSid} and i.livemode = ${t.livemode} and i.contact_sid = item.other_sid
           and (i.value, i.identifier_type, i.scope_ref) in (
             select s.value, s."identifierType", coalesce(s."scopeRef", '')
               from jsonb_to_recordset(item.sought::jsonb) as s (value text, "identifierType" text, "scopeRef" text))) as ids
        from unnest(${disagreements.map(() => newUuid(t.now))}::uuid[],
          ${disagreements.map(({ contactSid }) => contactSid)}::text[],
          ${disagreements.map(({ otherSid }) => otherSid)}::text[], ${sought}::text[])
          with ordinality as item (id, own_sid, other_sid, sought, n))
    insert into contact_conflicts (account_sid, livemode, id, contact_sid, other_contact_sid, identifiers, created_at,
      updated_at)
    select ${t.accountSid}, ${t.livemode}, asked.id, asked.own_sid, asked.other_sid, asked.ids, ${t.now}, ${t.now}
      from asked
     where not exists (select from contact_conflicts
       where account_sid = ${t.accountSid} and (${pair}) = (least(own_sid, other_sid), greatest(own_sid, other_sid))
         and resolution = 'dismiss' and identifiers @> asked.ids)
     order by asked.n
    on conflict (account_sid, livemode, ${pair}) where status = 'open' do nothing
    returning ${columns}`);
  for (const conflict of await toConflicts(t, rows)) emit(t, contactEvents.conflict_opened, conflict);
}

/**
 * Those of these whose two contacts nobody has been asked about yet: an open conflict waits for its answer, and one that was
 * dismissed has it.
 */
export async function withoutSettled<T>(
  t: TenantTx,
  items: T[],
  contactsOf: (item: T) => [string | undefined, string | undefined],
): Promise<T[]> {
  const pairOf = (item: T) =>
    contactsOf(item)
      .map((sid) => sid ?? '')
      .sort() as [string, string];
  const pairs = items.map(pairOf).filter(([first]) => first !== '');
  if (pairs.length === 0) return items;
  const rows = await t.many<{ first: string; second: string }>(sql`
    select least(contact_sid, other_contact_sid) as first, greatest(contact_sid, other_contact_sid) as second
      from contact_conflicts
     where account_sid = ${t.accountSid} and (status = 'open' or resolution = 'dismiss')
       and (${pair}) in (select * from unnest(${pairs.map(([one]) => one)}::text[], ${pairs.map(([, two]) => two)}::text[]))`);
  const settled = new Set(rows.map(({ first, second }) => `${first} ${second}`));
  return items.filter((item) => !settled.has(pairOf(item).join(' ')));
}

type KnownIdentifier = Identifier & { id: string };

/** Identifiers by the ids that records keep of them: records hold no number that erasure would have to find. */
export async function identifiersById(t: TenantTx, ids: string[]): Promise<Map<string, Identifier>> {
  if (ids.length === 0) return new Map();
  const rows = await t.many<KnownIdentifier>(sql`
    select id, identifier_type as "identifierType", value, nullif(scope_ref, '') as "scopeRef"
      from contact_identifiers
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = any (${ids}::uuid[])`);
  return new Map(rows.map(({ id, ...identifier }) => [id, identifier]));
}

const present = (ids: string[], known: Map<string, Identifier>) => ids.flatMap((id) => known.get(id) ?? []);

async function toConflicts(t: TenantTx, rows: Row[]): Promise<ContactConflict[]> {
  const known = await identifiersById(
    t,
    rows.flatMap(({ identifierIds }) => identifierIds),
  );
  return rows.map(({ identifierIds, ...row }) => ({ ...row, identifiers: present(identifierIds, known) }));
}

async function toConflict(t: TenantTx, row: Row): Promise<ContactConflict> {
  const [conflict] = await toConflicts(t, [row]);
  return conflict!;
}

export async function listConflicts(t: TenantTx, pager: Pager) {
  const [createdAt, id] = pager.after ?? [null, null];
  const rows = await t.many<Row>(sql`
    select ${columns} from contact_conflicts
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       ${pager.after ? sql`and (created_at, id) < (${createdAt}, ${id}::uuid)` : sql``}
     order by created_at desc, id desc limit ${pager.fetch}`);
  return pager.page(
    await toConflicts(t, rows),
    (row) => [row.createdAt, row.id],
    (row) => row,
  );
}

export async function findConflict(t: TenantTx, id: string): Promise<ContactConflict> {
  const row = await t.maybe<Row>(sql`
    select ${columns} from contact_conflicts
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}`);
  if (!row) throw new ApiError('NOT_FOUND');
  return toConflict(t, row);
}

type Resolution = { resolution: 'merge' | 'dismiss'; mergeId: string | null };

/** Closes an open conflict; nobody closes it twice. */
export async function closeConflict(
  t: TenantTx,
  id: string,
  { resolution, mergeId }: Resolution,
): Promise<ContactConflict> {
  const row = await t.maybe<Row>(sql`
    update contact_conflicts set status = 'resolved', resolution = ${resolution}, merge_id = ${mergeId},
      resolved_by = ${principalName(t.principal)}, resolved_at = ${t.now}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id} and status = 'open'
    returning ${columns}`);
  if (!row) throw new ApiError('CONFLICT', { message: 'The conflict is resolved already.' });
  const conflict = await toConflict(t, row);
  audit(t, { action: 'contact.conflict_resolved', resource: id, facts: { resolution, mergeId } });
  emit(t, contactEvents.conflict_resolved, conflict);
  return conflict;
}

/** A merge settles the question whether its two contacts are one. */
export async function closeConflictOfPair(
  t: TenantTx,
  { mergeId, survivorSid, mergedSid }: { mergeId: string; survivorSid: string; mergedSid: string },
): Promise<void> {
  const open = await t.maybe<{ id: string }>(sql`
    select id from contact_conflicts
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and status = 'open'
       and (${pair}) = (least(${survivorSid}, ${mergedSid}), greatest(${survivorSid}, ${mergedSid}))`);
  if (open) await closeConflict(t, open.id, { resolution: 'merge', mergeId });
}
