// What stands inside what: the lists, the conditions, the texts and the paths of an action. Asked by the grammar of what nobody
// has judged yet, so nothing here trusts the shape.

import { insertionsIn } from '../../../platform/wording/insertions.ts';
import type { Action, Definition, Section } from './actions.ts';
import { sections } from './actions.ts';
import { isObject, isRef, type Predicate } from './predicates.ts';

type Loose = Record<string, unknown>;

/** A list of actions inside an action: under which key of a cursor, and at which path. */
export type InnerList = { key: number | string; path: string; actions: unknown[] };

/** The lists inside an action, in the order they are written in. */
export function listsIn(action: object): InnerList[] {
  const loose = action as Loose;
  const list = (key: number | string, path: string, actions: unknown): InnerList[] =>
    Array.isArray(actions) ? [{ key, path, actions }] : [];
  return [
    ...casesOf(loose).flatMap((one, i) => list(i, `cases[${i}].actions`, one.actions)),
    ...['actions', 'onTimeout', 'else'].flatMap((key) => list(key, key, loose[key])),
  ];
}

/** What is no case is empty: its place still counts. */
const casesOf = ({ cases }: Loose): Loose[] =>
  Array.isArray(cases) ? cases.map((one) => (isObject(one) ? one : {})) : [];

/** Conditions inside an action, and whether `event` in them is the event that is waited for. */
export type InnerConditions = { path: string; conditions: unknown[]; aboutAwaited: boolean };

export function conditionsIn(action: object): InnerConditions[] {
  const loose = action as Loose;
  const list = (path: string, conditions: unknown): InnerConditions[] =>
    Array.isArray(conditions) ? [{ path, conditions, aboutAwaited: path === 'match' }] : [];
  return [
    ...['if', 'while', 'match'].flatMap((key) => list(key, loose[key])),
    ...casesOf(loose).flatMap((one, i) => list(`cases[${i}].conditions`, one.conditions)),
  ];
}

/** The properties of an action that are filled before it is done: texts in any depth, or one value that may be `{ path }`. */
const filled = new Map<unknown, { deep?: string[]; values?: string[] }>(
  Object.entries({
    send_message: { deep: ['message'] },
    http_request: { deep: ['body'] },
    record_consent: { values: ['wording'] },
    set_variable: { values: ['value'] },
    wait: { values: ['until'] },
  }),
);

/** A place of an action that is filled: its value, and whether `{ path }` stands for a value there. */
export type Filled = { path: string; value: unknown; takesRef: boolean };

export function filledIn(action: object): Filled[] {
  const loose = action as Loose;
  if (loose.type === 'set_contact') return filledOfContact(loose);
  const { deep = [], values = [] } = filled.get(loose.type) ?? {};
  return [
    ...deep.flatMap((name) => textsIn(loose[name], name)),
    ...values
      .filter((name) => loose[name] !== undefined)
      .map((name) => ({ path: name, value: loose[name], takesRef: name !== 'wording' })),
  ];
}

function filledOfContact({ type, id, if: _, onError, attributes, ...fields }: Loose): Filled[] {
  const own = isObject(attributes) ? Object.entries(attributes) : [];
  return [
    ...own.map(([name, value]) => ({ path: `attributes.${name}`, value, takesRef: true })),
    ...Object.entries(fields).map(([name, value]) => ({ path: name, value, takesRef: true })),
  ];
}

function textsIn(value: unknown, path: string): Filled[] {
  if (typeof value === 'string') return [{ path, value, takesRef: false }];
  if (Array.isArray(value)) return value.flatMap((member, i) => textsIn(member, `${path}[${i}]`));
  return isObject(value)
    ? Object.entries(value).flatMap(([name, member]) => textsIn(member, `${path}.${name}`))
    : [];
}

/** The paths an action reads in order to be done, apart from its conditions. */
export function pathsIn(action: object): string[] {
  return filledIn(action).flatMap(({ value, takesRef }) => {
    if (takesRef && isRef(value)) return [value.path];
    return typeof value === 'string' ? insertionsIn(value).map(({ path }) => path) : [];
  });
}

/** The paths a predicate compares, groups included. */
export function pathsOfPredicate(predicate: Predicate): string[] {
  if ('path' in predicate) {
    const { path, ...operands } = predicate;
    return [path, ...Object.values(operands).flatMap((operand) => (isRef(operand) ? [operand.path] : []))];
  }
  return membersOf(predicate).flatMap(pathsOfPredicate);
}

export function membersOf(predicate: Predicate): Predicate[] {
  if ('all' in predicate) return predicate.all;
  if ('any' in predicate) return predicate.any;
  return 'not' in predicate ? [predicate.not] : [];
}

export type Place = { action: Action; path: string; section: Section };

/** Every action of a definition that was read, with its place. */
export function* actionsOf(definition: Definition): Generator<Place> {
  for (const section of sections) yield* within(definition[section] ?? [], section, section);
}

function* within(actions: Action[], path: string, section: Section): Generator<Place> {
  for (const [i, action] of actions.entries()) {
    const at = `${path}[${i}]`;
    yield { action, path: at, section };
    for (const list of listsIn(action))
      yield* within(list.actions as Action[], `${at}.${list.path}`, section);
  }
}

export type PredicatePlace = { predicate: Predicate; path: string };

/** Every predicate of a definition that was read, groups before their members. */
export function* predicatesOf(definition: Definition): Generator<PredicatePlace> {
  yield* membersAt(definition.conditions, 'conditions');
  for (const { action, path } of actionsOf(definition))
    for (const inner of conditionsIn(action))
      yield* membersAt(inner.conditions as Predicate[], `${path}.${inner.path}`);
}

function* membersAt(predicates: Predicate[], path: string): Generator<PredicatePlace> {
  for (const [i, predicate] of predicates.entries()) yield* withMembers(predicate, `${path}[${i}]`);
}

function* withMembers(predicate: Predicate, path: string): Generator<PredicatePlace> {
  yield { predicate, path };
  if ('not' in predicate) yield* withMembers(predicate.not, `${path}.not`);
  if ('all' in predicate) yield* membersAt(predicate.all, `${path}.all`);
  if ('any' in predicate) yield* membersAt(predicate.any, `${path}.any`);
}
