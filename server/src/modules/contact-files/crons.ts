import { sql } from '../../platform/db/query.ts';
import { defineCron } from '../../platform/jobs/jobs.ts';

/** Files whose days are over, parts first and few at a time: a part may hold 256 KiB. */
export const sweepContactFiles = defineCron({
  name: 'contact-files.sweep',
  schedule: '37 * * * *',
  async run({ database, now, signal }) {
    const inSlices = async (slice: ReturnType<typeof sql>) => {
      for (let removed = 1; removed > 0 && !signal.aborted; )
        removed = await database.system((s) => s.run(slice));
    };
    await inSlices(sql`
      delete from contact_file_parts where ctid in (
        select p.ctid from contact_file_parts p
          join contact_files f on f.account_sid = p.account_sid and f.operation_sid = p.operation_sid and f.kind = p.kind
         where f.expires_at <= ${now()} limit 500)`);
    await inSlices(sql`
      delete from contact_files where ctid in (select ctid from contact_files where expires_at <= ${now()} limit 1000)`);
  },
});
