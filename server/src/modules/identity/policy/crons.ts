import { sql } from '../../../platform/db/query.ts';
import { defineCron } from '../../../platform/jobs/jobs.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { accountsOf } from '../../accounts/index.ts';
import { disableInactiveKeys } from '../../api-keys/index.ts';

const inactiveDays = 90;
const dayMs = 86_400_000;

/** Keys nobody has used for three months are disabled, in the organizations that ask for it. */
export const disableForgottenKeys = defineCron({
  name: 'identity.disable-inactive-keys',
  schedule: '17 3 * * *',
  async run({ database, now, log, signal }) {
    const since = new Date(now().getTime() - inactiveDays * dayMs);
    const accounts = await database.system(async (s) => {
      const asking = await s.many<{ id: string }>(sql`
        select organization_id as id from auth_policies where auto_disable_inactive_api_keys`);
      return (await Promise.all(asking.map(({ id }) => accountsOf(s, id)))).flat();
    });
    for (const { accountSid } of accounts) {
      for (const livemode of [true, false]) {
        if (signal.aborted) return;
        const principal = systemPrincipal('auth-policy', livemode);
        const requestContext = { principal, now: now(), requestId: 'auth-policy', log };
        await database.write({ accountSid, livemode }, requestContext, (t) => disableInactiveKeys(t, since));
      }
    }
  },
});
