import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { defineJob, untilDone } from '../../../platform/jobs/jobs.ts';

const slice = 1_000;

/** Removes what there is of a deleted workflow: its runs a slice at a time, then the rest. */
export const removeDeleted = defineJob({
  name: 'workflows.remove-deleted',
  payload: Closed({ workflowSid: Sid('WF') }),
  attempts: untilDone,
  async run({ write, signal }, { workflowSid }) {
    for (const removeSome of [removeRuns, ...kept.map(remover)]) {
      for (let removed = 1; removed > 0; ) {
        // A worker that stops leaves the rest to its successor, by failing: a job that ends is not run again.
        signal.throwIfAborted();
        removed = await write((t) => removeSome(t, workflowSid));
      }
    }
  },
});

async function removeRuns(t: TenantTx, workflowSid: string): Promise<number> {
  const rows = await t.many<{ sid: string }>(sql`
    select sid from workflow_runs
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and workflow_sid = ${workflowSid}
     order by sid limit ${slice}`);
  const sids = rows.map(({ sid }) => sid);
  const theirs = sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}`;
  await t.run(sql`delete from workflow_mail where ${theirs} and run_sid = any (${sids}::text[])`);
  await t.run(sql`delete from workflow_steps where ${theirs} and run_sid = any (${sids}::text[])`);
  return t.run(sql`delete from workflow_runs where ${theirs} and sid = any (${sids}::text[])`);
}

/** In an order in which nothing is referred to any more when it goes. */
const kept = [
  { table: 'workflow_decisions', key: 'workflow_sid' },
  { table: 'workflow_entries', key: 'workflow_sid' },
  { table: 'workflow_contact_stops', key: 'workflow_sid' },
  { table: 'workflow_tests', key: 'workflow_sid' },
  { table: 'workflow_versions', key: 'workflow_sid' },
  { table: 'workflows', key: 'sid' },
];

const remover =
  ({ table, key }: (typeof kept)[number]) =>
  (t: TenantTx, workflowSid: string) =>
    t.run(sql`
      delete from ${sql.id(table)} where ctid in (
        select ctid from ${sql.id(table)}
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and ${sql.id(key)} = ${workflowSid} limit ${slice})`);
