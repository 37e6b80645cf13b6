// Proves the numbers of a day: recomputes them from its messages, and from what was counted of those that are gone, and tells every
// difference. What happened and is not heard of yet is not a difference. To be run where all is read at one moment.
import { dayMs } from '../../../platform/clock.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { isUnheard } from '../../../platform/event-consumers/cursors.ts';
import { countableIn, type Stretch } from '../../messages/index.ts';
import { consumerName } from './consumer.ts';
import { detailSince } from './counted.ts';
import { hoursOf, stretchOfDay } from './rebuild.ts';

export type Difference = { what: string; stored: string; recomputed: string };

const mostSeconds = 30 * 60;

export async function verifyDay(t: TenantTx, day: string): Promise<Difference[]> {
  await t.takesUpTo(mostSeconds);
  const stretch = stretchOfDay(day);
  const hasDetail = new Date(day) >= detailSince(t.now);
  return [
    ...(await uncounted(t, day, stretch)),
    ...(await wrongDays(t, day, stretch)),
    ...(hasDetail ? await wrongHours(t, day) : []),
  ];
}

/** One text of several, of which some may be missing. */
const words = (list: Sql) => sql`coalesce(concat_ws(' ', ${list}), '')`;

/** Messages that were counted as something else than they are, or not at all. */
const uncounted = (t: TenantTx, day: string, stretch: Stretch) =>
  t.many<Difference>(sql`
    select 'message ' || m.sid as what,
      case when c.message_sid is null then 'not counted'
        else ${words(sql`c.status, nullif(c.code, ''), 'charged', c.charged_minor, 'expected', c.expected_minor`)} end as stored,
      ${words(sql`m.status, m.code, 'charged', m."chargedMinor", 'expected', m."expectedMinor"`)} as recomputed
      from ${countableIn(t, stretch)} as m
      left join analytics_counted c
        on c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.message_sid = m.sid
     where (c.status, c.code, c.charged_minor, c.expected_minor, c.direction, c.sender_sid, c.category, c.campaign_sid, c.currency)
         is distinct from (m.status, coalesce(m.code, ''), m."chargedMinor", m."expectedMinor", m.direction, m."senderSid",
           coalesce(m.category, ''), coalesce(m."campaignSid", ''), coalesce(m.currency, ''))
       and not ${isUnheard(t, consumerName, sql`m.sid`)}
       and not exists (
         select from analytics_starts k
          where k.account_sid = ${t.accountSid} and k.livemode = ${t.livemode} and k.day > ${day}::date)
     order by m.sid`);

const counts = words(
  sql`coalesce(kept.messages, 0), 'messages, charged', coalesce(kept.charged_minor, 0), 'expected', coalesce(kept.expected_minor, 0)`,
);
const recounts = words(
  sql`coalesce(found.messages, 0), 'messages, charged', coalesce(found.charged_minor, 0), 'expected', coalesce(found.expected_minor, 0)`,
);
const differs = sql`${counts} <> ${recounts}`;

const wrongDays = (t: TenantTx, day: string, { from, before }: Stretch) =>
  t.many<Difference>(sql`
    select ${words(sql`${day}::text, direction, sender_sid, nullif(category, ''), country, nullif(campaign_sid, ''), status,
        nullif(currency, '')`)} as what,
      ${counts} as stored, ${recounts} as recomputed
      from (
        select * from analytics_days
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and day = ${day}::date) as kept
      full join (
        select direction, sender_sid, category, country, campaign_sid, status, currency, scale, count(*) as messages,
          sum(charged_minor) as charged_minor, sum(expected_minor) as expected_minor
          from analytics_counted
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid >= ${from} and message_sid < ${before}
         group by direction, sender_sid, category, country, campaign_sid, status, currency, scale) as found
      using (direction, sender_sid, category, country, campaign_sid, status, currency, scale)
     where ${differs}
     order by 1`);

async function wrongHours(t: TenantTx, day: string): Promise<Difference[]> {
  const { hours, froms, befores } = hoursOf(day);
  return t.many<Difference>(sql`
    select ${words(sql`to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"'), direction, sender_sid, nullif(template, ''),
        nullif(category, ''), country, nullif(campaign_sid, ''), status, nullif(code, ''), nullif(currency, '')`)} as what,
      ${counts} as stored, ${recounts} as recomputed
      from (
        select * from analytics_hours
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and hour >= ${new Date(day)}
           and hour < ${new Date(Date.parse(day) + dayMs)}) as kept
      full join (
        select hour, direction, sender_sid, template, category, country, campaign_sid, status, code, currency, scale,
          count(*) as messages, sum(charged_minor) as charged_minor, sum(expected_minor) as expected_minor
          from unnest(${hours}::timestamptz[], ${froms}::text[], ${befores}::text[]) as span (hour, first, past)
          join analytics_counted on message_sid >= first and message_sid < past
         where account_sid = ${t.accountSid} and livemode = ${t.livemode}
         group by hour, direction, sender_sid, template, category, country, campaign_sid, status, code, currency, scale) as found
      using (hour, direction, sender_sid, template, category, country, campaign_sid, status, code, currency, scale)
     where ${differs}
     order by 1`);
}
