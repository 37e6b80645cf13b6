// Callbacks are kept for a while after their work is done: to see what the provider really said, and to do it again.
import { sql } from '../../platform/db/query.ts';
import { defineCron } from '../../platform/jobs/jobs.ts';

const dayMs = 86_400_000;
// Bodies hold what people wrote. One that is done is looked at for a day at most, and what cannot be placed for as long as
// the number it came for may yet be connected. A repetition is known by its changes, not by its body.
const doneKeptMs = dayMs;
// The provider repeats a callback for seven days; a day more makes sure that no repetition finds us without memory.
const rememberedMs = 8 * dayMs;
const slice = 5_000;

/** What waits or is parked is never removed: somebody has yet to see to it. A day is over within the hour. */
export const sweepCallbacks = defineCron({
  name: 'provider.sweep-callbacks',
  schedule: '17 * * * *',
  async run({ database, now, signal }) {
    const ago = (ms: number) => new Date(now().getTime() - ms);
    const [doneBefore, before] = [ago(doneKeptMs), ago(rememberedMs)];
    for (let removed = slice; removed === slice && !signal.aborted; ) {
      removed = await database.system((s) =>
        s.run(sql`
          with old as (
            select id from provider_callbacks c
             where received_at < ${doneBefore} and not exists (
               select from provider_callback_work w
                where w.id = c.id and (state <> 'kept' or c.received_at >= ${before}))
             order by id limit ${slice}),
          struck as (delete from provider_callback_work where id in (select id from old))
          delete from provider_callbacks where id in (select id from old)`),
      );
    }
    for (let removed = slice; removed === slice && !signal.aborted; ) {
      removed = await database.system((s) =>
        s.run(sql`
          delete from provider_changes where ctid = any (array(
            select ctid from provider_changes where seen_at < ${before} limit ${slice}))`),
      );
    }
  },
});
