import { sql } from '../../platform/db/query.ts';
import { defineCron } from '../../platform/jobs/jobs.ts';
import { countedSince } from './portfolios.ts';

/** Forgets who was written to longer ago than the messaging limit counts. */
export const forgetRecipients = defineCron({
  name: 'wabas.forget-recipients',
  schedule: '17 * * * *',
  async run({ database, now }) {
    await database.system((s) =>
      s.run(sql`delete from portfolio_recipients where started_at <= ${countedSince(now())}`),
    );
  },
});
