// The grammar of actions, list by list.
import { isInstant, judgeBy } from '../../../platform/http/input/validation.ts';
import { readText } from '../../../platform/wording/insertions.ts';
import { judgeUnaddressed } from '../../messages/index.ts';
import { isPlain } from '../../segments/index.ts';
import {
  type ActionType,
  actionSchemas,
  actionTypes,
  isActionType,
  oneOfThese,
  type Section,
  waits,
} from '../definition/actions.ts';
import { maxDepth } from '../definition/limits.ts';
import { isObject } from '../definition/predicates.ts';
import { conditionsIn, filledIn, listsIn } from '../definition/walk.ts';
import type { Catalogue } from './catalogue.ts';
import { checkPredicates, checkRef, checkZone } from './check-predicates.ts';
import { type Names, pathIssue } from './fields.ts';
import type { Findings } from './findings.ts';
import { meant } from './nearest.ts';

/** What all actions of a definition are held against. */
export type Grammar = {
  catalogue: Catalogue;
  names: Names;
  /** The ids of actions that wait for a reply. */
  replies: ReadonlySet<string>;
  findings: Findings;
};

type Loose = Record<string, unknown>;
type Check = (action: Loose, path: string, grammar: Grammar, section: Section) => void;

const judges = Object.fromEntries(actionTypes.map((type) => [type, judgeBy(actionSchemas[type])])) as Record<
  ActionType,
  ReturnType<typeof judgeBy>
>;

export function checkActions(
  actions: unknown[],
  path: string,
  grammar: Grammar,
  section: Section,
  depth = 1,
) {
  if (depth > maxDepth) return grammar.findings.add(path, `must be nested at most ${maxDepth} levels deep`);
  for (const [i, action] of actions.entries()) {
    // Whether it is an object is said by the schema of what holds it.
    if (isObject(action)) checkAction(action, `${path}[${i}]`, grammar, section, depth);
  }
}

function checkAction(action: Loose, path: string, grammar: Grammar, section: Section, depth: number): void {
  const { findings } = grammar;
  findings.countAction(path);
  const { type } = action;
  if (!isActionType(type)) {
    const near = typeof type === 'string' ? meant(type, actionTypes) : '';
    const issue = type === undefined ? 'is required' : `is not one of ${actionTypes.join(', ')}${near}`;
    findings.add(`${path}.type`, issue);
  } else {
    findings.addAll(path, judges[type](action));
    checkChoice(type, action, path, findings);
    checkClosing(action, path, findings, section);
    checks[type]?.(action, path, grammar, section);
  }
  checkFilled(action, path, grammar);
  for (const { path: at, conditions, aboutAwaited } of conditionsIn(action))
    checkPredicates(
      conditions,
      `${path}.${at}`,
      aboutAwaited ? awaited(action, grammar) : grammar.names,
      findings,
    );
  for (const list of listsIn(action))
    checkActions(list.actions, `${path}.${list.path}`, grammar, section, depth + 1);
}

function checkChoice(type: ActionType, action: Loose, path: string, findings: Findings): void {
  const choice = oneOfThese[type];
  if (!choice) return;
  const given = choice.filter((name) => action[name] !== undefined);
  const issue = `exactly one of ${choice.join(', ')} must be given`;
  if (given.length === 0) findings.add(path, issue);
  if (given.length > 1) for (const name of given) findings.add(`${path}.${name}`, issue);
}

/** What runs when a run has failed or timed out waits for nothing. */
function checkClosing({ type, save }: Loose, path: string, findings: Findings, section: Section): void {
  if (section === 'actions') return;
  if (waits.has(type as string)) findings.add(`${path}.type`, `${section} must not wait`);
  if (type === 'http_request' && save !== undefined)
    findings.add(`${path}.save`, `${section} do not wait for the answer`);
}

/** In what an event must match, `event` is that event. */
function awaited({ eventTypes }: Loose, { catalogue, names }: Grammar): Names {
  const written = Array.isArray(eventTypes) ? eventTypes : [];
  const events = written.flatMap((type) =>
    typeof type === 'string' ? (catalogue.schemaOf(type) ?? []) : [],
  );
  // Where no type is known there is nothing to hold a path against, and the type is told as wrong.
  return { ...names, events: events.length > 0 ? events : [{}] };
}

function checkFilled(action: Loose, path: string, { names, findings }: Grammar): void {
  for (const { path: at, value, takesRef } of filledIn(action)) {
    const place = `${path}.${at}`;
    if (typeof value === 'string') checkText(value, place, names, findings);
    else if (takesRef && isObject(value)) checkRef(value, place, names, findings);
    else if (takesRef && !isPlain(value))
      findings.add(place, 'must be a string, a number, true, false, null or { path }');
  }
}

function checkText(text: string, path: string, names: Names, findings: Findings) {
  const parts = readText(text);
  if (!Array.isArray(parts)) return findings.add(path, parts.issue);
  for (const part of parts) {
    const issue = typeof part === 'string' ? null : pathIssue(part.path, names);
    if (issue) findings.add(path, issue);
  }
}

const checks: Partial<Record<ActionType, Check>> = {
  send_message({ message }, path, { findings }) {
    if (!isObject(message)) return;
    findings.addAll(`${path}.message`, judgeUnaddressed(message));
    const { template } = message;
    // Publishing looks the template up, so it must be known by then.
    for (const name of ['name', 'language'])
      if (isObject(template) && typeof template[name] === 'string' && template[name].includes('{{'))
        findings.add(`${path}.message.template.${name}`, 'must be written out');
  },
  wait({ until, localTime }, path, { findings }) {
    if (typeof until === 'string' && !isInstant(until))
      findings.add(`${path}.until`, 'must be an RFC 3339 date-time that exists, or { path }');
    else if (until !== undefined && typeof until !== 'string' && !isObject(until))
      findings.add(`${path}.until`, 'must be an RFC 3339 date-time, or { path }');
    if (isObject(localTime)) checkZone(localTime.timezone, `${path}.localTime.timezone`, findings);
  },
  wait_for_event({ eventTypes }, path, { catalogue, findings }) {
    if (Array.isArray(eventTypes)) checkEventTypes(eventTypes, `${path}.eventTypes`, catalogue, findings);
  },
  set_contact({ type, id, if: _, onError, ...given }, path, { findings }) {
    if (Object.keys(given).length === 0) findings.add(path, 'must set something');
  },
  record_consent({ status, reply }, path, { replies, findings }) {
    if (status === 'OPTED_IN' && reply === undefined)
      findings.add(`${path}.reply`, 'is required: somebody opts in by a reply of this run');
    else if (typeof reply === 'string' && !replies.has(reply))
      findings.add(`${path}.reply`, `is not the id of a wait_for_reply${meant(reply, replies)}`);
  },
};

export function checkEventTypes(
  types: unknown[],
  path: string,
  catalogue: Catalogue,
  findings: Findings,
): void {
  for (const [i, type] of types.entries()) {
    const issue = typeof type === 'string' ? catalogue.issueOf(type) : null;
    if (issue) findings.add(`${path}[${i}]`, issue);
  }
}
