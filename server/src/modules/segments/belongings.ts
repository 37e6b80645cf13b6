import { mentioning, namesPerson, type Person, type Store } from '../../platform/belongings.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { copyOfMemberships } from './copies.ts';

type Version = { place: string; segmentSid: string; filterVersion: number; filters: unknown };

/** Values that are an identifier of the person say so no more; what else a filter asks for stays. */
function without(names: ReadonlySet<string>, value: unknown): unknown {
  if (typeof value === 'string') return names.has(value) ? '[erased]' : value;
  if (Array.isArray(value)) return value.map((one) => without(names, one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, without(names, one)]));
}

async function eraseFilters(
  t: TenantTx,
  person: Person,
  { after, limit }: { after: string | null; limit: number },
) {
  const versions = await t.many<Version>(sql`
    select segment_sid || ' ' || lpad(filter_version::text, 10, '0') as place, segment_sid as "segmentSid",
      filter_version as "filterVersion", filters
      from segment_versions
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and ${namesPerson(sql`filters::text`, person)}
       and segment_sid || ' ' || lpad(filter_version::text, 10, '0') > ${after ?? ''}
     order by 1 limit ${limit}`);
  const names = new Set(person.identifiers.flatMap(({ value }) => [value, value.replace(/^\+/, '')]));
  const changed = versions.flatMap((version) => {
    const text = JSON.stringify(without(names, version.filters));
    return text === JSON.stringify(version.filters) ? [] : [{ ...version, text }];
  });
  await t.run(sql`
    update segment_versions v set filters = item.filters::json
      from unnest(${changed.map(({ segmentSid }) => segmentSid)}::text[], ${changed.map(({ filterVersion }) => filterVersion)}::integer[],
        ${changed.map(({ text }) => text)}::text[]) as item (segment_sid, filter_version, filters)
     where v.account_sid = ${t.accountSid} and v.livemode = ${t.livemode} and v.segment_sid = item.segment_sid
       and v.filter_version = item.filter_version`);
  return {
    rows: changed.length,
    next: versions.length < limit ? null : versions.at(-1)!.place,
    resources: changed.map(({ segmentSid }) => segmentSid),
  };
}

export const segmentBelongings: Store[] = [
  {
    name: 'segment_members',
    copy: copyOfMemberships,
    erase: async (t, { family }) => ({
      rows: await t.run(sql`
        delete from segment_members m using segments s
         where s.account_sid = ${t.accountSid} and s.livemode = ${t.livemode} and m.account_sid = s.account_sid
           and m.segment_sid = s.sid and m.contact_sid = any (${family}::text[])`),
      next: null,
    }),
  },
  {
    name: 'segment_versions',
    erase: eraseFilters,
    mentions: mentioning(
      'segment',
      (t) => sql`
        select s.sid, concat_ws(' ', s.name, v.filters)
          from segments s join segment_versions v on v.account_sid = s.account_sid and v.segment_sid = s.sid
         where s.account_sid = ${t.accountSid} and s.livemode = ${t.livemode}`,
    ),
  },
];
