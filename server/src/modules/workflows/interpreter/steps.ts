// What each kind of action does with a run.
import { sha256 } from '../../../platform/hashing.ts';
import { factsNeeded } from '../conditions/facts.ts';
import { judgeConditions, type Saw } from '../conditions/judge.ts';
import type { Action, ActionOf } from '../definition/actions.ts';
import type { Predicate } from '../definition/predicates.ts';
import { pathsIn } from '../definition/walk.ts';
import { type EffectType, effectOf, isEffect } from './effects.ts';
import { fillValue } from './fill.ts';
import {
  type Context,
  end,
  failStep,
  finish,
  lookupIn,
  type Next,
  need,
  needPaths,
  setVariable,
  standing,
  tell,
  tooLarge,
} from './turn-context.ts';
import { waitForEvent, waitForReply, waitForTime } from './waits.ts';

const judge = (context: Context, conditions: Predicate[]) =>
  judgeConditions(conditions, context.facts, { ...context.memory, error: context.state.error });

/** Does the action the run stands at. */
export function doStep(context: Context, action: Action): Next {
  const { state } = context;
  // Another round of a repeat was begun already, so nothing asks again whether to begin.
  const begun = standing(context).frame.round !== undefined;
  const conditions = begun ? [] : (action.if ?? []);
  const missing = need(context, factsNeeded(conditions));
  if (missing) return missing;
  state.position += 1;
  context.steps += 1;
  const { holds, saw } = judge(context, conditions);
  return holds ? perform(context, action, saw) : finish(context, action, 'skipped', { saw });
}

function perform(context: Context, action: Action, saw: Saw[]): Next {
  switch (action.type) {
    case 'branch':
      return branch(context, action, saw);
    case 'split':
      return split(context, action, saw);
    case 'repeat':
      return repeat(context, action, saw);
    case 'set_variable':
      return assign(context, action, saw);
    case 'wait':
      return waitForTime(context, action);
    case 'wait_for_reply':
      return waitForReply(context, action);
    case 'wait_for_event':
      return waitForEvent(context, action);
    case 'stop':
      finish(context, action, 'done', { saw });
      return end(context, action.outcome ?? null);
    default:
      return affect(context, action, saw);
  }
}

function descend(context: Context, key: number | string): null {
  context.state.frames.push({ in: key, at: 0 });
  return null;
}

function branch(context: Context, action: ActionOf<'branch'>, saw: Saw[]): Next {
  const missing = need(context, factsNeeded(action.cases.flatMap(({ conditions }) => conditions)));
  if (missing) return missing;
  const seen = [...saw];
  const found = action.cases.findIndex(({ conditions }) => {
    const verdict = judge(context, conditions);
    seen.push(...verdict.saw);
    return verdict.holds;
  });
  if (found === -1 && !action.else) return finish(context, action, 'done', { saw: seen });
  const chose = found === -1 ? 'else' : found;
  tell(context, action, { outcome: 'chose', chose, saw: seen });
  return descend(context, chose);
}

/** The same for a run and a step however often it comes by, and in proportion over many runs. */
function split(context: Context, action: ActionOf<'split'>, saw: Saw[]): Next {
  const { path, frame } = standing(context);
  const total = action.cases.reduce((sum, { weight }) => sum + weight, 0);
  let draw = sha256(`${context.facts.run?.sid ?? ''}:${path}[${frame.at}]`).readUInt32BE(0) % total;
  const chose = action.cases.findIndex(({ weight }) => {
    draw -= weight;
    return draw < 0;
  });
  tell(context, action, { outcome: 'chose', chose, saw });
  return descend(context, chose);
}

function repeat(context: Context, action: ActionOf<'repeat'>, saw: Saw[]): Next {
  const conditions = action.while ?? [];
  const missing = need(context, factsNeeded(conditions));
  if (missing) return missing;
  const { frame } = standing(context);
  const rounds = frame.round ?? 0;
  const verdict = rounds < action.max ? judge(context, conditions) : { holds: false, saw: [] };
  const seen = [...saw, ...verdict.saw];
  if (!verdict.holds) return finish(context, action, 'done', { saw: seen, output: { rounds } });
  frame.round = rounds + 1;
  tell(context, action, { outcome: 'chose', chose: rounds + 1, saw: seen });
  return descend(context, 'actions');
}

function assign(context: Context, action: ActionOf<'set_variable'>, saw: Saw[]): Next {
  const missing = needPaths(context, pathsIn(action));
  if (missing) return missing;
  const value = fillValue(action.value, lookupIn(context));
  return setVariable(context, action.name, value)
    ? finish(context, action, 'done', { saw })
    : failStep(context, action, tooLarge, saw);
}

type EffectAction = Extract<Action, { type: EffectType }>;

function affect(context: Context, action: EffectAction, saw: Saw[]): Next {
  const missing = needPaths(context, pathsIn(action));
  if (missing) return missing;
  const { state, memory } = context;
  const made = effectOf(action, { lookup: lookupIn(context), replies: memory.replies });
  if ('code' in made) return failStep(context, action, made, saw);
  const { path, frame } = standing(context);
  state.pending = state.position;
  tell(context, action, { outcome: 'waiting', saw });
  // Whoever cleans up after a run waits for nobody.
  const awaits = made.type === 'http_request' && state.section === 'actions';
  return { kind: 'effect', effect: made, position: state.position, path: `${path}[${frame.at}]`, awaits };
}

type Result = { output?: Record<string, unknown> } | { error: { code: string; message: string } };

/** What became of the effect the run stands at. */
export function settle(context: Context, action: Action, result: Result): Next {
  context.state.pending = null;
  if ('error' in result) return failStep(context, action, result.error);
  const { output } = result;
  if (action.type === 'http_request' && action.save !== undefined && isEffect(action.type)) {
    if (!setVariable(context, action.save, output ?? null)) return failStep(context, action, tooLarge);
  }
  return finish(context, action, 'done', { output });
}
