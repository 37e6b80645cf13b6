// Runs, their steps and decisions as people ask for them.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { PageOf, Pager } from '../../../platform/http/operations/pagination.ts';
import type { Saw } from '../conditions/judge.ts';
import type { TraceEntry } from '../interpreter/state.ts';
import type { WorkflowRun } from '../resources/schema.ts';
import { endRuns, type RunRow, runColumns, runOf } from './ending.ts';
import type { WorkflowDecision, WorkflowRunStep } from './told.ts';

export type RunPath = { workflowSid: string; runSid: string };

async function requireWorkflow(t: TenantTx, workflowSid: string): Promise<void> {
  const found = await t.maybe(sql`
    select from workflows
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${workflowSid} and deleted_at is null`);
  if (!found) throw new ApiError('NOT_FOUND');
}

/** Newest first. */
export async function listRuns(t: TenantTx, workflowSid: string, pager: Pager): Promise<PageOf<WorkflowRun>> {
  await requireWorkflow(t, workflowSid);
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<RunRow>(sql`
    select ${runColumns} from workflow_runs r
     where r.account_sid = ${t.accountSid} and r.livemode = ${t.livemode} and r.workflow_sid = ${workflowSid}
       ${before === null ? sql`` : sql`and r.sid < ${before}`}
     order by r.sid desc limit ${pager.fetch}`);
  return pager.page(rows, ({ sid }) => [sid], runOf);
}

export async function getRun(t: TenantTx, { workflowSid, runSid }: RunPath): Promise<WorkflowRun> {
  await requireWorkflow(t, workflowSid);
  const run = await t.maybe<RunRow>(sql`
    select ${runColumns} from workflow_runs r
     where r.account_sid = ${t.accountSid} and r.livemode = ${t.livemode} and r.workflow_sid = ${workflowSid}
       and r.sid = ${runSid}`);
  if (!run) throw new ApiError('NOT_FOUND');
  return runOf(run);
}

/** Once answered, nothing of it commits: what a round has under way with it is waited for. */
export async function stopRun(t: TenantTx, path: RunPath): Promise<WorkflowRun> {
  const { workflowSid, runSid } = path;
  await getRun(t, path);
  const ended = await endRuns(t, { workflowSid, runSid, outcome: 'run' });
  const run = await getRun(t, path);
  if (ended > 0) return run;
  throw new ApiError('CONFLICT', { message: `The run is over: it is ${run.status}.` });
}

/** Who may not read contacts sees that something was looked at, and not what it was. */
const mayReadPeople = ({ principal, accountSid }: TenantTx) =>
  principal.scopesOn(accountSid)?.has('contacts:read') ?? false;

const shown = (t: TenantTx, saw: Saw[]): Saw[] =>
  mayReadPeople(t) ? saw : saw.map(({ path }) => ({ path, value: null }));

type StepRow = { entry: number; position: number; trace: TraceEntry; eventSid: string | null };

/** In the order in which it happened. */
export async function runTimeline(
  t: TenantTx,
  path: RunPath,
  pager: Pager,
): Promise<PageOf<WorkflowRunStep>> {
  await getRun(t, path);
  const after = pager.after?.[0] ?? 0;
  const rows = await t.many<StepRow>(sql`
    select entry, position, trace, event_sid as "eventSid" from workflow_steps
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and run_sid = ${path.runSid} and entry > ${after}::integer
     order by entry limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ entry }) => [entry],
    (row) => stepOf(t, row),
  );
}

function stepOf(t: TenantTx, { entry, position, trace, eventSid }: StepRow): WorkflowRunStep {
  const { path, id, type, outcome, chose, output, error, saw = [], at } = trace;
  return {
    object: 'workflow_run_step',
    entry,
    position,
    path,
    id,
    type,
    outcome,
    chose: chose === undefined ? null : String(chose),
    output: (output as Record<string, unknown> | undefined) ?? null,
    error: error ?? null,
    saw: shown(t, saw),
    eventSid,
    at,
  };
}

type DecisionRow = Omit<WorkflowDecision, 'object'> & { sequence: string };
type Detail = Record<string, unknown> & { saw?: Saw[] };

/** Newest first, as far as they are kept. */
export async function listDecisions(
  t: TenantTx,
  workflowSid: string,
  pager: Pager,
): Promise<PageOf<WorkflowDecision>> {
  await requireWorkflow(t, workflowSid);
  const [sequence, decision] = pager.after ?? [null, null];
  const rows = await t.many<DecisionRow>(sql`
    select workflow_sid as "workflowSid", event_sequence as sequence, event_sid as "eventSid", event_type as "eventType",
      contact_sid as "contactSid", decision, detail, run_sid as "runSid", created_at as at from workflow_decisions
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and workflow_sid = ${workflowSid}
       ${sequence === null ? sql`` : sql`and (event_sequence, decision) < (${sequence}::bigint, ${decision})`}
     order by event_sequence desc, decision desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    (row) => [row.sequence, row.decision],
    ({ sequence: _, ...row }) => ({
      object: 'workflow_decision',
      ...row,
      detail: shownDetail(t, row.detail),
    }),
  );
}

export function shownDetail(t: TenantTx, detail: Detail | null): Detail | null {
  return detail?.saw ? { ...detail, saw: shown(t, detail.saw) } : detail;
}
