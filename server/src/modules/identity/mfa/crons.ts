import { sql } from '../../../platform/db/query.ts';
import { defineCron } from '../../../platform/jobs/jobs.ts';

/** What can no longer be used is kept a day, for whoever asks what happened, and then removed. */
export const sweepCeremonies = defineCron({
  name: 'identity.sweep-ceremonies',
  schedule: '17 * * * *',
  async run({ database, now }) {
    const before = new Date(now().getTime() - 24 * 3_600_000);
    await database.system(async (s) => {
      await s.run(sql`delete from mfa_ceremonies where expires_at < ${before}`);
      await s.run(sql`delete from mfa_enrollments where expires_at < ${before}`);
      await s.run(sql`delete from step_up_tokens where expires_at < ${before}`);
    });
  },
});
