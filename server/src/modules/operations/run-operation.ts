// One run of an operation, inside a job: from its claim to its end, or until it hands on to the next.
import type { TenantTx } from '../../platform/db/database.ts';
import type { TenantJobContext } from '../../platform/jobs/jobs.ts';
import { failureOf } from './failures.ts';
import { runChunks } from './run-chunks.ts';
import { runItems } from './run-items.ts';
import {
  advance,
  awaitSomebody,
  beginRun,
  endRun,
  handOn,
  type Run,
  type Running,
  Superseded,
  stillMine,
  tryLater,
  waitUntil,
} from './runs.ts';
import type { RunningOperation, StepWork, Work } from './work.ts';

// A run gives its place to other jobs after this long, and goes on when it is its turn again.
const sliceMs = 10_000;
const watchMs = 1_000;

export async function runOperation(job: TenantJobContext, work: Work<never>, sid: string): Promise<void> {
  const undivided = 'chunks' in work && work.resumable === false;
  const begun = await job.write(async (t) => {
    const run = await beginRun(t, sid, { processId: job.processId, anew: undivided });
    return run && { run, operation: runningOf(t, run) };
  });
  if (!begun) return;
  const { run } = begun;
  const watch = watchOver(job, run);
  const context = { ...job, signal: AbortSignal.any([job.signal, watch.lost]) };
  const yieldAtMs = performance.now() + sliceMs;
  const mustYield = () => job.signal.aborted || (!undivided && performance.now() > yieldAtMs);
  const running = { context, run, operation: begun.operation as RunningOperation<never>, mustYield };
  try {
    const ended = await perform(running, work);
    if (!ended) await job.write((t) => handOn(t, run));
  } catch (error) {
    if (error instanceof Superseded || watch.lost.aborted) return;
    if (job.signal.aborted) return await job.write((t) => handOn(t, run));
    await settle(job, run, error);
  } finally {
    watch.stop();
  }
}

const runningOf = ({ accountSid, livemode }: TenantTx, run: Run): RunningOperation<unknown> => ({
  sid: run.sid,
  accountSid,
  livemode,
  input: run.input,
  overdue: run.overdue,
  stillRuns: (t, made) => advance(t, run, { done: 0, failed: 0, ...made }),
});

/** True when the run needs no successor. */
async function perform(running: Running, work: Work<never>): Promise<boolean> {
  if ('runItem' in work) return runItems(running, work);
  if ('chunks' in work) return runChunks(running, work);
  await runStep(running, work);
  return true;
}

async function runStep({ context, run, operation }: Running, work: StepWork): Promise<void> {
  const outcome = await work.run(context, operation);
  await context.write(async (t) => {
    await outcome.apply?.(t);
    if ('awaits' in outcome) return awaitSomebody(t, run, outcome);
    if ('failure' in outcome) return endRun(t, run, { failure: outcome.failure });
    if (!('waitUntil' in outcome)) return endRun(t, run, { result: outcome.result });
    const { waitUntil: at, result } = outcome;
    await waitUntil(t, run, typeof at === 'function' ? await at(t) : at, result);
  });
}

async function settle(job: TenantJobContext, run: Run, error: unknown): Promise<void> {
  job.log.warn({ err: error, operation: run.sid, type: run.type }, 'an operation stumbled');
  const failure = failureOf(error);
  await job
    .write((t) => (failure ? endRun(t, run, { failure }) : tryLater(t, run)))
    .catch((cause) => {
      if (!(cause instanceof Superseded)) throw cause;
    });
}

/** Tells a run whose operation was canceled or taken over, also by another process. */
function watchOver(job: TenantJobContext, run: Run) {
  const lost = new AbortController();
  const look = async () => {
    if (!(await job.read((t) => stillMine(t, run)))) lost.abort();
  };
  // A database that cannot be asked says nothing about the operation; the next commit will.
  const timer = setInterval(() => void look().catch(() => {}), watchMs);
  return { lost: lost.signal, stop: () => clearInterval(timer) };
}
