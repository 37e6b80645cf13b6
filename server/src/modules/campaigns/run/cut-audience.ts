// The audience is cut once: whoever joins the segment afterwards is not written to, and whoever leaves it is.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { isTimeZone, peopleAmong } from '../../contacts/index.ts';
import { membersOf } from '../../segments/index.ts';
import { dueIn } from '../draft/times.ts';
import { type CampaignRow, here } from '../resource/rows.ts';
import { useSegment } from '../resource/segment-use.ts';

/** How many people it has. */
export async function cutAudience(t: TenantTx, row: CampaignRow): Promise<number> {
  // A million people take longer than a statement usually may.
  await t.takesUpTo(300);
  const named =
    row.segmentSid === null
      ? sql`select unnest(contact_sids) as contact_sid from campaigns where ${here(t, row.sid)}`
      : membersOf(t, row.segmentSid);
  const people = peopleAmong(t, named);
  const { zones, dues } = await duesOf(t, row, people);
  const recipients = await t.run(sql`
    insert into campaign_recipients (account_sid, livemode, campaign_sid, position, contact_sid, timezone, due_at)
    select ${t.accountSid}, ${t.livemode}, ${row.sid}, row_number() over (order by person.contact_sid), person.contact_sid,
      person.timezone, coalesce(zone.due_at, ${dueIn(row.fallbackTimezone!, row.definition, t.now)})
      from (${people}) as person
      left join unnest(${zones}::text[], ${dues}::timestamptz[]) as zone (timezone, due_at) on zone.timezone = person.timezone`);
  await useSegment(t, row.sid, null);
  await t.run(sql`
    update campaigns set recipients = ${recipients}, cut_at = ${t.now}, updated_at = ${t.now} where ${here(t, row.sid)}`);
  return recipients;
}

/** There are few zones, and what clocks show in them is reckoned here: PostgreSQL knows some under other names. */
async function duesOf(t: TenantTx, { definition }: CampaignRow, people: ReturnType<typeof peopleAmong>) {
  if (!definition.localTime) return { zones: [], dues: [] };
  const rows = await t.many<{ timezone: string }>(sql`
    select distinct person.timezone from (${people}) as person where person.timezone is not null`);
  const zones = rows.map(({ timezone }) => timezone).filter(isTimeZone);
  return { zones, dues: zones.map((zone) => dueIn(zone, definition, t.now).toISOString()) };
}
