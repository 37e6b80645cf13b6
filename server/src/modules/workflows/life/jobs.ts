import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { defineJob, untilDone } from '../../../platform/jobs/jobs.ts';
import { removeRuns } from '../runs/run-rows.ts';

const slice = 1_000;

/** Removes what there is of a deleted workflow: its runs a slice at a time, then the rest. */
export const removeDeleted = defineJob({
  name: 'workflows.remove-deleted',
  payload: Closed({ workflowSid: Sid('WF') }),
  attempts: untilDone,
  async run({ write, signal }, { workflowSid }) {
    for (const removeSome of [removeRunsOf, ...kept.map(remover)]) {
      for (let removed = 1; removed > 0; ) {
        // A worker that stops leaves the rest to its successor, by failing: a job that ends is not run again.
        signal.throwIfAborted();
        removed = await write((t) => removeSome(t, workflowSid));
      }
    }
  },
});

async function removeRunsOf(t: TenantTx, workflowSid: string): Promise<number> {
  const rows = await t.many<{ sid: string }>(sql`
    select sid from workflow_runs
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and workflow_sid = ${workflowSid}
     order by sid limit ${slice}`);
  return removeRuns(
    t,
    rows.map(({ sid }) => sid),
  );
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
