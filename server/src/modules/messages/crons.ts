// What messages leave behind that must be looked at again, or swept.
import { sql } from '../../platform/db/query.ts';
import { newRequestId } from '../../platform/ids.ts';
import { defineCron } from '../../platform/jobs.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { applyMatched } from './apply-statuses.ts';
import { tenantsWithParked, unparkStatuses } from './parked-statuses.ts';

const joinParkedStatuses = defineCron({
  name: 'messages.join-parked-statuses',
  schedule: '* * * * *',
  async run(context) {
    const { database, now, log } = context;
    for (const tenant of await tenantsWithParked(context)) {
      const principal = systemPrincipal('cron:messages.join-parked-statuses', tenant.livemode);
      await database.write(tenant, { principal, now: now(), requestId: newRequestId(), log }, async (t) =>
        applyMatched(t, await unparkStatuses(t)),
      );
    }
  },
});

const sweepPairRates = defineCron({
  name: 'messages.sweep-pair-rates',
  schedule: '*/10 * * * *',
  async run({ database, now, signal }) {
    // One that is free says no more than one that is not there.
    for (let removed = 1; removed > 0 && !signal.aborted; ) {
      removed = await database.system((s) =>
        s.run(sql`
          delete from pair_rates where ctid in (
            select ctid from pair_rates where free_at < ${now()} limit 5000)`),
      );
    }
  },
});

export const crons = [joinParkedStatuses, sweepPairRates];
