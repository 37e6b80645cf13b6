// The interpreter: from a run, the facts and what it is told to what is to be done next. It reads no clock and looks nothing up,
// so a run and a test run are the same, and the same input gives the same answer on every machine.
import type { Facts } from '../conditions/facts.ts';
import type { Action } from '../definition/actions.ts';
import type { Program } from './program.ts';
import { type Input, maxStepsOfTurn, type Outcome, type Run, type Turn } from './state.ts';
import { doStep, settle } from './steps.ts';
import { type Context, end, enter, failRun, type Next, openTurn, standing, tell } from './turn-context.ts';
import { hearEvent, leaveList, type Waiting, wake } from './waits.ts';

/** What it is given stays as it is. */
export function advance(program: Program, run: Run, facts: Facts, input: Input): Turn {
  const context = openTurn(program, run, facts);
  const outcome = take(context, input) ?? proceed(context);
  if (outcome.kind === 'need' || outcome.kind === 'unchanged')
    return { state: run.state, memory: run.memory, trace: [], outcome };
  return { state: context.state, memory: context.memory, trace: context.trace, outcome };
}

const unchanged: Outcome = { kind: 'unchanged' };

function take(context: Context, input: Input): Next {
  const { state } = context;
  if (state.frames.length === 0) return unchanged;
  const action = currentAction(context);
  switch (input.kind) {
    case 'timeout':
      return state.section === 'actions' ? timeOut(context, action) : unchanged;
    case 'go':
      return state.waiting || state.pending !== null ? unchanged : null;
    case 'result':
      return state.pending === input.position && action ? settle(context, action, input) : unchanged;
    case 'event':
      return action?.type === 'wait_for_reply' || action?.type === 'wait_for_event'
        ? hearEvent(context, action, input.event)
        : unchanged;
    case 'due':
      return state.waiting ? wake(context, action as Waiting) : unchanged;
  }
}

/** The run's own time is over, whatever it stands at. */
function timeOut(context: Context, action: Action | undefined): null {
  if (action && (context.state.waiting || context.state.pending !== null))
    tell(context, action, { outcome: 'timed_out' });
  return enter(context, 'timeoutActions');
}

function currentAction(context: Context): Action | undefined {
  const { list, frame } = standing(context);
  return list[frame.at];
}

/** Goes from action to action until something must be done, known or waited for. */
function proceed(context: Context): Outcome {
  const { state } = context;
  for (;;) {
    const action = currentAction(context);
    const next = action ? stepWithin(context, action) : leave(context);
    if (next) return next;
    if (state.frames.length === 0) return end(context);
  }
}

function stepWithin(context: Context, action: Action): Next {
  const { state } = context;
  if (state.position >= state.limit) return failRun(context, tooManySteps(context));
  if (context.steps >= maxStepsOfTurn) return { kind: 'pause' };
  return doStep(context, action);
}

function tooManySteps(context: Context) {
  const { path, frame } = standing(context);
  const message = `The run has taken ${context.state.limit} steps.`;
  return { code: 'WORKFLOW_STEP_LIMIT', message, path: `${path}[${frame.at}]` };
}

/** A list is at its end: the run goes on where it stands, or is over. */
function leave(context: Context): Next {
  const { state, program } = context;
  if (state.frames.length === 1) return end(context);
  const outer = { ...state, frames: state.frames.slice(0, -1) };
  const { list, frame } = standing({ ...context, program, state: outer });
  leaveList(context, list[frame.at]);
  return null;
}
