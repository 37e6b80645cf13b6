import type { Module } from '../../platform/module.ts';
import { workflowBelongings } from './belongings.ts';
import { removeDeleted } from './life/jobs.ts';
import { observeWorkflows } from './life/metrics.ts';
import { lifeOperations } from './life/routes.ts';
import { contactStopEvents, customEvents, runEvents, workflowEvents } from './resources/events.ts';
import { sweepRuns } from './runs/crons.ts';
import { goThroughRuns } from './runs/ending.ts';
import { observeRuns } from './runs/metrics.ts';
import { workflowNotified } from './runs/notifications.ts';
import { runOperations } from './runs/routes.ts';
import { sweepTests } from './trials/crons.ts';
import { trialOperations } from './trials/routes.ts';
import { startRuns } from './triggers/consume.ts';
import { triggerOperations } from './triggers/routes.ts';
import { takeTurns } from './turns/take-turns.ts';

export { eventNamesOf, neededScopes, scopesOf, waitedNamesOf } from './analysis/needs.ts';
export { type Reference, referencesOf } from './analysis/references.ts';
export { type Issue, issuesOf } from './analysis/window.ts';
export { type Facts, factsNeeded, missingFacts } from './conditions/facts.ts';
export { judgeConditions, type Saw, type Verdict } from './conditions/judge.ts';
export type { Action, ActionType, Definition, Section } from './definition/actions.ts';
export type { Predicate } from './definition/predicates.ts';
export { CustomEvent, type RunFacts, type StepError, WorkflowDefinition } from './definition/schema.ts';
export { type Catalogue, customEvent, readCatalogue, writtenAs } from './grammar/catalogue.ts';
export { knowWorkflowEvents } from './grammar/known-events.ts';
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

export {
  type FormerDecision,
  formerDecisions,
  overviewOfWorkflows,
  type PublishedWorkflow,
  publishedWorkflows,
  type WorkflowOverview,
} from './life/overview.ts';
export { getWorkflow, loadDefinition, loadWorkflow } from './life/workflows.ts';
export type { Workflow } from './resources/schema.ts';
export { endRunsOfContact } from './runs/erase.ts';
export { runsFollow } from './runs/followers.ts';
export type { WorkflowDecision } from './runs/told.ts';
export { TestRequest, type WorkflowTest } from './trials/schema.ts';
export { testWorkflow } from './trials/test-workflow.ts';
export { explainEvent } from './triggers/explain.ts';
export { hearRequestAnswers } from './turns/ask-endpoints.ts';

export const workflowsModule: Module = {
  name: 'workflows',
  tables: [
    'workflows',
    'workflow_versions',
    'workflow_runs',
    'workflow_wakes',
    'workflow_mail',
    'workflow_entries',
    'workflow_contact_stops',
    'workflow_steps',
    'workflow_sends',
    'workflow_decisions',
    'workflow_lanes',
    'workflow_tests',
  ],
  tags: {
    Workflows: 'What happens by itself when something happens: messages, waits, decisions.',
  },
  operations: [...lifeOperations, ...runOperations, ...triggerOperations, ...trialOperations],
  events: [workflowEvents, contactStopEvents, runEvents, customEvents].flatMap((types) =>
    Object.values(types),
  ),
  jobs: [goThroughRuns, removeDeleted],
  crons: [sweepRuns, sweepTests],
  notifications: [workflowNotified],
  consumers: [startRuns],
  belongings: workflowBelongings,
  loops: [takeTurns],
  observe(observing) {
    observeWorkflows(observing);
    observeRuns(observing);
  },
};
