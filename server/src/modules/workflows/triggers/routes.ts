import { accountPath, Closed, NamedObject, Sid } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { sampleSid } from '../../../platform/samples.ts';
import { WorkflowDecision } from '../runs/told.ts';
import { explainEvent } from './explain.ts';

const EventToExplain = NamedObject('ExplainWorkflowRequest', { eventSid: Sid('EV') });

export const triggerOperations = [
  operation({
    id: 'explainWorkflow',
    method: 'POST',
    path: '/v1/accounts/{accountSid}/workflows/{workflowSid}/explain',
    summary: 'Ask why an event starts a workflow, or does not',
    description:
      'Judges an event that is still kept again, by what holds now: `reentry` is the answer for a contact who has been in ' +
      'the workflow meanwhile. Nothing is started. The values conditions saw are for whoever holds contacts:read.',
    tag: 'Workflows',
    access: ['inboxes:read'],
    whileSuspended: true,
    idempotency: 'required',
    params: Closed({ ...accountPath, workflowSid: Sid('WF') }),
    body: EventToExplain,
    responses: { 200: WorkflowDecision },
    example: { eventSid: sampleSid('EV') },
    handler: (t, { params, body }) => explainEvent(t, params.workflowSid, body.eventSid),
  }),
];
