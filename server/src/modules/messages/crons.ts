// What messages leave behind that must be looked at again, or swept.
import type { Tenant } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { newRequestId } from '../../platform/ids.ts';
import { defineCron, type JobContext } from '../../platform/jobs/jobs.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import type { Write } from './dispatch/sweep-messages.ts';
import { applyMatched } from './reports/apply-statuses.ts';
import { dropStrangers, tenantsWithParked, unparkStatuses } from './reports/parked-statuses.ts';
import { lookThroughHolds, tenantsThatSend } from './reports/silence.ts';

/** Opens a cron's transactions, each in the name of the tenant it works for. */
const writing =
  ({ database, now, log }: JobContext, cron: string): Write =>
  (tenant, work) => {
    const principal = systemPrincipal(`cron:${cron}`, tenant.livemode);
    return database.write(tenant, { principal, now: now(), requestId: newRequestId(), log }, work);
  };

const joinParkedStatuses = defineCron({
  name: 'messages.join-parked-statuses',
  schedule: '* * * * *',
  async run(context) {
    const write = writing(context, 'messages.join-parked-statuses');
    for (const tenant of await tenantsWithParked(context)) {
      await write(tenant, async (t) => {
        await applyMatched(t, await unparkStatuses(t));
        await dropStrangers(t);
      });
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

const giveUpSilentMessages = defineCron({
  name: 'messages.give-up-silent',
  schedule: '23 * * * *',
  async run(context) {
    const { database, now, signal, log } = context;
    const write = writing(context, 'messages.give-up-silent');
    const lookThrough = async (tenant: Tenant) => {
      for (let more = true; more && !signal.aborted; ) {
        more = await lookThroughHolds({ database, now: now(), write }, tenant);
      }
    };
    for (const tenant of await tenantsThatSend(database)) {
      // One account's trouble is not the others'.
      await lookThrough(tenant).catch((err) =>
        log.error({ err, ...tenant }, 'holds could not be looked through'),
      );
    }
  },
});

export const crons = [joinParkedStatuses, sweepPairRates, giveUpSilentMessages];
