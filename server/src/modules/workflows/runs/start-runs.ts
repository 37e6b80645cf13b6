// How runs begin: the run, the row by which it is found, and that its contact has been in the workflow.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { startOf } from '../interpreter/program.ts';
import { runsStarted } from './metrics.ts';
import type { Version } from './versions.ts';

export type NewRun = {
  sid: string;
  workflowSid: string;
  version: number;
  program: Version;
  contactSid: string | null;
  subjectSid: string;
  event: { sequence: string; sid: string; type: string; data: object };
  depth: number;
  startedByRun: string | null;
  /** What happened up to this number is nothing to it. */
  heardAfter: string;
};

const defaultTimeoutSeconds = 2_592_000;

const timeoutOf = (t: TenantTx, { program }: NewRun) =>
  new Date(t.now.getTime() + (program.definition.trigger.timeoutSeconds ?? defaultTimeoutSeconds) * 1_000);

/** The SIDs of those that began. One whose contact came into the workflow another way at the same moment does not. */
export async function insertRuns(t: TenantTx, runs: readonly NewRun[]): Promise<Set<string>> {
  if (runs.length === 0) return new Set();
  const of = <T>(pick: (run: NewRun) => T) => runs.map(pick);
  const starts = runs.map(({ event }) => startOf(event.data));
  const rows = await t.many<{ sid: string }>(sql`
    insert into workflow_runs (account_sid, livemode, sid, workflow_sid, version, state, contact_sid, subject_sid,
      event_sequence, event_sid, event_type, event_data, depth, started_by_run, cursor, memory, started_at, timeout_at,
      updated_at)
    select ${t.accountSid}, ${t.livemode}, item.sid, item.workflow_sid, item.version, 'RUNNING', item.contact_sid,
      item.subject_sid, item.sequence, item.event_sid, item.event_type, item.event_data::json, item.depth,
      item.started_by_run, item.cursor::json, item.memory::json, ${t.now}, item.timeout_at, ${t.now}
      from unnest(${of(({ sid }) => sid)}::text[], ${of(({ workflowSid }) => workflowSid)}::text[],
        ${of(({ version }) => version)}::integer[], ${of(({ contactSid }) => contactSid)}::text[],
        ${of(({ subjectSid }) => subjectSid)}::text[], ${of(({ event }) => event.sequence)}::bigint[],
        ${of(({ event }) => event.sid)}::text[], ${of(({ event }) => event.type)}::text[],
        ${of(({ event }) => JSON.stringify(event.data))}::text[], ${of(({ depth }) => depth)}::integer[],
        ${of(({ startedByRun }) => startedByRun)}::text[], ${starts.map(({ state }) => JSON.stringify(state))}::text[],
        ${starts.map(({ memory }) => JSON.stringify(memory))}::text[], ${of((run) => timeoutOf(t, run))}::timestamptz[])
        as item (sid, workflow_sid, version, contact_sid, subject_sid, sequence, event_sid, event_type, event_data, depth,
          started_by_run, cursor, memory, timeout_at)
     order by item.workflow_sid, item.subject_sid
    on conflict do nothing
    returning sid`);
  const begun = new Set(rows.map(({ sid }) => sid));
  await Promise.all([
    insertWakes(
      t,
      runs.filter(({ sid }) => begun.has(sid)),
    ),
    noteEntries(
      t,
      runs.filter(({ sid }) => begun.has(sid)),
    ),
  ]);
  runsStarted.inc(begun.size);
  return begun;
}

async function insertWakes(t: TenantTx, runs: NewRun[]): Promise<void> {
  const items = runs.map(({ sid, workflowSid, contactSid, heardAfter, program }) => ({
    sid,
    workflowSid,
    contactSid,
    heardAfter,
    names: program.waitNames,
  }));
  await t.run(sql`
    insert into workflow_wakes (account_sid, livemode, run_sid, workflow_sid, contact_sid, names, listening, heard_after, due_at)
    select ${t.accountSid}, ${t.livemode}, item.sid, item."workflowSid", item."contactSid", item.names, false,
      item."heardAfter", ${t.now}
      from json_to_recordset(${JSON.stringify(items)}::json)
        as item (sid text, "workflowSid" text, "contactSid" text, names text[], "heardAfter" bigint)`);
}

async function noteEntries(t: TenantTx, runs: NewRun[]): Promise<void> {
  // One statement touches a row once: of several runs of one contact the last counts.
  const last = new Map(runs.map((run) => [`${run.workflowSid} ${run.subjectSid}`, run]));
  const entries = [...last].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, run]) => run);
  await t.run(sql`
    insert into workflow_entries (account_sid, livemode, workflow_sid, subject_sid, last_run_sid, first_at, last_at)
    select ${t.accountSid}, ${t.livemode}, item.workflow_sid, item.subject_sid, item.run_sid, ${t.now}, ${t.now}
      from unnest(${entries.map(({ workflowSid }) => workflowSid)}::text[],
        ${entries.map(({ subjectSid }) => subjectSid)}::text[], ${entries.map(({ sid }) => sid)}::text[])
        as item (workflow_sid, subject_sid, run_sid)
    on conflict (account_sid, workflow_sid, subject_sid)
      do update set last_run_sid = excluded.last_run_sid, last_at = excluded.last_at`);
}
