// How long numbers are kept. They outlive their messages: nothing here follows a message that is removed.
import { dayOf } from '../../../platform/clock.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { defineCron } from '../../../platform/jobs/jobs.ts';
import { detailSince } from './counted.ts';
import { holdCounting, stretchOfDay } from './rebuild.ts';

const slice = 10_000;

/**
 * Removes the numbers of the days before one, a slice at a time, and counts nothing there from now on. Tells whether there may be
 * more to remove.
 */
export async function removeAggregatesBefore(t: TenantTx, day: string): Promise<boolean> {
  await holdCounting(t);
  await t.run(sql`
    insert into analytics_starts as kept (account_sid, livemode, day) values (${t.accountSid}, ${t.livemode}, ${day}::date)
    on conflict (account_sid, livemode) do update set day = greatest(kept.day, excluded.day)`);
  const removed = await Promise.all([
    t.run(sql`
      delete from analytics_days where ctid in (
        select ctid from analytics_days
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and day < ${day}::date limit ${slice})`),
    t.run(sql`
      delete from analytics_hours where ctid in (
        select ctid from analytics_hours
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and hour < ${new Date(day)} limit ${slice})`),
    t.run(sql`
      delete from analytics_counted where ctid in (
        select ctid from analytics_counted
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid < ${stretchOfDay(day).from}
         limit ${slice})`),
  ]);
  return removed.some((rows) => rows === slice);
}

/** Of how many days before one there are numbers. */
export async function countDaysBefore(t: TenantTx, day: string): Promise<number> {
  const { days } = await t.one<{ days: number }>(sql`
    select count(distinct day)::integer as days from analytics_days
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and day < ${day}::date`);
  return days;
}

/** Passing statuses leave rows without a message; those of the last days may fill again. */
const emptyForMs = 2 * 24 * 3_600_000;

/** Removes detail nobody can ask for any more, and what came to nothing. Rows at work are passed over: there is another night. */
export const trimDetail = defineCron({
  name: 'analytics.trim-detail',
  schedule: '17 3 * * *',
  async run({ database, now, signal }) {
    const until = async (remove: () => Promise<number>) => {
      while (!signal.aborted && (await remove()) === slice);
    };
    await until(() =>
      database.system((s) =>
        s.run(sql`
          delete from analytics_hours where ctid in (
            select ctid from analytics_hours where hour < ${detailSince(now())} limit ${slice} for update skip locked)`),
      ),
    );
    const settled = dayOf(now().getTime() - emptyForMs);
    await until(() =>
      database.system((s) =>
        s.run(sql`
          delete from analytics_days where ctid in (
            select ctid from analytics_days
             where messages = 0 and charged_minor = 0 and expected_minor = 0 and day < ${settled}::date
             limit ${slice} for update skip locked)`),
      ),
    );
  },
});
