// The rows of runs that are under way. The row in `workflow_wakes` is the lock of its run: whoever moves a run, stops it or gives it
// mail holds that row, and a run without it is over.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { Lane } from '../../../platform/queue/lanes.ts';
import type { StepError } from '../definition/schema.ts';
import type { Effect } from '../interpreter/effects.ts';
import type { Memory, State } from '../interpreter/state.ts';
import type { RunStatus } from '../resources/states.ts';
import { workflowLanes } from './lanes.ts';

export type RunLane = Lane<'lane'>;

/** The effect a run stands at, between rounds. */
export type StandingEffect = {
  effect: Effect;
  position: number;
  awaits: boolean;
  /** It was asked for outside, and is given up when this moment has come without an answer. */
  answerUntil?: string;
  /** Since when it waits for a colleague who is writing. */
  heldSince?: string;
};

/** A run that is under way, as a round works on it. */
export type ActiveRun = {
  sid: string;
  workflowSid: string;
  version: number;
  contactSid: string | null;
  subjectSid: string;
  eventSequence: string;
  eventSid: string;
  eventType: string;
  eventData: object;
  depth: number;
  cursor: State;
  memory: Memory;
  effect: StandingEffect | null;
  failures: number;
  entries: number;
  startedAt: string;
  timeoutAt: string;
};

/**
 * The runs that are due, or those of them that are named, in the order of their time, each locked; those that somebody else holds are left to them. The workflows are
 * locked with them, so that one that is being stopped waits for this transaction, and nothing of it commits afterwards.
 */
export async function lockDueRuns(
  t: TenantTx,
  { lane, only = null, most }: { lane: RunLane; only?: string[] | null; most: number },
): Promise<ActiveRun[]> {
  const due = await t.many<{ sid: string }>(sql`
    select w.run_sid as sid from workflow_wakes w
      join workflows f on f.account_sid = w.account_sid and f.sid = w.workflow_sid
     where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode} and not w.held and w.due_at <= ${t.now}
       and f.state = 'PUBLISHED' and (${only}::text[] is null or w.run_sid = any (${only}::text[]))
       and ${workflowLanes.holds(lane)}
     order by w.due_at, w.run_sid limit ${most}
       for no key update of w skip locked for share of f skip locked`);
  if (due.length === 0) return [];
  const rows = await t.many<ActiveRun>(sql`
    select r.sid, r.workflow_sid as "workflowSid", r.version, r.contact_sid as "contactSid", r.subject_sid as "subjectSid",
      r.event_sequence as "eventSequence", r.event_sid as "eventSid", r.event_type as "eventType",
      r.event_data as "eventData", r.depth, r.cursor, r.memory, r.effect, r.failures, r.entries,
      r.started_at as "startedAt", r.timeout_at as "timeoutAt" from workflow_runs r
     where r.account_sid = ${t.accountSid} and r.livemode = ${t.livemode}
       and r.sid = any (${due.map(({ sid }) => sid)}::text[])`);
  const found = new Map(rows.map((row) => [row.sid, row]));
  return due.flatMap(({ sid }) => found.get(sid) ?? []);
}

/** When a run is to be looked at next, and which events are kept for it until then. */
export type Wake = { dueAt: Date; names: string[]; listening: boolean };

/** What a round leaves of a run. */
export type Moved = {
  sid: string;
  state: RunStatus;
  outcome: string | null;
  error: StepError | null;
  cursor: State;
  memory: Memory;
  effect: StandingEffect | null;
  entries: number;
  /** Null once it is over. */
  wake: Wake | null;
};

const json = (values: unknown[]) => values.map((value) => (value === null ? null : JSON.stringify(value)));

/** Writes down where the runs are now, in a constant number of statements. */
export async function storeMoved(t: TenantTx, moved: Moved[]): Promise<void> {
  if (moved.length === 0) return;
  const column = <K extends keyof Moved>(name: K) => moved.map((one) => one[name]);
  await Promise.all([
    t.run(sql`
      update workflow_runs r set state = item.state, outcome = item.outcome, error = item.error::json,
        cursor = item.cursor::json, memory = item.memory::json, effect = item.effect::json, entries = item.entries,
        failures = 0, updated_at = ${t.now},
        ended_at = case when item.state in ('RUNNING', 'WAITING') then null else ${t.now}::timestamptz end
        from unnest(${column('sid')}::text[], ${column('state')}::text[], ${column('outcome')}::text[],
          ${json(column('error'))}::text[], ${json(column('cursor'))}::text[], ${json(column('memory'))}::text[],
          ${json(column('effect'))}::text[], ${column('entries')}::integer[])
          as item (sid, state, outcome, error, cursor, memory, effect, entries)
       where r.account_sid = ${t.accountSid} and r.livemode = ${t.livemode} and r.sid = item.sid and r.ended_at is null`),
    storeWakes(t, moved),
    forgetRuns(
      t,
      moved.filter(({ wake }) => wake === null).map(({ sid }) => sid),
    ),
  ]);
}

async function storeWakes(t: TenantTx, moved: Moved[]): Promise<void> {
  const going = moved.flatMap(({ sid, wake }) => (wake ? [{ sid, ...wake }] : []));
  if (going.length === 0) return;
  await t.run(sql`
    update workflow_wakes w set due_at = item.due_at, listening = item.listening,
      names = array(select json_array_elements_text(item.names::json))
      from unnest(${going.map(({ sid }) => sid)}::text[], ${going.map(({ dueAt }) => dueAt)}::timestamptz[],
        ${going.map(({ listening }) => listening)}::boolean[],
        ${going.map(({ names }) => JSON.stringify(names))}::text[]) as item (sid, due_at, listening, names)
     where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode} and w.run_sid = item.sid`);
}

/** Nobody looks at these runs any more, and nobody writes to them. */
export async function forgetRuns(t: TenantTx, sids: string[]): Promise<void> {
  if (sids.length === 0) return;
  const theirs = sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and run_sid = any (${sids}::text[])`;
  await Promise.all([
    t.run(sql`delete from workflow_wakes where ${theirs}`),
    t.run(sql`delete from workflow_mail where ${theirs}`),
  ]);
}

/** Takes away these runs and all there is of them; tells how many there were. */
export async function removeRuns(t: TenantTx, sids: string[]): Promise<number> {
  if (sids.length === 0) return 0;
  const theirs = sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}`;
  for (const table of ['workflow_mail', 'workflow_steps'])
    await t.run(sql`delete from ${sql.id(table)} where ${theirs} and run_sid = any (${sids}::text[])`);
  return t.run(sql`delete from workflow_runs where ${theirs} and sid = any (${sids}::text[])`);
}
