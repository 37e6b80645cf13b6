import { sql } from '../../../platform/db/query.ts';
import { defineCron } from '../../../platform/jobs/jobs.ts';

/** A request that can no longer be answered and an assertion that can no longer be accepted protect nothing. */
export const sweepSsoRequests = defineCron({
  name: 'identity.sweep-sso-requests',
  schedule: '*/5 * * * *',
  async run({ database, now }) {
    await database.system((s) => s.run(sql`delete from sso_requests where expires_at < ${now()}`));
    await database.system((s) => s.run(sql`delete from used_assertions where expires_at < ${now()}`));
  },
});
