// What runs do when contacts are merged: those under way go on for the survivor, and so does where the merged one has been and what was
// stopped for it. Nobody is in a workflow twice: where both were, the run of the merged one ends.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { followMerges } from '../../contacts/index.ts';
import { endRuns } from './ending.ts';

type Snapshot = { kept: string[]; moved: string[]; entries: string[]; stops: string[] };
type Active = { runSid: string; workflowSid: string; contactSid: string };

export const runsFollow = followMerges<Snapshot>({
  name: 'workflowRuns',
  async move(t, { survivorSid, mergedSid }) {
    const active = await lockActive(t, [survivorSid, mergedSid]);
    const kept = active.filter(({ contactSid }) => contactSid === survivorSid);
    const taken = new Set(kept.map(({ workflowSid }) => workflowSid));
    const theirs = active.filter(({ contactSid }) => contactSid === mergedSid);
    const sidsOf = (runs: Active[]) => runs.map(({ runSid }) => runSid);
    for (const { workflowSid, runSid } of theirs)
      if (taken.has(workflowSid)) await endRuns(t, { workflowSid, runSid, outcome: 'merged' });
    const moved = sidsOf(theirs.filter(({ workflowSid }) => !taken.has(workflowSid)));
    await handOver(t, moved, survivorSid);
    const [entries, stops] = await Promise.all([
      copyEntries(t, mergedSid, survivorSid),
      copyStops(t, mergedSid, survivorSid),
      t.run(sql`
        update workflow_sends set contact_sid = ${survivorSid}
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${mergedSid}`),
    ]);
    return { moved, snapshot: { kept: sidsOf(kept), moved, entries, stops } };
  },
  async moveBack(t, { survivorSid, mergedSid }, { kept, moved, entries, stops }) {
    const active = (await lockActive(t, [survivorSid])).map(({ runSid }) => runSid);
    const movedBack = active.filter((sid) => moved.includes(sid));
    await handOver(t, movedBack, mergedSid);
    await Promise.all([
      uncopyEntries(t, { from: mergedSid, to: survivorSid }, entries),
      uncopyStops(t, { from: mergedSid, to: survivorSid }, stops),
    ]);
    const stayed = active.filter((sid) => !movedBack.includes(sid) && !kept.includes(sid));
    return { movedBack, stayed };
  },
});

const lockActive = (t: TenantTx, contactSids: string[]) =>
  t.many<Active>(sql`
    select run_sid as "runSid", workflow_sid as "workflowSid", contact_sid as "contactSid" from workflow_wakes
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${contactSids}::text[])
     order by run_sid for update`);

async function handOver(t: TenantTx, runSids: string[], to: string): Promise<void> {
  if (runSids.length === 0) return;
  await Promise.all([
    t.run(sql`
      update workflow_runs set contact_sid = ${to}, subject_sid = ${to}, updated_at = ${t.now}
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${runSids}::text[])`),
    t.run(sql`
      update workflow_wakes set contact_sid = ${to}
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and run_sid = any (${runSids}::text[])`),
  ]);
}

const workflowsOf = (rows: { workflowSid: string }[]) => rows.map(({ workflowSid }) => workflowSid);

/** The merged contact keeps its own, for when it is itself again. */
async function copyEntries(t: TenantTx, from: string, to: string): Promise<string[]> {
  const rows = await t.many<{ workflowSid: string }>(sql`
    insert into workflow_entries (account_sid, livemode, workflow_sid, subject_sid, last_run_sid, first_at, last_at)
    select account_sid, livemode, workflow_sid, ${to}, last_run_sid, first_at, last_at from workflow_entries
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and subject_sid = ${from}
    on conflict do nothing
    returning workflow_sid as "workflowSid"`);
  return workflowsOf(rows);
}

async function copyStops(t: TenantTx, from: string, to: string): Promise<string[]> {
  const rows = await t.many<{ workflowSid: string }>(sql`
    insert into workflow_contact_stops (account_sid, livemode, workflow_sid, contact_sid, reason, stopped_by, created_at)
    select account_sid, livemode, workflow_sid, ${to}, reason, stopped_by, created_at from workflow_contact_stops
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${from}
    on conflict do nothing
    returning workflow_sid as "workflowSid"`);
  return workflowsOf(rows);
}

type Copied = { from: string; to: string };

/** Where the survivor has been itself since then stays. */
const uncopyEntries = (t: TenantTx, { from, to }: Copied, workflowSids: string[]) =>
  t.run(sql`
    delete from workflow_entries e using workflow_entries o
     where e.account_sid = ${t.accountSid} and e.livemode = ${t.livemode} and e.subject_sid = ${to}
       and e.workflow_sid = any (${workflowSids}::text[]) and o.account_sid = e.account_sid and o.subject_sid = ${from}
       and o.workflow_sid = e.workflow_sid and o.last_run_sid = e.last_run_sid`);

const uncopyStops = (t: TenantTx, { from, to }: Copied, workflowSids: string[]) =>
  t.run(sql`
    delete from workflow_contact_stops e using workflow_contact_stops o
     where e.account_sid = ${t.accountSid} and e.livemode = ${t.livemode} and e.contact_sid = ${to}
       and e.workflow_sid = any (${workflowSids}::text[]) and o.account_sid = e.account_sid and o.contact_sid = ${from}
       and o.workflow_sid = e.workflow_sid and o.created_at = e.created_at and o.stopped_by = e.stopped_by`);
