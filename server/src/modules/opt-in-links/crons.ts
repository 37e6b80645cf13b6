import { sql } from '../../platform/db/query.ts';
import { defineCron } from '../../platform/jobs/jobs.ts';
import { keptMs } from './submissions/confirm.ts';

/** Counts that have run out and submissions nobody can confirm any more. What was agreed to stands in the ledger. */
export const sweepOptIns = defineCron({
  name: 'opt-in-links.sweep',
  schedule: '17 * * * *',
  async run({ database, now, signal }) {
    const old = new Date(now().getTime() - keptMs);
    await database.system((s) => s.run(sql`delete from opt_in_counters where ends_at < ${now()}`));
    for (let removed = 1; removed > 0 && !signal.aborted; ) {
      removed = await database.system((s) =>
        s.run(sql`
          delete from opt_in_submissions where (account_sid, id) in (
            select account_sid, id from opt_in_submissions where created_at < ${old} limit 5000)`),
      );
    }
  },
});
