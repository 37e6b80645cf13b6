// What runs do when contacts are merged: those under way go on for the survivor, and so does where the merged one has been and what was
// stopped for it. Nobody is in a workflow twice: where both were, the run of the merged one ends.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { followMerges, type MergedPair } from '../../contacts/index.ts';
import { endRuns } from './ending.ts';

type Snapshot = { kept: string[]; moved: string[]; entries: string[]; stops: string[] };
type Copy = { workflowSid: string };
type Active = { runSid: string; workflowSid: string; contactSid: string };

export const runsFollow = followMerges<Snapshot>({
  name: 'workflowRuns',
  async move(t, pair) {
    const { survivorSid, mergedSid } = pair;
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
      copyEntries(t, pair),
      copyStops(t, pair),
      t.run(sql`
        update workflow_sends set contact_sid = ${survivorSid}
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${mergedSid}`),
    ]);
    return {
      moved,
      snapshot: { kept: sidsOf(kept), moved, entries: workflowsOf(entries), stops: workflowsOf(stops) },
    };
  },
  async moveBack(t, pair, { kept, moved, entries, stops }) {
    const active = (await lockActive(t, [pair.survivorSid])).map(({ runSid }) => runSid);
    const movedBack = active.filter((sid) => moved.includes(sid));
    await handOver(t, movedBack, pair.mergedSid);
    await Promise.all([
      uncopy(t, pair, {
        table: 'workflow_entries',
        contact: 'subject_sid',
        differing: ['last_run_sid'],
        workflowSids: entries,
      }),
      uncopy(t, pair, {
        table: 'workflow_contact_stops',
        contact: 'contact_sid',
        differing: ['created_at', 'stopped_by'],
        workflowSids: stops,
      }),
    ]);
    const stayed = active.filter((sid) => !movedBack.includes(sid) && !kept.includes(sid));
    return { movedBack, stayed };
  },
});

const workflowsOf = (copies: Copy[]) => copies.map(({ workflowSid }) => workflowSid);

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

/** Tells of which workflows. The merged contact keeps its own, for when it is itself again. */
const copyEntries = (t: TenantTx, { survivorSid, mergedSid }: MergedPair) =>
  t.many<Copy>(sql`
    insert into workflow_entries (account_sid, livemode, workflow_sid, subject_sid, last_run_sid, first_at, last_at)
    select account_sid, livemode, workflow_sid, ${survivorSid}, last_run_sid, first_at, last_at from workflow_entries
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and subject_sid = ${mergedSid}
    on conflict do nothing returning workflow_sid as "workflowSid"`);

const copyStops = (t: TenantTx, { survivorSid, mergedSid }: MergedPair) =>
  t.many<Copy>(sql`
    insert into workflow_contact_stops (account_sid, livemode, workflow_sid, contact_sid, reason, stopped_by, created_at)
    select account_sid, livemode, workflow_sid, ${survivorSid}, reason, stopped_by, created_at from workflow_contact_stops
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${mergedSid}
    on conflict do nothing returning workflow_sid as "workflowSid"`);

/** Takes copies back. What the survivor did itself since then stays: it differs from what the merged one has in these columns. */
async function uncopy(
  t: TenantTx,
  { survivorSid, mergedSid }: MergedPair,
  copies: { table: string; contact: string; differing: string[]; workflowSids: string[] },
): Promise<void> {
  const [table, contact] = [sql.id(copies.table), sql.id(copies.contact)];
  const isSame = copies.differing.map((column) => sql`o.${sql.id(column)} = e.${sql.id(column)}`);
  await t.run(sql`
    delete from ${table} e using ${table} o
     where e.account_sid = ${t.accountSid} and e.livemode = ${t.livemode} and e.${contact} = ${survivorSid}
       and e.workflow_sid = any (${copies.workflowSids}::text[]) and o.account_sid = e.account_sid
       and o.${contact} = ${mergedSid} and o.workflow_sid = e.workflow_sid and ${sql.join(isSame, sql` and `)}`);
}
