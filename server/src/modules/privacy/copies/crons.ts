import { sql } from '../../../platform/db/query.ts';
import { defineCron } from '../../../platform/jobs/jobs.ts';

/** Copies whose days are over, few parts at a time. */
export const sweepCopies = defineCron({
  name: 'privacy.sweep-copies',
  schedule: '47 * * * *',
  async run({ database, now, signal }) {
    for (let removed = 1; removed > 0 && !signal.aborted; )
      removed = await database.system((s) =>
        s.run(sql`
          delete from privacy_copy_parts where (account_sid, request_sid, position) in (
            select p.account_sid, p.request_sid, p.position from privacy_copy_parts p
              join privacy_requests r on r.account_sid = p.account_sid and r.sid = p.request_sid
             where r.export_expires_at <= ${now()} limit 200)`),
      );
  },
});
