import { type Sql, sql } from '../../platform/db/query.ts';
import { defineCron } from '../../platform/jobs/jobs.ts';

const keptDays = 90;
const dayMs = 24 * 60 * 60 * 1000;

/** What is told is kept for 90 days, and with it who read it; in slices, so that no statement meets its time limit. */
export const sweepNotifications = defineCron({
  name: 'notifications.sweep',
  schedule: '23 * * * *',
  async run({ database, now, signal }) {
    const before = new Date(now().getTime() - keptDays * dayMs);
    const inSlices = async (slice: Sql) => {
      for (let removed = 1; removed > 0 && !signal.aborted; )
        removed = await database.system((s) => s.run(slice));
    };
    await inSlices(sql`
      delete from notifications where ctid in (
        select ctid from notifications where last_at < ${before} order by last_at limit 1000)`);
    await inSlices(sql`
      delete from announcements where ctid in (select ctid from announcements where created_at < ${before} limit 1000)`);
    await inSlices(sql`
      delete from notification_mails where ctid in (
        select ctid from notification_mails where due_at < ${before} order by due_at limit 5000)`);
    // A mark outlives what was read by less than a day: whatever it was put to is gone once the mark is as old.
    await inSlices(sql`
      delete from notification_reads where ctid in (
        select ctid from notification_reads where read_at < ${before} order by read_at limit 5000)`);
  },
});
