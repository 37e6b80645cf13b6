// What conditions are judged by. Whoever asks loads it, for many runs at once; nothing here looks anything up.
import type { Hours, Predicate } from '../definition/predicates.ts';
import type { RunFacts, StepError } from '../definition/schema.ts';
import { membersOf, pathsOfPredicate } from '../definition/walk.ts';

type Resource = object | null;

export type Facts = {
  /** The moment it is judged at. */
  now: string;
  /** Null before a run begins. */
  run: RunFacts | null;
  /** The data of the event that started the run; in what an event must match, of that event. */
  event: Resource;
  /** Resources as their own operations answer with them: undefined until they are asked for, null where there is none. */
  contact?: Resource;
  conversation?: Resource;
  /** The last message the contact wrote to this run. */
  message?: Resource;
  /** By the names of `factsNeeded`: `window`, `suppressed`, `consent:MARKETING`, `segment:SG…`. */
  answers?: Record<string, boolean | string>;
};

/** What a run remembers, beside the facts. */
export type Remembered = {
  vars: Record<string, unknown>;
  steps: Record<string, unknown>;
  error: StepError | null;
};

const loaded = ['contact', 'conversation', 'message'] as const;
type Loaded = (typeof loaded)[number];

/** The facts that must be loaded before these paths can be looked up. */
export function factsOfPaths(paths: string[]): string[] {
  const roots = new Set(paths.map((path) => path.split('.')[0]!));
  return loaded.filter((root) => roots.has(root));
}

/** The names of the facts that judging these conditions may ask for. */
export function factsNeeded(predicates: Predicate[]): string[] {
  return [...new Set(predicates.flatMap((predicate) => needsOf(predicate)))];
}

function needsOf(predicate: Predicate): string[] {
  if ('path' in predicate) return factsOfPaths(pathsOfPredicate(predicate));
  if ('hours' in predicate) return isOfContact(predicate.hours) ? ['contact'] : [];
  const answer = answerName(predicate);
  return answer === null ? membersOf(predicate).flatMap(needsOf) : [answer];
}

const isOfContact = ({ timezone }: Hours) => timezone === 'contact';

/** The name of the answer that decides a predicate by itself. */
export function answerName(predicate: Predicate): string | null {
  if ('segmentSid' in predicate) return `segment:${predicate.segmentSid}`;
  if ('consent' in predicate) return `consent:${predicate.consent.purpose}`;
  if ('suppressed' in predicate) return 'suppressed';
  return 'window' in predicate ? 'window' : null;
}

/** Those that are asked for and not given. */
export function missingFacts(names: string[], facts: Facts): string[] {
  return names.filter((name) =>
    loaded.includes(name as Loaded)
      ? facts[name as Loaded] === undefined
      : !Object.hasOwn(facts.answers ?? {}, name),
  );
}

/** What stands at a path; undefined where there is nothing. Own members only: nobody reads what every object inherits. */
export function valueAt(path: string, facts: Facts, remembered: Remembered): unknown {
  const [root, ...segments] = path.split('.') as [string, ...string[]];
  let value = rootOf(root, facts, remembered);
  for (const segment of segments) {
    if (typeof value !== 'object' || value === null) return undefined;
    // A list has a length of its own, which is no field.
    if (Array.isArray(value) && !/^\d{1,4}$/.test(segment)) return undefined;
    if (!Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}

/** Whether there is anything a path could be a path of. */
export const hasRoot = (path: string, facts: Facts, remembered: Remembered) =>
  (rootOf(path.split('.')[0]!, facts, remembered) ?? null) !== null;

function rootOf(root: string, facts: Facts, { vars, steps, error }: Remembered): unknown {
  const { event, contact, conversation, message, run } = facts;
  const roots = { event, contact, conversation, message, run, vars, steps, error };
  return Object.hasOwn(roots, root) ? roots[root as keyof typeof roots] : undefined;
}
