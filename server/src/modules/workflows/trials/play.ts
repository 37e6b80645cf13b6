// Plays a run from its event to its end: the interpreter is the one that real runs have; only time, effects and what happens meanwhile
// are the test's.

import type { StepError } from '../definition/schema.ts';
import { advance } from '../interpreter/advance.ts';
import { type Program, startOf } from '../interpreter/program.ts';
import type { Input, Run, TraceEntry, Turn, Wait } from '../interpreter/state.ts';
import { type Trial, tryEffect } from './try-effect.ts';

/** More entries than this tell nobody anything. */
const mostEntries = 500;

export type Played = {
  status: 'COMPLETED' | 'FAILED' | 'TIMED_OUT' | 'CUT_SHORT';
  outcome: string | null;
  error: StepError | null;
  endedAt: Date;
  trace: TraceEntry[];
};

type Playing = { program: Program; event: object; startAt: Date; timeoutAt: Date };

export async function play(trial: Trial, { program, event, startAt, timeoutAt }: Playing): Promise<Played> {
  const trace: TraceEntry[] = [];
  let run: Run = startOf(event);
  let now = startAt;
  let input: Input = { kind: 'go' };
  let waiting: { wait: Wait; since: Date } | null = null;
  while (trace.length < mostEntries) {
    const turn = await ask(trial, program, run, now, input);
    trace.push(...turn.trace);
    run = { state: turn.state, memory: turn.memory };
    const { outcome } = turn;
    if (outcome.kind === 'end') {
      const { status, outcome: said, error } = outcome;
      return { status, outcome: said, error, endedAt: now, trace };
    }
    if (outcome.kind === 'effect') {
      const id = turn.trace.at(-1)?.id ?? null;
      input = await tryEffect(trial, { ...outcome, id, now });
      continue;
    }
    if (outcome.kind === 'pause') {
      input = { kind: 'go' };
      continue;
    }
    if (outcome.kind === 'wait') waiting = { wait: outcome.wait, since: now };
    ({ now, input } = await next(trial, waiting!, timeoutAt));
  }
  return { status: 'CUT_SHORT', outcome: null, error: null, endedAt: now, trace };
}

async function ask(trial: Trial, program: Program, run: Run, now: Date, input: Input): Promise<Turn> {
  const facts = trial.world.factsAt(now);
  for (;;) {
    const turn = advance(program, run, facts, input);
    if (turn.outcome.kind !== 'need') return turn;
    await trial.world.load(facts, turn.outcome.facts, run.state.messageSid);
  }
}

/** What comes to a run that waits: something of the test's, or its own time. */
async function next(
  { world }: Trial,
  { wait, since }: { wait: Wait; since: Date },
  timeoutAt: Date,
): Promise<{ now: Date; input: Input }> {
  const wakeAt = new Date(wait.wakeAt);
  const over = wakeAt < timeoutAt ? wakeAt : timeoutAt;
  for (let heard = world.next(wait, since); heard; heard = world.next(wait, since))
    if (heard.at <= over) return { now: heard.at, input: { kind: 'event', event: heard.event } };
  return { now: over, input: over === wakeAt ? { kind: 'due' } : { kind: 'timeout' } };
}
