import type { Static } from 'typebox';
import { sample } from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleTimes } from '../../../platform/samples.ts';
import type { CustomEvent, WorkflowDefinition } from '../definition/schema.ts';
import {
  DefinedWorkflow,
  StoppedRuns,
  Workflow,
  WorkflowContactStop,
  WorkflowRun,
  WorkflowVersion,
} from './schema.ts';

const somebody = { type: 'user' as const, ref: sampleSid('US') };

/** A question, and what becomes of it. */
export const definitionSample = {
  trigger: { eventTypes: ['MESSAGE_RECEIVED'], allowReentry: true, timeoutSeconds: 86_400 },
  conditions: [{ path: 'event.text.body', words: ['order'] }],
  actions: [
    {
      type: 'send_message',
      message: { type: 'text', text: { body: 'Hello {{contact.displayName|there}}, which order is it?' } },
    },
    {
      id: 'asked',
      type: 'wait_for_reply',
      timeoutSeconds: 3_600,
      save: 'order',
      onTimeout: [{ type: 'stop' }],
    },
    { type: 'set_contact', attributes: { lastOrder: { path: 'vars.order.text' } } },
    { type: 'assign_conversation', leastOpen: true },
  ],
} satisfies Static<typeof WorkflowDefinition>;

export const workflowSample = sample(Workflow, {
  object: 'workflow',
  sid: sampleSid('WF'),
  ...sampleOwner,
  name: 'Ask for the order',
  status: 'PUBLISHED',
  latestVersion: 1,
  publishedVersion: 1,
  grantedScopes: ['contacts:write', 'messages:send'],
  publishedBy: somebody,
  publishedAt: sampleTime,
  stoppedAt: null,
  ...sampleTimes,
});

sample(DefinedWorkflow, {
  ...workflowSample,
  status: 'DRAFT',
  publishedVersion: null,
  grantedScopes: [],
  publishedBy: null,
  publishedAt: null,
  definition: definitionSample,
  issues: [],
});

sample(WorkflowVersion, {
  object: 'workflow_version',
  workflowSid: sampleSid('WF'),
  ...sampleOwner,
  version: 2,
  definition: definitionSample,
  issues: [],
  createdBy: somebody,
  createdAt: sampleTime,
});

export const runSample = sample(WorkflowRun, {
  object: 'workflow_run',
  sid: sampleSid('WR'),
  ...sampleOwner,
  workflowSid: sampleSid('WF'),
  version: 1,
  status: 'WAITING',
  outcome: null,
  error: null,
  contactSid: sampleSid('CT'),
  subjectSid: sampleSid('CT'),
  eventSid: sampleSid('EV'),
  eventType: 'MESSAGE_RECEIVED',
  startedByRunSid: null,
  waiting: { kind: 'reply', position: 2, until: '2026-08-21T11:00:00.000Z' },
  held: false,
  startedAt: sampleTime,
  timeoutAt: '2026-08-22T10:00:00.000Z',
  endedAt: null,
  updatedAt: sampleTime,
});

export const contactStopSample = sample(WorkflowContactStop, {
  object: 'workflow_contact_stop',
  workflowSid: sampleSid('WF'),
  contactSid: sampleSid('CT'),
  ...sampleOwner,
  reason: 'Talks with a colleague',
  stoppedBy: somebody,
  createdAt: sampleTime,
});

sample(StoppedRuns, {
  object: 'stopped_workflow_runs',
  workflowSid: sampleSid('WF'),
  ...sampleOwner,
  stopped: 12,
  remaining: 0,
});

export const customEventSample: CustomEvent = {
  object: 'custom_event',
  ...sampleOwner,
  eventType: 'CUSTOM_ORDER_PAID',
  contactSid: sampleSid('CT'),
  payload: { orderId: '1001', total: 49 },
  createdAt: sampleTime,
};
