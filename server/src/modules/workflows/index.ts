import type { Module } from '../../platform/module.ts';

export { eventNamesOf, neededScopes, scopesOf, waitedNamesOf } from './analysis/needs.ts';
export { type Reference, referencesOf } from './analysis/references.ts';
export { type Issue, issuesOf } from './analysis/window.ts';
export { type Facts, factsNeeded, missingFacts } from './conditions/facts.ts';
export { judgeConditions, type Saw, type Verdict } from './conditions/judge.ts';
export type { Action, ActionType, Definition, Section } from './definition/actions.ts';
export type { Predicate } from './definition/predicates.ts';
export { CustomEvent, type RunFacts, type StepError, WorkflowDefinition } from './definition/schema.ts';
export { type Catalogue, customEvent, readCatalogue, writtenAs } from './grammar/catalogue.ts';
export { type ReadDefinition, readDefinition } from './grammar/read-definition.ts';
export { advance } from './interpreter/advance.ts';
export type { Effect } from './interpreter/effects.ts';
export { type Program, prepare, startOf } from './interpreter/program.ts';
export type {
  Input,
  Memory,
  Outcome,
  Run,
  State,
  TraceEntry,
  Turn,
  Wait,
} from './interpreter/state.ts';

/** The language of workflows and what carries it out: pure, so there is nothing to store and nothing to call from outside. */
export const workflowsModule: Module = {
  name: 'workflows',
  tables: [],
  operations: [],
  jobs: [],
  crons: [],
};
