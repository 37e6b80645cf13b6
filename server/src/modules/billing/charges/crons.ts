import { sql } from '../../../platform/db/query.ts';
import { defineCron } from '../../../platform/jobs/jobs.ts';

/** Makes the months to come, so that the first charge of a month need not make it under a wallet's lock. */
export const keepChargesMonths = defineCron({
  name: 'billing.keep-charges-months',
  schedule: '23 * * * *',
  async run({ database, now }) {
    await database.system((s) =>
      s.run(sql`
        select keep_charges_month(${now()}::timestamptz + months.ahead * interval '1 month')
          from generate_series(0, 2) as months (ahead)`),
    );
  },
});
