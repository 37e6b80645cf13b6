// The life of a segment: defined, materialized, refreshed, deleted. Membership is a stored set, so that what was cut
// out at one moment is what is used later; a refresh cuts again.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { ApiError, invalid } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newSid } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { audit } from '../audit/index.ts';
import { audience, isOneOf, isRestricted } from '../contacts/index.ts';
import { segmentEvents } from './events.ts';
import { compileDefinition, filterNames } from './filters.ts';
import type {
  NewSegment,
  Segment,
  SegmentChange,
  SegmentDefinition,
  SegmentFilters,
  SegmentMember,
  SegmentPreview,
} from './schema.ts';

const columns = sql`'segment' as object, s.sid, s.account_sid as "accountSid", s.livemode, s.name, s.kind,
  v.contact_sids as "contactSids", v.filters, s.filter_version as "filterVersion", s.member_count as "memberCount",
  s.materialized_at as "materializedAt", s.deleted_at as "deletedAt", s.created_at as "createdAt",
  s.updated_at as "updatedAt"`;

const withVersion = sql`segments s join segment_versions v on v.account_sid = s.account_sid
  and v.segment_sid = s.sid and v.filter_version = s.filter_version`;

const sampleSize = 10;

export async function createSegment(t: TenantTx, input: NewSegment): Promise<Segment> {
  refuseBlank(input.name);
  const sid = newSid('SG', t.now);
  await t.run(sql`
    insert into segments (account_sid, livemode, sid, name, kind, filter_version, member_count, materialized_at,
      created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${input.name}, ${input.kind}, 1, 0, ${t.now}, ${t.now}, ${t.now})`);
  await storeVersion(t, sid, 1, input);
  return announce(t, segmentEvents.created, await materialize(t, sid, 1, input));
}

/** A new definition is a new version; everybody is judged again. */
export async function changeSegment(t: TenantTx, sid: string, change: SegmentChange): Promise<Segment> {
  if (change.name !== undefined) refuseBlank(change.name);
  const current = await lockSegment(t, sid);
  const { filters = current.filters, contactSids = current.contactSids } = change;
  const definition = { kind: change.kind, ...(filters && { filters }), ...(contactSids && { contactSids }) };
  const version = current.filterVersion + 1;
  await storeVersion(t, sid, version, definition);
  await t.run(sql`
    update segments set name = ${change.name ?? current.name}, filter_version = ${version}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${sid}`);
  return announce(t, segmentEvents.updated, await materialize(t, sid, version, definition));
}

export async function refreshSegment(t: TenantTx, sid: string): Promise<Segment> {
  const segment = await lockSegment(t, sid);
  const refreshed = await materialize(t, sid, segment.filterVersion, definitionOf(segment));
  return announce(t, segmentEvents.refreshed, refreshed);
}

const definitionOf = ({ kind, filters, contactSids }: Segment): SegmentDefinition => ({
  kind,
  ...(filters && { filters }),
  ...(contactSids && { contactSids }),
});

export async function previewSegment(t: TenantTx, definition: SegmentDefinition): Promise<SegmentPreview> {
  const compiled = compileDefinition(definition, t.now);
  await allowLongStatements(t);
  const [counted, sample] = await Promise.all([
    t.one<{ count: number }>(audience(t, sql`count(*)::integer as count`, compiled)),
    t.many<{ sid: string }>(
      sql`${audience(t, sql`c.sid`, compiled)} order by c.sid desc limit ${sampleSize}`,
    ),
  ]);
  return {
    object: 'segment_preview',
    accountSid: t.accountSid,
    livemode: t.livemode,
    kind: definition.kind,
    count: counted.count,
    sample: sample.map(({ sid }) => sid),
    asOf: t.now.toISOString(),
  };
}

/** Cutting a million contacts takes longer than a request's usual statement may. */
async function allowLongStatements(t: TenantTx): Promise<void> {
  await t.takesUpTo(120);
}

async function storeVersion(
  t: TenantTx,
  sid: string,
  version: number,
  definition: SegmentDefinition,
): Promise<void> {
  const { filters, contactSids } = definition;
  await t.run(sql`
    insert into segment_versions (account_sid, livemode, segment_sid, filter_version, filters, contact_sids, created_by,
      created_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${version}, ${filters ? JSON.stringify(filters) : null}::json,
      ${contactSids ?? null}::text[], ${principalName(t.principal)}, ${t.now})`);
}

async function materialize(
  t: TenantTx,
  sid: string,
  version: number,
  definition: SegmentDefinition,
): Promise<Segment> {
  const { consentSid, ...cut } = compileDefinition(definition, t.now);
  await allowLongStatements(t);
  const matched = audience(t, sql`c.sid as contact_sid, ${consentSid} as consent_sid`, cut);
  const count =
    version === 1 && !(await hasMembers(t, sid))
      ? await fill(t, sid, version, matched)
      : await replace(t, sid, version, matched);
  await t.run(sql`
    update segments set member_count = ${count}, materialized_at = ${t.now}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${sid}`);
  return getSegment(t, sid);
}

async function hasMembers(t: TenantTx, sid: string): Promise<boolean> {
  const found = await t.maybe(sql`
    select 1 from segment_members where account_sid = ${t.accountSid} and segment_sid = ${sid} limit 1`);
  return found !== undefined;
}

const insertMembers = (t: TenantTx, sid: string, version: number, matched: Sql) => sql`
  insert into segment_members (account_sid, livemode, segment_sid, contact_sid, filter_version, consent_sid, matched_at)
  select ${t.accountSid}, ${t.livemode}, ${sid}, m.contact_sid, ${version}::integer, m.consent_sid, ${t.now}
    from (${matched}) m`;

async function fill(t: TenantTx, sid: string, version: number, matched: Sql): Promise<number> {
  return t.run(insertMembers(t, sid, version, matched));
}

/** Who stays under the same version keeps the moment they first matched; who no longer matches goes. */
async function replace(t: TenantTx, sid: string, version: number, matched: Sql): Promise<number> {
  const { count } = await t.one<{ count: number }>(sql`
    with matched as (${matched}),
    gone as (
      delete from segment_members old
       where old.account_sid = ${t.accountSid} and old.segment_sid = ${sid}
         and not exists (select from matched where matched.contact_sid = old.contact_sid)),
    kept as (
      insert into segment_members as member (account_sid, livemode, segment_sid, contact_sid, filter_version, consent_sid,
        matched_at)
      select ${t.accountSid}, ${t.livemode}, ${sid}, contact_sid, ${version}::integer, consent_sid, ${t.now} from matched
      on conflict (account_sid, segment_sid, contact_sid) do update
        set filter_version = excluded.filter_version, consent_sid = excluded.consent_sid,
            matched_at = excluded.matched_at
        where member.filter_version <> excluded.filter_version
           or member.consent_sid is distinct from excluded.consent_sid)
    select count(*)::integer as count from matched`);
  return count;
}

type SegmentEvent = (typeof segmentEvents)[keyof typeof segmentEvents];

function announce(t: TenantTx, type: SegmentEvent, segment: Segment): Segment {
  const { contactSids: _, ...data } = segment;
  audit(t, {
    action: type.name,
    resource: segment.sid,
    facts: { version: segment.filterVersion, members: segment.memberCount },
  });
  emit(t, type, data);
  return segment;
}

export async function getSegment(t: TenantTx, sid: string): Promise<Segment> {
  const found = await t.maybe<Segment>(sql`
    select ${columns} from ${withVersion}
     where s.account_sid = ${t.accountSid} and s.livemode = ${t.livemode} and s.sid = ${sid} and s.deleted_at is null`);
  if (!found) throw new ApiError('NOT_FOUND');
  return found;
}

/** Which of these segments there are. */
export async function segmentsAmong(t: TenantTx, sids: readonly string[]): Promise<Set<string>> {
  const rows = await t.many<{ sid: string }>(sql`
    select sid from segments
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${[...sids]}::text[])
       and deleted_at is null`);
  return new Set(rows.map(({ sid }) => sid));
}

/** Locks the segment, so that two changes follow one another. */
async function lockSegment(t: TenantTx, sid: string): Promise<Segment> {
  const locked = await t.maybe(sql`
    select 1 from segments
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and deleted_at is null for update`);
  if (!locked) throw new ApiError('NOT_FOUND');
  return getSegment(t, sid);
}

export async function listSegments(t: TenantTx, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<Segment>(sql`
    select ${columns} from ${withVersion}
     where s.account_sid = ${t.accountSid} and s.livemode = ${t.livemode} and s.deleted_at is null
       and (${before}::text is null or s.sid < ${before})
     order by s.sid desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ sid }) => [sid],
    (row) => row,
  );
}

/** The members after one of them, in the order of their SIDs, for whoever goes through them all; nobody who is restricted now. */
export async function memberSids(
  t: TenantTx,
  segmentSid: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await t.many<{ sid: string }>(sql`
    select m.contact_sid as sid from segment_members m
     where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.segment_sid = ${segmentSid}
       and m.contact_sid > ${after} and not ${isRestricted(t, sql`m.contact_sid`)}
     order by m.contact_sid limit ${limit}`);
  return rows.map(({ sid }) => sid);
}

/** Which of these are members, restricted ones included. */
export async function membersAmong(
  t: TenantTx,
  segmentSid: string,
  contactSids: readonly string[],
): Promise<Set<string>> {
  const rows = await t.many<{ sid: string }>(sql`
    select contact_sid as sid from segment_members
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and segment_sid = ${segmentSid}
       and contact_sid = any (${[...contactSids]}::text[])`);
  return new Set(rows.map(({ sid }) => sid));
}

/** The members as they were last cut, `contact_sid` alone: for a statement that goes through them all. */
export const membersOf = (t: TenantTx, segmentSid: string): Sql => sql`
  select contact_sid from segment_members
   where account_sid = ${t.accountSid} and livemode = ${t.livemode} and segment_sid = ${segmentSid}`;

/** How many members it had when it was last cut; null where there is no such segment. */
export async function sizeOfSegment(t: TenantTx, sid: string): Promise<number | null> {
  const found = await t.maybe<{ size: number }>(sql`
    select member_count as size from segments
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and deleted_at is null`);
  return found?.size ?? null;
}

type MemberRow = {
  contactSid: string;
  filterVersion: number;
  matchedAt: string;
  consentSid: string | null;
  filters: SegmentFilters | null;
  narrowed: boolean;
};

export async function listMembers(t: TenantTx, segmentSid: string, pager: Pager) {
  await getSegment(t, segmentSid);
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<MemberRow>(sql`
    select m.contact_sid as "contactSid", m.filter_version as "filterVersion", m.matched_at as "matchedAt",
      m.consent_sid as "consentSid", v.filters, v.contact_sids is not null as narrowed
      from segment_members m
      join segment_versions v on v.account_sid = m.account_sid and v.segment_sid = m.segment_sid
        and v.filter_version = m.filter_version
     where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.segment_sid = ${segmentSid}
       and (${before}::text is null or m.contact_sid < ${before}) and not ${isRestricted(t, sql`m.contact_sid`)}
     order by m.contact_sid desc limit ${pager.fetch}`);
  const toMember = ({ contactSid, filters, narrowed, ...provenance }: MemberRow): SegmentMember => ({
    object: 'segment_member',
    segmentSid,
    contactSid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    provenance: { ...provenance, matched: filterNames(filters, narrowed) },
  });
  return pager.page(rows, ({ contactSid }) => [contactSid], toMember);
}

/** Only an unused segment goes; its members go with it, its definition stays for the record. */
export async function deleteSegment(t: TenantTx, sid: string): Promise<Segment> {
  const segment = await lockSegment(t, sid);
  const uses = await t.many<{ usedBy: string }>(sql`
    select used_by as "usedBy" from segment_uses where account_sid = ${t.accountSid} and segment_sid = ${sid}`);
  if (uses.length > 0) {
    const message = `The segment is used by ${uses.map(({ usedBy }) => usedBy).join(', ')}.`;
    throw new ApiError('CONFLICT', { message });
  }
  await t.run(sql`delete from segment_members where account_sid = ${t.accountSid} and segment_sid = ${sid}`);
  await t.run(sql`
    update segments set deleted_at = ${t.now}, updated_at = ${t.now}, member_count = 0
     where account_sid = ${t.accountSid} and sid = ${sid}`);
  const now = t.now.toISOString();
  return announce(t, segmentEvents.deleted, { ...segment, memberCount: 0, deletedAt: now, updatedAt: now });
}

/** Which of these contacts are in the segment as its definition says now, whatever was last cut out. */
export async function inSegmentNow(
  t: TenantTx,
  sid: string,
  contactSids: readonly string[],
): Promise<Set<string>> {
  const { joins, conditions } = compileDefinition(definitionOf(await getSegment(t, sid)), t.now);
  const asked = { joins, conditions: [isOneOf([...contactSids]), ...conditions] };
  const rows = await t.many<{ sid: string }>(audience(t, sql`c.sid`, asked));
  return new Set(rows.map((row) => row.sid));
}

/**
 * Says on which segments somebody relies from now on: these cannot be deleted, and those relied on before can be again. Whoever needs
 * all of them to exist asks afterwards; what exists then stays.
 */
export async function claimSegments(t: TenantTx, usedBy: string, sids: readonly string[]): Promise<void> {
  await t.run(sql`
    delete from segment_uses
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and used_by = ${usedBy}
       and segment_sid <> all (${[...sids]}::text[])`);
  if (sids.length === 0) return;
  await t.run(sql`
    insert into segment_uses (account_sid, livemode, segment_sid, used_by, created_at)
    select account_sid, livemode, sid, ${usedBy}, ${t.now} from segments
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${[...sids]}::text[])
       and deleted_at is null
     order by sid for share
    on conflict do nothing`);
}

function refuseBlank(name: string): void {
  if (name.trim() === '') throw invalid({ path: 'name', issue: 'must not be blank' });
}
