// Whether messages that are no template can reach anybody: the provider takes them only within 24 hours after the contact wrote.
// Goes through a definition as runs would, and keeps for every place how long ago the contact last wrote for certain, at least and
// at most.
import { type Action, type ActionOf, type Definition, waits } from '../definition/actions.ts';
import { maxSeconds } from '../definition/limits.ts';
import type { Predicate } from '../definition/predicates.ts';
import { actionsOf } from '../definition/walk.ts';
import { defaultAnswerSeconds } from '../interpreter/effects.ts';

export type Issue = { path: string; severity: 'error' | 'warning'; code: string; message: string };

const day = 24 * 60 * 60;

/** Seconds since the contact last wrote for certain; null where no run comes by. */
type Age = { least: number; most: number };
type Reached = Age | null;

type Survey = {
  /** The messages that need the window, by their place. */
  sends: Map<string, Reached>;
  /** At any place at all: where failureActions begin. */
  anywhere: Reached;
  /** In how many repeats the walk is. */
  repeats: number;
};

export function issuesOf(definition: Definition): Issue[] {
  const survey: Survey = { sends: new Map(), anywhere: null, repeats: 0 };
  const start = narrowed(startOf(definition), definition.conditions);
  walk(definition.actions, 'actions', start, survey);
  walk(definition.failureActions ?? [], 'failureActions', survey.anywhere ?? start, survey);
  walk(definition.timeoutActions ?? [], 'timeoutActions', atTimeout(definition, start), survey);
  return [...survey.sends].flatMap(([path, age]) => (age ? issueOf(path, age) : []));
}

function issueOf(path: string, { least, most }: Age): Issue[] {
  if (least >= day)
    return [
      {
        path,
        severity: 'error',
        code: 'WINDOW_CLOSED',
        message:
          'It can only be reached more than 24 hours after the contact wrote; send a template instead.',
      },
    ];
  if (most < day) return [];
  const message =
    'It may be reached more than 24 hours after the contact wrote, and then fails; send a template, or ask for { window: open } first.';
  return [{ path, severity: 'warning', code: 'WINDOW_MAY_BE_CLOSED', message }];
}

/** Events that only happen when the contact writes. */
const inbound = new Set(['MESSAGE_RECEIVED', 'CONVERSATION_OPENED']);
const isInbound = (types: string[]) => types.every((type) => inbound.has(type));
const justNow: Age = { least: 0, most: 0 };

const startOf = ({ trigger }: Definition): Age =>
  isInbound(trigger.eventTypes) ? justNow : { least: 0, most: Number.POSITIVE_INFINITY };

/** Whoever may write during a run may have written a moment before its time was over. */
function atTimeout(definition: Definition, start: Age): Age {
  const { timeoutSeconds = maxSeconds } = definition.trigger;
  const end = later(start, timeoutSeconds, timeoutSeconds);
  const awaitsWords = [...actionsOf(definition)].some(
    ({ action }) => waits.has(action.type) && action.type !== 'wait',
  );
  return awaitsWords ? { ...end, least: 0 } : end;
}

const later = ({ least, most }: Age, atLeast: number, atMost: number): Age => ({
  least: least + atLeast,
  most: most + atMost,
});

function joined(...ages: Reached[]): Reached {
  const reached = ages.filter((age) => age !== null);
  if (reached.length === 0) return null;
  return {
    least: Math.min(...reached.map(({ least }) => least)),
    most: Math.max(...reached.map(({ most }) => most)),
  };
}

/** What is known where these conditions hold. */
function narrowed(age: Age, conditions: Predicate[]): Age {
  return conditions.reduce<Age>((known, condition) => {
    if ('all' in condition) return narrowed(known, condition.all);
    if (!('window' in condition)) return known;
    return condition.window === 'open'
      ? { least: 0, most: Math.min(known.most, day - 1) }
      : { least: day, most: Number.POSITIVE_INFINITY };
  }, age);
}

function walk(actions: Action[], path: string, from: Reached, survey: Survey): Reached {
  let age = from;
  for (const [i, action] of actions.entries()) {
    if (age === null) return null;
    survey.anywhere = joined(survey.anywhere, age);
    const within = pass(action, `${path}[${i}]`, narrowed(age, action.if ?? []), survey);
    age = action.if?.length ? joined(within, age) : within;
  }
  survey.anywhere = joined(survey.anywhere, age);
  return age;
}

function pass(action: Action, path: string, age: Age, survey: Survey): Reached {
  switch (action.type) {
    case 'send_message':
      noteSend(action, path, age, survey);
      return age;
    case 'wait':
      return afterWait(action, age);
    case 'wait_for_reply':
    case 'wait_for_event':
      return afterAwaited(action, path, age, survey);
    case 'http_request':
      return later(age, 0, action.timeoutSeconds ?? defaultAnswerSeconds);
    case 'branch':
      return afterBranch(action, path, age, survey);
    case 'split':
      return joined(
        ...action.cases.map(({ actions }, i) => walk(actions, `${path}.cases[${i}].actions`, age, survey)),
      );
    case 'repeat':
      return afterRepeat(action, path, age, survey);
    case 'stop':
      return null;
    default:
      return age;
  }
}

/** What a stored content becomes is not known before it is sent, so nothing is said of it. */
function noteSend({ message }: ActionOf<'send_message'>, path: string, age: Age, { sends }: Survey): void {
  if (message.type === undefined || message.type === 'template') return;
  sends.set(path, joined(sends.get(path) ?? null, age));
}

function afterWait({ seconds, localTime }: ActionOf<'wait'>, age: Age): Age {
  if (seconds !== undefined) return later(age, seconds, seconds);
  // A day on which clocks are put back is an hour longer.
  if (localTime) return later(age, 0, (localTime.days ? 7 * day : day) + 3_600);
  return { ...age, most: Number.POSITIVE_INFINITY };
}

type Awaiting = ActionOf<'wait_for_reply'> | ActionOf<'wait_for_event'>;

function afterAwaited(action: Awaiting, path: string, age: Age, survey: Survey): Reached {
  const { timeoutSeconds, onTimeout = [] } = action;
  const written = action.type === 'wait_for_reply' || isInbound(action.eventTypes);
  const met = written ? justNow : later(age, 0, timeoutSeconds);
  const timedOut = later(age, timeoutSeconds, timeoutSeconds);
  return joined(met, walk(onTimeout, `${path}.onTimeout`, timedOut, survey));
}

function afterBranch(action: ActionOf<'branch'>, path: string, age: Age, survey: Survey): Reached {
  const cases = action.cases.map(({ conditions, actions }, i) =>
    walk(actions, `${path}.cases[${i}].actions`, narrowed(age, conditions), survey),
  );
  // A case without conditions is always taken, and nothing comes by after it.
  const always = action.cases.some(({ conditions }) => conditions.length === 0);
  return joined(...cases, always ? null : walk(action.else ?? [], `${path}.else`, age, survey));
}

/** Repeats inside repeats multiply: from the third on two rounds must do, and how long the others take is not known. */
const fewRounds = 2;

function afterRepeat(action: ActionOf<'repeat'>, path: string, age: Age, survey: Survey): Reached {
  const conditions = action.while ?? [];
  const rounds = survey.repeats < 2 ? action.max : Math.min(action.max, fewRounds);
  survey.repeats += 1;
  let entry: Reached = age;
  let left: Reached = null;
  let isKnown = rounds === action.max;
  for (let round = 0; round < rounds && entry !== null; round += 1) {
    if (conditions.length > 0) left = joined(left, entry);
    const next = walk(action.actions, `${path}.actions`, narrowed(entry, conditions), survey);
    // A round that changes nothing is like every other.
    const settled: boolean = next?.least === entry.least && next.most === entry.most;
    entry = next;
    if (settled) isKnown = true;
    if (settled) break;
  }
  survey.repeats -= 1;
  const after = joined(left, entry);
  return after && !isKnown ? { least: 0, most: Number.POSITIVE_INFINITY } : after;
}
