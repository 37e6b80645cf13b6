import type { Tenant } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { newRequestId } from '../../platform/ids.ts';
import { defineCron } from '../../platform/jobs/jobs.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { trimStatistics } from './deliveries/statistics.ts';
import { trimHistory } from './events/history.ts';

/** Every transaction removes a little, so that neither new events nor their deliveries wait for it. */
export const trimHistories = defineCron({
  name: 'webhooks.trim-histories',
  schedule: '41 * * * *',
  async run({ database, now, log, signal }) {
    const tenants = await database.system((s) =>
      s.many<Tenant>(sql`
        select account_sid as "accountSid", livemode from event_heads order by account_sid, livemode`),
    );
    const trim = async (tenant: Tenant) => {
      const principal = systemPrincipal('cron:webhooks.trim-histories', tenant.livemode);
      const requestContext = () => ({ principal, now: now(), requestId: newRequestId(), log });
      await database.write(tenant, requestContext(), trimStatistics);
      for (let more = true; more && !signal.aborted; ) {
        more = await database.write(tenant, requestContext(), (t) => trimHistory(t));
      }
    };
    for (const tenant of tenants) {
      if (signal.aborted) return;
      // One account's trouble is not the others'.
      await trim(tenant).catch((err) => log.error({ err, ...tenant }, 'a history could not be trimmed'));
    }
  },
});
