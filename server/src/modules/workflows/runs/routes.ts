import { accountPath, Closed, ListOf, pageQuery, Sid } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { WorkflowRun } from '../resources/schema.ts';
import { getRun, listDecisions, listRuns, runTimeline, stopRun } from './look-at-runs.ts';
import { WorkflowDecision, WorkflowRunStep } from './told.ts';

const tag = 'Workflows';
const workflow = '/v1/accounts/{accountSid}/workflows/{workflowSid}';
const all = `${workflow}/runs`;
const one = `${all}/{runSid}`;
const workflowPath = Closed({ ...accountPath, workflowSid: Sid('WF') });
const runPath = Closed({ ...accountPath, workflowSid: Sid('WF'), runSid: Sid('WR') });
const reading = { method: 'GET', tag, access: ['inboxes:read'] } as const;

export const runOperations = [
  operation({
    ...reading,
    id: 'listWorkflowRuns',
    path: all,
    summary: 'List the runs of a workflow, newest first',
    description: 'Those of all versions: under way, and for 90 days after their end.',
    params: workflowPath,
    query: Closed(pageQuery),
    responses: { 200: ListOf(WorkflowRun) },
    handler: (t, { params, pager }) => listRuns(t, params.workflowSid, pager),
  }),
  operation({
    ...reading,
    id: 'getWorkflowRun',
    path: one,
    summary: 'Get a run of a workflow',
    description: 'Shows what it waits for and until when, or how it ended and why.',
    params: runPath,
    responses: { 200: WorkflowRun },
    handler: (t, { params }) => getRun(t, params),
  }),
  operation({
    ...reading,
    id: 'getWorkflowRunTimeline',
    path: `${one}/timeline`,
    summary: 'See what a run did, step by step',
    description:
      'Each step with its instant, what became of it, what it made, and what its conditions looked at; the values they ' +
      'saw for whoever holds contacts:read.',
    params: runPath,
    query: Closed(pageQuery),
    responses: { 200: ListOf(WorkflowRunStep) },
    handler: (t, { params, pager }) => runTimeline(t, params, pager),
  }),
  operation({
    id: 'stopWorkflowRun',
    method: 'POST',
    tag,
    access: ['inboxes:write'],
    idempotency: 'required',
    path: `${one}/stop`,
    summary: 'Stop a run',
    description:
      'Once answered, nothing of it happens any more; the workflow goes on. Refused with CONFLICT when the run has ended.',
    params: runPath,
    responses: { 200: WorkflowRun },
    handler: (t, { params }) => stopRun(t, params),
  }),
  operation({
    ...reading,
    id: 'listWorkflowDecisions',
    path: `${workflow}/decisions`,
    summary: 'See why events started a workflow, or did not',
    description:
      'The last 1,000 events of a type that starts it, newest first: `started` with its run, or `condition`, `reentry`, ' +
      '`stopped_contact`, `restricted_contact`, `caused_by_self`, `limit`, `no_subject`. The values conditions saw are for whoever holds contacts:read.',
    params: workflowPath,
    query: Closed(pageQuery),
    responses: { 200: ListOf(WorkflowDecision) },
    handler: (t, { params, pager }) => listDecisions(t, params.workflowSid, pager),
  }),
];
