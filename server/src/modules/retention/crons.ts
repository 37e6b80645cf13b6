import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { type DueItem, eachItem } from '../../platform/jobs/each-item.ts';
import { defineCron } from '../../platform/jobs/jobs.ts';
import { startOperation, unfinishedAmong } from '../operations/index.ts';
import { retentionRun } from './run.ts';
import { beginRun } from './runs.ts';
import { nextSlot } from './windows.ts';

const batch = 500;

/** Once a day for every account that keeps something for a limited time, at an hour of its own. */
export const startRetention = defineCron({
  name: 'retention.start',
  schedule: '*/10 * * * *',
  run: (context) =>
    eachItem(
      context,
      'retention.start',
      batch,
      () =>
        context.database.system((s) =>
          s.many<DueItem>(sql`
            select account_sid as "accountSid", livemode, account_sid as sid from retention_policies
             where next_run_at <= ${context.now()} order by next_run_at limit ${batch}`),
        ),
      startRun,
    ),
});

async function startRun(t: TenantTx): Promise<void> {
  const due = await t.maybe<{ operationSid: string | null }>(sql`
    select operation_sid as "operationSid" from retention_policies
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and next_run_at <= ${t.now} for update`);
  if (!due) return;
  const isBusy = due.operationSid !== null && (await unfinishedAmong(t, [due.operationSid])).size > 0;
  const operationSid = isBusy ? due.operationSid : (await startOperation(t, retentionRun, {})).sid;
  if (!isBusy) await beginRun(t, operationSid!);
  await t.run(sql`
    update retention_policies set next_run_at = ${nextSlot(t, new Date(t.now.getTime() + 1))}, operation_sid = ${operationSid}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}`);
}
