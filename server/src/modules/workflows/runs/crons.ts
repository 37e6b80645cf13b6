import type { Tenant, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newRequestId } from '../../../platform/ids.ts';
import { defineCron } from '../../../platform/jobs/jobs.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { removeRuns } from './run-rows.ts';

const dayMs = 24 * 60 * 60 * 1000;
const keptDays = 90;
const keptDecisions = 1_000;
const slice = 500;

/** Finished runs are kept for 90 days, and of each workflow the newest decisions; every transaction removes a little. */
export const sweepRuns = defineCron({
  name: 'workflows.sweep',
  schedule: '37 * * * *',
  async run({ database, now, log, signal }) {
    // Wherever there ever was a run there is a lane.
    const tenants = await database.ask<Tenant>(sql`
      select account_sid as "accountSid", livemode from workflow_lanes order by account_sid, livemode`);
    const sweep = async (tenant: Tenant) => {
      const principal = systemPrincipal('cron:workflows.sweep', tenant.livemode);
      const requestContext = () => ({ principal, now: now(), requestId: newRequestId(), log });
      for (let more = true; more && !signal.aborted; )
        more = await database.write(tenant, requestContext(), sweepSlice);
    };
    for (const tenant of tenants) {
      if (signal.aborted) return;
      // One account's trouble is not the others'.
      await sweep(tenant).catch((err) => log.error({ err, ...tenant }, 'old runs could not be removed'));
    }
  },
});

/** Tells whether there is more to remove. */
export async function sweepSlice(t: TenantTx): Promise<boolean> {
  const removed = [await removeOld(t), await removeDecisions(t), await removeSends(t)];
  return removed.some((count) => count === slice);
}

async function removeOld(t: TenantTx): Promise<number> {
  const rows = await t.many<{ sid: string }>(sql`
    select sid from workflow_runs
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       and ended_at < ${new Date(t.now.getTime() - keptDays * dayMs)}
     order by ended_at limit ${slice} for update skip locked`);
  return removeRuns(
    t,
    rows.map(({ sid }) => sid),
  );
}

const removeDecisions = (t: TenantTx) =>
  t.run(sql`
    delete from workflow_decisions where ctid in (
      select d.ctid from workflows f
       cross join lateral (
         select k.event_sequence from workflow_decisions k
          where k.account_sid = f.account_sid and k.workflow_sid = f.sid
          order by k.event_sequence desc offset ${keptDecisions} limit 1) as last
        join workflow_decisions d on d.account_sid = f.account_sid and d.workflow_sid = f.sid
         and d.event_sequence <= last.event_sequence
       where f.account_sid = ${t.accountSid} and f.livemode = ${t.livemode}
       limit ${slice})`);

/** They are counted for an hour. */
const removeSends = (t: TenantTx) =>
  t.run(sql`
    delete from workflow_sends where ctid in (
      select ctid from workflow_sends
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sent_at < ${new Date(t.now.getTime() - dayMs)}
       limit ${slice})`);
