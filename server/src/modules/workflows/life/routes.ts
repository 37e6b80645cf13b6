import { accountPath, Closed, ListOf, Sid, sample } from '../../../platform/http/input/schema.ts';
import { created, operation } from '../../../platform/http/operations/operation.ts';
import { CustomEvent, WorkflowDefinition } from '../definition/schema.ts';
import { customEventSample, definitionSample } from '../resources/samples.ts';
import {
  ContactStopReason,
  DefinedWorkflow,
  NewWorkflow,
  PageQuery,
  StoppedRuns,
  Workflow,
  WorkflowContactStop,
  WorkflowVersion,
} from '../resources/schema.ts';
import { resumeContact, stopContact, stopRuns } from './contact-stops.ts';
import { judgePayload, NewCustomEvent, tellCustomEvent } from './custom-events.ts';
import { deleteWorkflow, publishWorkflow, stopWorkflow } from './publish.ts';
import { createVersion, createWorkflow, getWorkflow, listWorkflows } from './workflows.ts';

const tag = 'Workflows';
const all = '/v1/accounts/{accountSid}/workflows';
const one = `${all}/{workflowSid}`;
const read = ['inboxes:read'] as const;
const write = ['inboxes:write'] as const;
const workflowPath = Closed({ ...accountPath, workflowSid: Sid('WF') });
const contactPath = Closed({ ...accountPath, workflowSid: Sid('WF'), contactSid: Sid('CT') });

sample(CustomEvent, customEventSample);

export const lifeOperations = [
  operation({
    id: 'listWorkflows',
    method: 'GET',
    path: all,
    summary: 'List workflows',
    description: 'The newest first, without their definitions.',
    tag,
    access: read,
    params: Closed(accountPath),
    query: PageQuery,
    responses: { 200: ListOf(Workflow) },
    handler: (t, { pager }) => listWorkflows(t, pager),
  }),
  operation({
    id: 'createWorkflow',
    method: 'POST',
    path: all,
    summary: 'Write a workflow',
    description:
      'A draft: nothing of it runs before it is published. Everything that is wrong with the definition is told at once, each at ' +
      'its path below `definition`. What it names (templates, SIDs) is looked up when it is published. `issues` tell of ' +
      'messages that can only, or may, be reached more than 24 hours after the contact wrote.',
    tag,
    access: write,
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewWorkflow,
    responses: { 201: DefinedWorkflow },
    example: { name: 'Ask for the order', definition: definitionSample },
    async handler(t, { body }) {
      const workflow = await createWorkflow(t, body);
      return created(workflow, `/v1/accounts/${t.accountSid}/workflows/${workflow.sid}`);
    },
  }),
  operation({
    id: 'getWorkflow',
    method: 'GET',
    path: one,
    summary: 'Get a workflow',
    description: 'With the definition of its latest version and what is questionable in it.',
    tag,
    access: read,
    params: workflowPath,
    responses: { 200: DefinedWorkflow },
    handler: (t, { params }) => getWorkflow(t, params.workflowSid),
  }),
  operation({
    id: 'deleteWorkflow',
    method: 'DELETE',
    path: one,
    summary: 'Delete a workflow',
    description:
      'With its versions and finished runs. A published workflow must be stopped first, and runs that are under way must be ' +
      'stopped too: CONFLICT tells how many there are.',
    tag,
    access: write,
    params: workflowPath,
    responses: { 204: null },
    handler: (t, { params }) => deleteWorkflow(t, params.workflowSid),
  }),
  operation({
    id: 'createWorkflowVersion',
    method: 'POST',
    path: `${one}/versions`,
    summary: 'Write a new version of a workflow',
    description:
      'A version never changes. It is in force once it is published; runs keep the version they began with. Everything that ' +
      'is wrong with it is told at once, each at its path.',
    tag,
    access: write,
    idempotency: 'required',
    params: workflowPath,
    body: WorkflowDefinition,
    responses: { 201: WorkflowVersion },
    example: definitionSample,
    async handler(t, { params, body }) {
      const version = await createVersion(t, params.workflowSid, body);
      return created(version, `/v1/accounts/${t.accountSid}/workflows/${params.workflowSid}`);
    },
  }),
  operation({
    id: 'publishWorkflow',
    method: 'POST',
    path: `${one}/publish`,
    summary: 'Publish the latest version of a workflow',
    description:
      'Events from now on start runs of it. Everything it names must be there and usable: templates approved, endpoints verified, ' +
      'SIDs of this account; what is not is told at once, each at its path. Whoever publishes must hold every scope its ' +
      'actions need: runs act with exactly those. A stopped workflow goes on, except runs whose moment passed more than 24 ' +
      'hours ago, which end as `stale`. Published already in its latest version, it stays as it is.',
    tag,
    access: write,
    idempotency: 'required',
    params: workflowPath,
    responses: { 200: Workflow },
    handler: (t, { params }) => publishWorkflow(t, params.workflowSid),
  }),
  operation({
    id: 'stopWorkflow',
    method: 'POST',
    path: `${one}/stop`,
    summary: 'Stop a workflow',
    description:
      'Once this is answered nothing of it happens any more: no run begins and none goes on. Runs that are under way are held ' +
      'where they stand until it is published again; `POST …/runs/stop` ends them. A draft cannot be stopped.',
    tag,
    access: write,
    idempotency: 'required',
    params: workflowPath,
    responses: { 200: Workflow },
    handler: (t, { params }) => stopWorkflow(t, params.workflowSid),
  }),
  operation({
    id: 'stopWorkflowRuns',
    method: 'POST',
    path: `${one}/runs/stop`,
    summary: 'Stop all runs of a workflow that are under way',
    description:
      'They end as STOPPED; the workflow itself stays as it is. Beyond 1,000 the rest is stopped one after the other: ' +
      '`remaining` tells how many those are.',
    tag,
    access: write,
    idempotency: 'required',
    params: workflowPath,
    responses: { 200: StoppedRuns },
    handler: (t, { params }) => stopRuns(t, params.workflowSid),
  }),
  operation({
    id: 'stopWorkflowContact',
    method: 'POST',
    path: `${one}/contacts/{contactSid}/stop`,
    summary: 'Stop a workflow for one contact',
    description:
      'Ends the run it has for the contact, and lets none begin until it is resumed. For everybody else it goes on. Stopped ' +
      'already, it stays so as it was.',
    tag,
    access: write,
    idempotency: 'required',
    params: contactPath,
    body: ContactStopReason,
    responses: { 200: WorkflowContactStop },
    example: { reason: 'Talks with a colleague' },
    handler: (t, { params, body }) => stopContact(t, params.workflowSid, params.contactSid, body),
  }),
  operation({
    id: 'resumeWorkflowContact',
    method: 'DELETE',
    path: `${one}/contacts/{contactSid}/stop`,
    summary: 'Let a workflow begin again for a contact',
    description: 'A run that was ended does not come back. Where nothing was stopped, nothing changes.',
    tag,
    access: write,
    params: contactPath,
    responses: { 204: null },
    handler: (t, { params }) => resumeContact(t, params.workflowSid, params.contactSid),
  }),
  operation({
    id: 'createWorkflowEvent',
    method: 'POST',
    path: '/v1/accounts/{accountSid}/workflow-events',
    summary: 'Tell of something that happened to a contact',
    description:
      'A `custom.event`, which workflows hear under its `eventType` and webhook endpoints under its own name. `payload` takes 16 KiB.',
    tag,
    access: write,
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewCustomEvent,
    responses: { 201: CustomEvent },
    example: {
      eventType: 'CUSTOM_ORDER_PAID',
      contactSid: customEventSample.contactSid,
      payload: { orderId: '1001' },
    },
    judge: (_t, { body }) => judgePayload(body),
    handler: (t, { body }) => tellCustomEvent(t, body),
  }),
];
