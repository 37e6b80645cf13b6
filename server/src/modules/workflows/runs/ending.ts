// What happens to the runs of a workflow because of something outside of them: it is stopped, published again, or they are ended.
// The row in `workflow_wakes` is the lock of its run: whoever ends a run takes that row away, and a run without it is over.
import { Type } from 'typebox';
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { emit } from '../../../platform/events.ts';
import { Closed, Sid, Word } from '../../../platform/http/input/schema.ts';
import { defineJob, enqueue, untilDone } from '../../../platform/jobs/jobs.ts';
import type { State } from '../interpreter/state.ts';
import { runEvents } from '../resources/events.ts';
import type { WorkflowRun } from '../resources/schema.ts';
import type { RunStatus } from '../resources/states.ts';
import { announceRuns } from './lanes.ts';
import { runsEnded } from './metrics.ts';
import type { StandingEffect } from './run-rows.ts';

/** As many as one transaction goes through; a job does the rest, for there may be a million. */
export const slice = 1_000;
/** Runs that should have gone on longer ago than this when their workflow is published again are over: their moment has passed. */
const staleMs = 24 * 60 * 60 * 1000;

/** Every column of a run as it is told; `r` is its row. */
export const runColumns = sql`'workflow_run' as object, r.sid, r.account_sid as "accountSid", r.livemode,
  r.workflow_sid as "workflowSid", r.version, r.state as status, r.outcome, r.error, r.contact_sid as "contactSid",
  r.subject_sid as "subjectSid", r.event_sid as "eventSid", r.event_type as "eventType",
  r.started_by_run as "startedByRunSid", r.cursor, r.effect,
  r.ended_at is null and exists (select from workflows f where f.account_sid = r.account_sid and f.sid = r.workflow_sid
    and f.state = 'STOPPED') as held,
  r.started_at as "startedAt", r.timeout_at as "timeoutAt", r.ended_at as "endedAt", r.updated_at as "updatedAt"`;

const ends = {
  COMPLETED: runEvents.completed,
  FAILED: runEvents.failed,
  TIMED_OUT: runEvents.timed_out,
  STOPPED: runEvents.stopped,
} satisfies Partial<Record<RunStatus, unknown>>;

export type RunRow = Omit<WorkflowRun, 'waiting'> & { cursor: State; effect: StandingEffect | null };

/** A run as it is told. */
export function runOf({ cursor, effect, ...run }: RunRow): WorkflowRun {
  const { waiting } = cursor;
  if (run.endedAt !== null) return { ...run, waiting: null };
  if (waiting) {
    const { kind, position, wakeAt } = waiting;
    return { ...run, waiting: { kind, position, until: wakeAt } };
  }
  if (effect?.answerUntil === undefined) return { ...run, waiting: null };
  return { ...run, waiting: { kind: 'answer', position: effect.position, until: effect.answerUntil } };
}

/** Tells of runs that have ended, in the transaction that ended them. */
export async function tellOfEnds(t: TenantTx, sids: string[]): Promise<void> {
  if (sids.length === 0) return;
  const rows = await t.many<RunRow>(sql`
    select ${runColumns} from workflow_runs r
     where r.account_sid = ${t.accountSid} and r.livemode = ${t.livemode} and r.sid = any (${sids}::text[])
     order by r.sid`);
  for (const run of rows.map(runOf)) {
    emit(t, ends[run.status as keyof typeof ends], run);
    runsEnded.inc({ state: run.status });
  }
}

export type Ending = {
  workflowSid: string;
  contactSid?: string;
  runSid?: string;
  /** None that began later. */
  upTo?: string;
  /** Why. `stale` ends only those whose moment has passed while they were held; `all` is told as `run`. */
  outcome: 'run' | 'contact' | 'merged' | 'restricted' | 'erased' | 'stale' | 'all';
};

const wakesOf = (t: TenantTx, workflowSid: string): Sql =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and workflow_sid = ${workflowSid}`;

const staleBefore = (now: Date) => new Date(now.getTime() - staleMs);

/** Ends runs that are under way, at most a slice of them; tells how many. */
export async function endRuns(t: TenantTx, ending: Ending): Promise<number> {
  const { workflowSid, contactSid, runSid, upTo, outcome } = ending;
  const over = await t.many<{ sid: string }>(sql`
    with ended as (
      select run_sid from workflow_wakes
       where ${wakesOf(t, workflowSid)}
         ${contactSid === undefined ? sql`` : sql`and contact_sid = ${contactSid}`}
         ${runSid === undefined ? sql`` : sql`and run_sid = ${runSid}`}
         ${upTo === undefined ? sql`` : sql`and run_sid <= ${upTo}`}
         ${outcome === 'stale' ? sql`and held and due_at < ${staleBefore(t.now)}` : sql``}
       order by run_sid limit ${slice} for update)
    delete from workflow_wakes w using ended where w.account_sid = ${t.accountSid} and w.run_sid = ended.run_sid
    returning w.run_sid as sid`);
  const sids = over.map(({ sid }) => sid);
  if (sids.length === 0) return 0;
  await t.run(sql`
    delete from workflow_mail
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and run_sid = any (${sids}::text[])`);
  await t.run(sql`
    update workflow_runs set state = 'STOPPED', outcome = ${outcome === 'all' ? 'run' : outcome}, effect = null,
      ended_at = ${t.now}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${sids}::text[])
       and ended_at is null`);
  await tellOfEnds(t, sids);
  return sids.length;
}

/** How many runs are under way. */
export async function countActiveRuns(t: TenantTx, workflowSid: string): Promise<number> {
  const { count } = await t.one<{ count: number }>(sql`
    select count(*)::integer as count from workflow_wakes where ${wakesOf(t, workflowSid)}`);
  return count;
}

/** Ends all runs that are under way now; those beyond a slice one after the other, by a job. */
export async function endAllRuns(t: TenantTx, workflowSid: string): Promise<number> {
  const { newest } = await t.one<{ newest: string | null }>(sql`
    select max(run_sid) as newest from workflow_wakes where ${wakesOf(t, workflowSid)}`);
  if (newest === null) return 0;
  const ended = await endRuns(t, { workflowSid, upTo: newest, outcome: 'all' });
  if (ended === slice) enqueue(t, goThroughRuns, { workflowSid, doing: 'end', upTo: newest });
  return ended;
}

/** Nobody needs to look at the runs of a stopped workflow. What keeps them from going on is its row, which says that it is stopped. */
export async function holdRuns(t: TenantTx, workflowSid: string): Promise<void> {
  if (await holdSome(t, workflowSid)) enqueue(t, goThroughRuns, { workflowSid, doing: 'hold' });
}

/** The runs of a workflow that is published again go on; those whose moment has passed end. */
export async function letRunsGo(t: TenantTx, workflowSid: string, now: Date): Promise<void> {
  if (await letSomeGo(t, workflowSid, now)) enqueue(t, goThroughRuns, { workflowSid, doing: 'let go' });
}

async function holdSome(t: TenantTx, workflowSid: string): Promise<boolean> {
  const held = await t.run(sql`
    with found as (
      select run_sid from workflow_wakes
       where ${wakesOf(t, workflowSid)} and not held order by run_sid limit ${slice} for update)
    update workflow_wakes w set held = true from found
     where w.account_sid = ${t.accountSid} and w.run_sid = found.run_sid`);
  return held === slice;
}

async function letSomeGo(t: TenantTx, workflowSid: string, now: Date): Promise<boolean> {
  const stale = await endRuns(t, { workflowSid, outcome: 'stale' });
  const gone = await t.run(sql`
    with found as (
      select run_sid from workflow_wakes
       where ${wakesOf(t, workflowSid)} and held and due_at >= ${staleBefore(now)}
       order by run_sid limit ${slice} for update)
    update workflow_wakes w set held = false from found
     where w.account_sid = ${t.accountSid} and w.run_sid = found.run_sid`);
  if (gone > 0) await announceRuns(t, now);
  return stale === slice || gone === slice;
}

/** Whether the workflow is still in the state for which its runs are gone through; it stays so until the transaction ends. */
async function isStill(t: TenantTx, workflowSid: string, state: string): Promise<boolean> {
  const found = await t.maybe(sql`
    select 1 from workflows
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${workflowSid} and state = ${state}
       for share`);
  return found !== undefined;
}

export const goThroughRuns = defineJob({
  name: 'workflows.go-through-runs',
  payload: Closed({
    workflowSid: Sid('WF'),
    doing: Word('hold', 'let go', 'end'),
    upTo: Type.Optional(Sid('WR')),
  }),
  attempts: untilDone,
  async run({ write, signal }, { workflowSid, doing, upTo }) {
    const doSome = async (t: TenantTx): Promise<boolean> => {
      if (doing === 'end')
        return (await endRuns(t, { workflowSid, ...(upTo && { upTo }), outcome: 'all' })) === slice;
      if (!(await isStill(t, workflowSid, doing === 'hold' ? 'STOPPED' : 'PUBLISHED'))) return false;
      return doing === 'hold' ? holdSome(t, workflowSid) : letSomeGo(t, workflowSid, t.now);
    };
    for (let more = true; more; ) {
      // A worker that stops leaves the rest to its successor, by failing: a job that ends is not run again.
      signal.throwIfAborted();
      more = await write(doSome);
    }
  },
});
