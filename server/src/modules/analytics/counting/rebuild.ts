// Counts a day anew from its messages, and from what was counted of those that are gone. The consumer's cursor is held meanwhile: what
// happens until it is free again is counted afterwards, and what both saw adds nothing the second time.
import { Type } from 'typebox';
import { dayMs, dayOf } from '../../../platform/clock.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { hearEvents, hearFromFirst } from '../../../platform/event-consumers/cursors.ts';
import { Closed, Nullable } from '../../../platform/http/input/schema.ts';
import { firstSid, sidTime } from '../../../platform/ids.ts';
import { defineJob, enqueue, untilDone } from '../../../platform/jobs/jobs.ts';
import { type CountableMessage, countableIn, firstMessageFrom, type Stretch } from '../../messages/index.ts';
import { consumerName } from './consumer.ts';
import { keepCounted } from './count.ts';
import { detailSince } from './counted.ts';

const stretchLength = 1_000;
/** So long the sums of a very large day may take. */
const mostSeconds = 600;

export const stretchOfDay = (day: string): Stretch => ({
  from: firstSid('SM', new Date(day)),
  before: firstSid('SM', new Date(Date.parse(day) + dayMs)),
});

/** Nobody else counts in this account until the transaction ends. */
export async function holdCounting(t: TenantTx): Promise<void> {
  if ((await hearFromFirst(t, consumerName)) === false) fillFrom(t, null);
  await hearEvents(t, consumerName);
}

export async function rebuildDay(t: TenantTx, day: string): Promise<void> {
  await t.takesUpTo(mostSeconds);
  await holdCounting(t);
  const stretch = stretchOfDay(day);
  for (let from = stretch.from; ; ) {
    const messages = await nextMessages(t, { ...stretch, from });
    await keepCounted(t, messages);
    if (messages.length < stretchLength) break;
    // The least name after the last.
    from = `${messages.at(-1)!.sid}0`;
  }
  await replaceDay(t, day, stretch);
  if (new Date(day) >= detailSince(t.now)) await replaceHours(t, day, stretch);
}

const nextMessages = (t: TenantTx, stretch: Stretch) =>
  t.many<CountableMessage>(sql`
    select * from ${countableIn(t, stretch)} as next order by sid limit ${stretchLength}`);

async function replaceDay(t: TenantTx, day: string, { from, before }: Stretch): Promise<void> {
  await t.run(sql`
    delete from analytics_days where account_sid = ${t.accountSid} and livemode = ${t.livemode} and day = ${day}::date`);
  await t.run(sql`
    insert into analytics_days (account_sid, livemode, day, direction, sender_sid, category, country, campaign_sid, status, currency,
      scale, messages, charged_minor, expected_minor)
    select account_sid, livemode, ${day}::date, direction, sender_sid, category, country, campaign_sid, status, currency, scale,
      count(*), sum(charged_minor), sum(expected_minor)
      from analytics_counted
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid >= ${from} and message_sid < ${before}
     group by account_sid, livemode, direction, sender_sid, category, country, campaign_sid, status, currency, scale`);
}

/** The hours of a day, and the stretch of names each has. */
export function hoursOf(day: string) {
  const starts = Array.from({ length: 25 }, (_, hour) => new Date(Date.parse(day) + hour * 3_600_000));
  const firsts = starts.map((at) => firstSid('SM', at));
  return {
    hours: starts.slice(0, -1).map((at) => at.toISOString()),
    froms: firsts.slice(0, -1),
    befores: firsts.slice(1),
  };
}

async function replaceHours(t: TenantTx, day: string, stretch: Stretch): Promise<void> {
  const { hours, froms, befores } = hoursOf(day);
  await t.run(sql`
    delete from analytics_hours
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and hour >= ${new Date(day)}
       and hour < ${new Date(Date.parse(day) + dayMs)}`);
  await t.run(sql`
    insert into analytics_hours (account_sid, livemode, hour, direction, sender_sid, template, category, country, campaign_sid,
      status, code, currency, scale, messages, charged_minor, expected_minor)
    select account_sid, livemode, hour, direction, sender_sid, template, category, country, campaign_sid, status, code, currency,
      scale, count(*), sum(charged_minor), sum(expected_minor)
      from unnest(${hours}::timestamptz[], ${froms}::text[], ${befores}::text[]) as span (hour, first, past)
      join analytics_counted on message_sid >= first and message_sid < past
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid >= ${stretch.from}
       and message_sid < ${stretch.before}
     group by account_sid, livemode, hour, direction, sender_sid, template, category, country, campaign_sid, status, code, currency,
       scale`);
}

/** Has the days of an account counted from its messages, one after another, beginning with a day; null for the first. */
export const fillFrom = (t: TenantTx, day: string | null): void => enqueue(t, fill, { day });

/** One day each time, and the next queued with it: whatever dies, it goes on where it was. */
export const fill = defineJob({
  name: 'analytics.fill',
  payload: Closed({ day: Nullable(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })) }),
  attempts: untilDone,
  async run({ write }, { day }) {
    await write(async (t) => {
      const next = await nextDay(t, day);
      if (next === null) return;
      await rebuildDay(t, next);
      fillFrom(t, dayOf(Date.parse(next) + dayMs));
    });
  },
});

/** The first day with messages or numbers, from this one on; null after the last. */
export async function nextDay(t: TenantTx, day: string | null): Promise<string | null> {
  const [sid, counted] = await Promise.all([
    firstMessageFrom(t, day === null ? '' : stretchOfDay(day).from),
    t.maybe<{ day: string }>(sql`
      select day::text as day from analytics_days
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and day >= ${day ?? '-infinity'}::date
       order by day limit 1`),
  ]);
  const days = [...(sid === null ? [] : [dayOf(sidTime(sid))]), ...(counted ? [counted.day] : [])];
  return days.sort()[0] ?? null;
}
