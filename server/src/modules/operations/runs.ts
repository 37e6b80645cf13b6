// A run's lease of its operation. Every write names it; once another run has begun, or the operation was canceled, it touches no
// row, and the whole transaction with its effects is rolled back. The job queue says who runs next: a job of a process that
// died is given to another, which takes the operation over without asking.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { TenantJobContext } from '../../platform/jobs/jobs.ts';
import { givenBack, isHeld, type Lease, takenBy } from '../../platform/queue/lease.ts';
import { askForAction, waitsFor } from './awaiting.ts';
import { forgetChildren } from './children.ts';
import { unexpected } from './failures.ts';
import { enqueueRun } from './operation-jobs.ts';
import { announce, columns, here, type Row, tellChange } from './resource.ts';
import type { Awaiting, Failure, RunningOperation } from './work.ts';

export type Run = Lease & {
  sid: string;
  type: string;
  input: unknown;
  checkpoint: object | null;
  overdue: boolean;
};

export type Running = {
  context: TenantJobContext;
  run: Run;
  operation: RunningOperation<never>;
  /** True when the run should stop at this safe place and be handed on. */
  mustYield(): boolean;
};

/** Thrown inside a transaction that a run may no longer commit. */
export class Superseded extends Error {}

// Tries in a row that brought nothing forward.
const maxTries = 6;

/** Takes the operation over from whoever ran it before; null when there is nothing left to run. */
export async function beginRun(
  t: TenantTx,
  sid: string,
  { processId, anew }: { processId: string; anew: boolean },
): Promise<Run | null> {
  // A run that was handed on keeps the measure of its rate; one taken from the dead begins a new one.
  const handedOn = sql`(state = 'RUNNING' and holder is null and measured_at is not null)`;
  const forgets = anew ? sql`done = 0, failed = 0, checkpoint = null,` : sql``;
  const row = await t.maybe<Run & { tries: number }>(sql`
    update operations set ${forgets} state = 'RUNNING', ${takenBy(processId)}, tries = tries + 1,
      measured_at = case when ${handedOn} then measured_at else ${t.now} end,
      measured_done = case when ${handedOn} then measured_done else done end,
      started_at = coalesce(started_at, ${t.now}), updated_at = ${t.now}
     where ${here(t, sid)} and state in ('PENDING', 'RUNNING', 'WAITING') and awaits is null
    returning sid, type, input, checkpoint, overdue, tries, holder, generation`);
  if (!row) return null;
  tellChange(t, sid);
  if (anew) await forgetChildren(t, sid);
  const { tries, ...run } = row;
  if (tries <= maxTries) return run;
  // It ended its process every time: somebody must look.
  await endRun(t, run, { failure: unexpected });
  return null;
}

const mine = (t: TenantTx, run: Run) => sql`${here(t, run.sid)} and ${isHeld(run)} and state = 'RUNNING'`;

export type Advance = { done: number; failed: number; total?: number | undefined; checkpoint?: object };

/** Writes progress down with the effects it tells of. To be called last: its row lock then lasts no longer than the commit. */
export async function advance(t: TenantTx, run: Run, made: Advance): Promise<void> {
  const checkpoint = made.checkpoint ? JSON.stringify(made.checkpoint) : null;
  const touched = await t.run(sql`
    update operations set done = done + ${made.done}::bigint, failed = failed + ${made.failed}::bigint,
      total = coalesce(${made.total ?? null}::bigint, total), checkpoint = coalesce(${checkpoint}::json, checkpoint),
      tries = 0, progressed_at = ${t.now}, updated_at = ${t.now}
     where ${mine(t, run)}`);
  if (touched === 0) throw new Superseded();
  tellChange(t, run.sid);
}

type End = { result: object | null } | { failure: Failure; result?: object | null };

export async function endRun(t: TenantTx, run: Run, end: End): Promise<void> {
  const failure = 'failure' in end ? end.failure : null;
  const error = failure && { code: failure.code, message: failure.message };
  const row = await t.maybe<Row>(sql`
    update operations set state = ${failure ? 'FAILED' : 'SUCCEEDED'}, ${givenBack}, tries = 0,
      result = ${end.result ? JSON.stringify(end.result) : null}::json, sealed_result = null,
      error = ${error ? JSON.stringify(error) : null}::json, retry_eligible = ${failure?.retryable ?? failure !== null},
      finished_at = ${t.now}, updated_at = ${t.now}
     where ${mine(t, run)}
    returning ${columns}`);
  if (!row) throw new Superseded();
  announce(t, row);
}

/** Lets another slot go on where this one stopped. */
export async function handOn(t: TenantTx, run: Run): Promise<void> {
  const touched = await t.run(sql`
    update operations set ${givenBack}, tries = 0, updated_at = ${t.now} where ${mine(t, run)}`);
  if (touched > 0) enqueueRun(t, run);
}

export async function waitUntil(t: TenantTx, run: Run, at: Date, result?: object): Promise<void> {
  const touched = await t.run(sql`
    update operations set state = 'WAITING', ${givenBack}, tries = 0,
      result = coalesce(${result ? JSON.stringify(result) : null}::json, result), updated_at = ${t.now}
     where ${mine(t, run)}`);
  if (touched === 0) throw new Superseded();
  tellChange(t, run.sid);
  enqueueRun(t, run, at);
}

/** Nothing runs until somebody has done what is asked for, or the time for it is over. */
export async function awaitSomebody(t: TenantTx, run: Run, awaiting: Awaiting): Promise<void> {
  const row = await t.maybe<Row>(sql`
    update operations set state = 'WAITING', ${givenBack}, tries = 0, ${waitsFor(t, run.sid, awaiting)}, updated_at = ${t.now}
     where ${mine(t, run)}
    returning ${columns}`);
  if (!row) throw new Superseded();
  askForAction(t, row);
}

/** After a failure that may pass: another try, each a little later, until there were enough. */
export async function tryLater(t: TenantTx, run: Run): Promise<void> {
  const held = await t.maybe<{ tries: number }>(
    sql`select tries from operations where ${mine(t, run)} for update`,
  );
  if (!held) return;
  if (held.tries >= maxTries) return endRun(t, run, { failure: unexpected });
  await t.run(sql`
    update operations set state = 'WAITING', ${givenBack}, updated_at = ${t.now} where ${mine(t, run)}`);
  tellChange(t, run.sid);
  enqueueRun(t, run, new Date(t.now.getTime() + 1_000 * 2 ** held.tries));
}

export async function stillMine(t: TenantTx, run: Run): Promise<boolean> {
  return (await t.maybe(sql`select from operations where ${mine(t, run)}`)) !== undefined;
}
