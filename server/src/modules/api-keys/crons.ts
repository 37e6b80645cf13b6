import { sql } from '../../platform/db/query.ts';
import { defineCron } from '../../platform/jobs/jobs.ts';

/** A nonce whose timestamp can no longer be accepted protects nothing. */
export const sweepNonces = defineCron({
  name: 'api-keys.sweep-nonces',
  schedule: '* * * * *',
  async run({ database, now }) {
    await database.system((s) => s.run(sql`delete from request_nonces where expires_at < ${now()}`));
  },
});
