import { accountPath, Closed, ListOf, Sid } from '../../../platform/http/input/schema.ts';
import { created, operation } from '../../../platform/http/operations/operation.ts';
import { forgetFlow, getFlow, listFlows, registerFlow, syncFlow } from './register-flow.ts';
import { Flow, FlowQuery, NewFlow } from './schema.ts';

const tag = 'Flows';
const all = '/v1/accounts/{accountSid}/flows';
const one = `${all}/{flowSid}`;
const flowPath = Closed({ ...accountPath, flowSid: Sid('FL') });

export const flowOperations = [
  operation({
    id: 'listFlows',
    method: 'GET',
    path: all,
    summary: 'List flows',
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
