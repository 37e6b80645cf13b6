// One turn of one run while it is made: a copy of the run, the facts, and what is told of it. Everything that moves a run is here,
// so that steps and waits only say what became of them.
import { type Facts, factsOfPaths, missingFacts, valueAt } from '../conditions/facts.ts';
import type { Saw } from '../conditions/judge.ts';
import type { Action, Section } from '../definition/actions.ts';
import type { StepError } from '../definition/schema.ts';
import type { Lookup } from './fill.ts';
import { type Program, type Standing, standingAt } from './program.ts';
import {
  type EndStatus,
  type Memory,
  maxClosingSteps,
  maxMemoryBytes,
  type Outcome,
  type Run,
  type State,
  type StepOutcome,
  type TraceEntry,
} from './state.ts';

export type Context = {
  program: Program;
  state: State;
  memory: Memory;
  facts: Facts;
  trace: TraceEntry[];
  /** Steps of this turn. */
  steps: number;
};

/** What ends the turn, or null to go on. */
export type Next = Outcome | null;

export function openTurn(program: Program, { state, memory }: Run, facts: Facts): Context {
  return {
    program,
    state: structuredClone(state),
    memory: structuredClone(memory),
    facts,
    trace: [],
    steps: 0,
  };
}

export const standing = ({ program, state }: Context): Standing => standingAt(program, state);

export const lookupIn =
  ({ facts, memory, state }: Context): Lookup =>
  (path) =>
    valueAt(path, facts, { ...memory, error: state.error });

/** Asks for what is not there yet. */
export function need(context: Context, names: string[]): Outcome | null {
  const facts = missingFacts(names, context.facts);
  return facts.length > 0 ? { kind: 'need', facts } : null;
}

export const needPaths = (context: Context, paths: string[]) => need(context, factsOfPaths(paths));

export function goOn({ state }: Context): null {
  const frame = state.frames.at(-1)!;
  frame.at += 1;
  delete frame.round;
  return null;
}

type Told = Pick<TraceEntry, 'outcome'> &
  Partial<Pick<TraceEntry, 'chose' | 'output' | 'error'>> & { saw?: Saw[] };

export function tell(context: Context, action: Action, { saw = [], ...told }: Told): void {
  const { path, frame } = standing(context);
  context.trace.push({
    position: context.state.position,
    path: `${path}[${frame.at}]`,
    id: action.id ?? null,
    type: action.type,
    at: context.facts.now,
    ...told,
    ...(saw.length > 0 && { saw }),
  });
}

/** The step is over: it is told and remembered, and the run goes on. */
export function finish(
  context: Context,
  action: Action,
  outcome: StepOutcome,
  told: { saw?: Saw[]; output?: unknown; error?: StepError } = {},
): null {
  tell(context, action, { outcome, ...told });
  const { program, memory } = context;
  if (action.id !== undefined && program.keptSteps.has(action.id)) {
    const record = { outcome, ...(told.output !== undefined && { output: told.output }) };
    const kept = remember(context, { ...memory, steps: { ...memory.steps, [action.id]: record } });
    // What became of a step is worth knowing also where what it gave is too large to keep.
    if (!kept) remember(context, { ...memory, steps: { ...memory.steps, [action.id]: { outcome } } });
  }
  return goOn(context);
}

/** Whether there was room for it. */
export function remember(context: Context, memory: Memory): boolean {
  if (Buffer.byteLength(JSON.stringify(memory)) > maxMemoryBytes) return false;
  context.memory = memory;
  return true;
}

/** Sets a variable; false where there is no room. */
export function setVariable(context: Context, name: string, value: unknown): boolean {
  const { memory } = context;
  return remember(context, { ...memory, vars: { ...memory.vars, [name]: value } });
}

export const tooLarge = {
  code: 'WORKFLOW_VARIABLES_TOO_LARGE',
  message: `The variables of a run may take ${maxMemoryBytes / 1024} KiB.`,
};

const longestMessage = 500;

export function failStep(
  context: Context,
  action: Action,
  { code, message }: { code: string; message: string },
  saw: Saw[] = [],
): Next {
  const { path, frame } = standing(context);
  const said = message.slice(0, longestMessage).toWellFormed();
  const error = { code: code.slice(0, 64), message: said, path: `${path}[${frame.at}]` };
  context.state.error = error;
  finish(context, action, 'failed', { error, saw });
  return action.onError === 'continue' ? null : failRun(context, error);
}

/** What failureActions and timeoutActions fail by ends them: they are not cleaned up after in turn. */
export function failRun(context: Context, error: StepError): Next {
  const { state } = context;
  state.failure ??= error;
  state.error = error;
  if (state.section !== 'actions') return end(context);
  return enter(context, 'failureActions');
}

export function enter({ state }: Context, section: Section): null {
  state.section = section;
  state.frames = [{ in: section, at: 0 }];
  state.limit = state.position + maxClosingSteps;
  state.waiting = null;
  state.pending = null;
  return null;
}

const statuses: Record<Section, EndStatus> = {
  actions: 'COMPLETED',
  failureActions: 'FAILED',
  timeoutActions: 'TIMED_OUT',
};

export function end({ state }: Context, outcome: string | null = null): Outcome {
  state.frames = [];
  state.waiting = null;
  state.pending = null;
  return { kind: 'end', status: statuses[state.section], outcome, error: state.failure };
}
