// A run that cannot be taken further because of an error of ours: tried again with growing delay, and given up in the end.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { tellOfEnds } from '../runs/ending.ts';
import { runsPutOff } from '../runs/metrics.ts';
import { forgetRuns } from '../runs/run-rows.ts';

const mostFailures = 8;

export async function putOff(t: TenantTx, runSid: string, err: unknown): Promise<void> {
  const held = await t.maybe(sql`
    select from workflow_wakes
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and run_sid = ${runSid} for update`);
  if (!held) return;
  const { failures } = await t.one<{ failures: number }>(sql`
    update workflow_runs set failures = failures + 1, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${runSid} returning failures`);
  runsPutOff.inc();
  if (failures < mostFailures) {
    const dueAt = new Date(t.now.getTime() + 2 ** failures * 1_000);
    await t.run(sql`
      update workflow_wakes set due_at = ${dueAt}
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and run_sid = ${runSid}`);
    t.log.warn({ err, runSid, failures, dueAt }, 'a run of a workflow could not be taken further yet');
    return;
  }
  const error = { code: 'INTERNAL_ERROR', message: 'The run could not be taken further.', path: '' };
  await t.run(sql`
    update workflow_runs set state = 'FAILED', error = ${JSON.stringify(error)}::json, effect = null, ended_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${runSid}`);
  await forgetRuns(t, [runSid]);
  await tellOfEnds(t, [runSid]);
  t.log.error({ err, runSid, failures }, 'a run of a workflow was given up');
}
