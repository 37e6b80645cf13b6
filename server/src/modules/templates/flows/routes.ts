import { accountPath, Closed, ListOf, Sid, sample } from '../../../platform/http/input/schema.ts';
import { created, operation } from '../../../platform/http/operations/operation.ts';
import { forgetFlow, getFlow, listFlows, registerFlow, syncFlow } from './register-flow.ts';
import { flowSample } from './samples.ts';
import { Flow, FlowQuery, NewFlow } from './schema.ts';

const tag = 'Flows';
const all = '/v1/accounts/{accountSid}/flows';
const one = `${all}/{flowSid}`;
const flowPath = Closed({ ...accountPath, flowSid: Sid('FL') });

sample(Flow, flowSample);

export const flowOperations = [
  operation({
    id: 'listFlows',
    method: 'GET',
    path: all,
    summary: 'List flows',
    description: 'The newest first. Filter by `status` to find those that can be sent.',
    tag,
    access: ['wabas:read'],
    params: Closed(accountPath),
    query: FlowQuery,
    responses: { 200: ListOf(Flow) },
    handler: (t, { query, pager }) => listFlows(t, query, pager),
  }),
  operation({
    id: 'registerFlow',
    method: 'POST',
    path: all,
    summary: 'Register a flow that was built at the provider',
    description: 'The provider is asked for its name and state. Only a published flow can be sent.',
    tag,
    access: ['wabas:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewFlow,
    responses: { 201: Flow },
    example: { providerFlowId: '990077665544331' },
    async outside(call, { body }) {
      const flow = await registerFlow(call, body);
      return created(flow, `/v1/accounts/${call.accountSid}/flows/${flow.sid}`);
    },
  }),
  operation({
    id: 'getFlow',
    method: 'GET',
    path: one,
    summary: 'Get a flow',
    description:
      "Shows the status the provider last told, and whether the flow calls the business's own endpoint.",
    tag,
    access: ['wabas:read'],
    params: flowPath,
    responses: { 200: Flow },
    handler: (t, { params }) => getFlow(t, params.flowSid),
  }),
  operation({
    id: 'syncFlow',
    method: 'POST',
    path: `${one}/sync`,
    summary: 'Read a flow again at the provider',
    description: "Asks the provider at once, stores the flow's name and status and answers with them.",
    tag,
    access: ['wabas:write'],
    idempotency: 'required',
    params: flowPath,
    responses: { 200: Flow },
    outside: (call, { params }) => syncFlow(call, params.flowSid),
  }),
  operation({
    id: 'forgetFlow',
    method: 'DELETE',
    path: one,
    summary: 'Forget a flow',
    description: 'The registration goes; the flow stays at the provider.',
    tag,
    access: ['wabas:write'],
    params: flowPath,
    responses: { 200: Flow },
    handler: (t, { params }) => forgetFlow(t, params.flowSid),
  }),
];
