// From any JSON to a definition, or to everything that is wrong with it, each at its place. What can only be said by looking
// something up (whether a template is approved, whose a SID is) is said when the workflow is published.
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import { problemIn } from '../../../platform/http/input/json-body.ts';
import { judgeBy } from '../../../platform/http/input/validation.ts';
import { type Definition, sections } from '../definition/actions.ts';
import { maxDefinitionBytes, maxEventTypes } from '../definition/limits.ts';
import { isObject } from '../definition/predicates.ts';
import { WorkflowDefinition } from '../definition/schema.ts';
import { listsIn } from '../definition/walk.ts';
import type { Catalogue } from './catalogue.ts';
import { checkActions, checkEventTypes, type Grammar } from './check-actions.ts';
import { checkPredicates } from './check-predicates.ts';
import { type Findings, newFindings } from './findings.ts';

const judgeFrame = judgeBy(WorkflowDefinition);

export type ReadDefinition = { definition: Definition } | { details: ErrorDetail[] };

/** `at` is where the definition stands in the body; errors are told below it. */
export function readDefinition(value: unknown, catalogue: Catalogue, at = ''): ReadDefinition {
  const findings = newFindings(at);
  checkDefinition(value, catalogue, findings);
  return findings.details.length > 0 ? { details: findings.details } : { definition: value as Definition };
}

function checkDefinition(value: unknown, catalogue: Catalogue, findings: Findings) {
  // First what could not even be walked through.
  const problem = problemIn(value);
  if (problem) return findings.add(problem.path === 'body' ? '' : problem.path, problem.issue);
  if (Buffer.byteLength(JSON.stringify(value) ?? '') > maxDefinitionBytes)
    return findings.add('', `must be at most ${maxDefinitionBytes / 1024} KiB as JSON`);
  findings.addAll('', judgeFrame(value));
  if (!isObject(value)) return;
  const eventTypes = checkTrigger(value.trigger, catalogue, findings);
  const events = eventTypes.flatMap((type) => catalogue.schemaOf(type) ?? []);
  // Where no type is known there is nothing to hold a path against, and the type is told as wrong.
  const grammar = grammarOf(value, catalogue, events.length > 0 ? events : [{}], findings);
  if (Array.isArray(value.conditions))
    checkPredicates(objectsIn(value.conditions), 'conditions', { ...grammar.names, during: null }, findings);
  for (const section of sections) {
    const actions = value[section];
    if (Array.isArray(actions)) checkActions(actions, section, grammar, section);
  }
}

/** What is no object was told by the frame; its place still counts. */
const objectsIn = (list: unknown[]) =>
  list.map((member) => (isObject(member) ? member : { suppressed: true }));

function checkTrigger(trigger: unknown, catalogue: Catalogue, findings: Findings): string[] {
  if (!isObject(trigger) || !Array.isArray(trigger.eventTypes)) return [];
  const { eventTypes } = trigger;
  const path = 'trigger.eventTypes';
  if (eventTypes.length === 0) findings.add(path, 'must have at least 1 item');
  if (eventTypes.length > maxEventTypes) findings.add(path, `must have at most ${maxEventTypes} items`);
  if (new Set(eventTypes).size < eventTypes.length) findings.add(path, 'must not repeat an item');
  checkEventTypes(eventTypes, path, catalogue, findings);
  return eventTypes.filter((type) => typeof type === 'string');
}

/** What the definition itself gives names to. */
function grammarOf(
  definition: Record<string, unknown>,
  catalogue: Catalogue,
  events: Grammar['names']['events'],
  findings: Findings,
): Grammar {
  const [vars, steps, replies] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const gather = (actions: unknown[], path: string) => {
    for (const [i, action] of actions.entries()) {
      if (!isObject(action)) continue;
      const { id, type } = action;
      const variable = type === 'set_variable' ? action.name : action.save;
      if (typeof variable === 'string') vars.add(variable);
      if (typeof id === 'string') {
        if (steps.has(id)) findings.add(`${path}[${i}].id`, `${id} is the id of another action`);
        steps.add(id);
        if (type === 'wait_for_reply') replies.add(id);
      }
      for (const list of listsIn(action)) gather(list.actions, `${path}[${i}].${list.path}`);
    }
  };
  for (const section of sections) {
    const actions = definition[section];
    if (Array.isArray(actions)) gather(actions, section);
  }
  return { catalogue, names: { events, during: { vars, steps } }, replies, findings };
}
