import { accountPath, Closed, Sid } from '../../../platform/http/input/schema.ts';
import { created, operation } from '../../../platform/http/operations/operation.ts';
import { TestRequest, WorkflowTest } from './schema.ts';
import { getTest, testWorkflow } from './test-workflow.ts';

const tag = 'Workflows';
const one = '/v1/accounts/{accountSid}/workflows/{workflowSid}';

export const trialOperations = [
  operation({
    id: 'testWorkflow',
    method: 'POST',
    path: `${one}/test`,
    summary: 'See what a workflow would do',
    description:
      'Plays the latest version, published or not, from an event that did not happen: nothing is sent, changed, counted or told. ' +
      'Messages are judged as a preflight does, waits end at once by a clock of their own, and the answer tells every ' +
      'step. `payload` stands in the place of what the sample of the event says; `payload.simulate` has `startAt`, `replies` ' +
      '`[{text, afterSeconds}]`, `events` `[{eventType, data, afterSeconds}]` and `answers`: facts by name (`window`, `suppressed`, ' +
      '`consent:MARKETING`, `segment:SG…`) and what endpoints answer by the id or path of the step (`{status, body}` or ' +
      '`{failure}`). Whoever names a contact, a conversation or a message must be allowed to read them. Kept for 7 days.',
    tag,
    access: ['inboxes:write'],
    whileSuspended: true,
    idempotency: 'required',
    // What was seen of a contact is replayed to nobody else.
    keyBelongsTo: 'principal',
    params: Closed({ ...accountPath, workflowSid: Sid('WF') }),
    body: TestRequest,
    responses: { 201: WorkflowTest },
    example: {
      eventType: 'MESSAGE_RECEIVED',
      payload: {
        text: { body: 'Where is my order?' },
        simulate: { replies: [{ text: '1001', afterSeconds: 60 }] },
      },
    },
    async outside(call, { params, body }) {
      const test = await testWorkflow(call, params.workflowSid, body);
      return created(
        test,
        `/v1/accounts/${call.accountSid}/workflows/${params.workflowSid}/tests/${test.sid}`,
      );
    },
  }),
  operation({
    id: 'getWorkflowTest',
    method: 'GET',
    path: `${one}/tests/{testSid}`,
    summary: 'Get a test run of a workflow',
    description:
      'What it answered, for 7 days. What it saw of a contact is shown to whoever holds contacts:read.',
    tag,
    access: ['inboxes:read'],
    params: Closed({ ...accountPath, workflowSid: Sid('WF'), testSid: Sid('WR') }),
    responses: { 200: WorkflowTest },
    handler: (t, { params }) => getTest(t, params.workflowSid, params.testSid),
  }),
];
