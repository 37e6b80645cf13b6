import { accountPath, Closed, Sid } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { accepted, Operation } from '../operations/index.ts';
import { acceptSwitch, issuesOfAcceptance, revertSwitch, startSwitch } from './requests.ts';
import { AcceptSwitch, BillingModeResource, RevertSwitch } from './schema.ts';
import { getBillingMode } from './switches.ts';

const tag = 'Billing mode';
const waba = '/v1/accounts/{accountSid}/wabas/{wabaSid}';
const params = Closed({ ...accountPath, wabaSid: Sid('WB') });

export const operations = [
  operation({
    id: 'getBillingMode',
    method: 'GET',
    path: `${waba}/billing-mode`,
    summary: 'Who pays the provider for a business account',
    description:
      '`direct`: the provider bills the business itself. `partner`: it bills the operator of this platform, who charges the ' +
      'account for it. `switch` is the newest change of it, whatever became of it.',
    tag,
    access: ['billing:read'],
    params,
    responses: { 200: BillingModeResource },
    handler: (t, { params }) => getBillingMode(t, params.wabaSid),
  }),
  operation({
    id: 'startBillingModeSwitch',
    method: 'POST',
    path: `${waba}/billing-mode-switch`,
    summary: 'Ask that the operator pay the provider for a business account',
    description:
      'The operation waits until an owner accepts the terms it names, then shares the credit line of the operator with ' +
      'the business and ends when the provider shows it as what pays. An offer lapses after 30 days. Nothing is charged ' +
      'differently before the mode is `partner`.',
    tag,
    access: ['billing:write'],
    idempotency: 'required',
    params,
    responses: { 202: Operation },
    handler: async (t, { params }) => accepted(await startSwitch(t, params.wabaSid)),
  }),
  operation({
    id: 'acceptBillingModeSwitch',
    method: 'POST',
    path: `${waba}/billing-mode-switch/accept`,
    summary: 'Accept the terms of a switch',
    description:
      'By an owner, with a second factor (`BILLING_MODE_ACCEPT`) in `stepUpEvidence`. `termsVersion` must be the one the switch names.',
    tag,
    access: ['billing_mode:accept'],
    idempotency: 'required',
    stepUp: { action: 'BILLING_MODE_ACCEPT', from: 'everyone', field: 'stepUpEvidence' },
    params,
    body: AcceptSwitch,
    responses: { 200: BillingModeResource },
    example: { stepUpEvidence: 'gwsu_…', termsVersion: '2026-11-16' },
    issues: (t, { params, body }) => issuesOfAcceptance(t, params.wabaSid, body.termsVersion),
    handler: (t, { params, body }) => acceptSwitch(t, params.wabaSid, body.termsVersion),
  }),
  operation({
    id: 'revertBillingModeSwitch',
    method: 'POST',
    path: `${waba}/billing-mode-switch/revert`,
    summary: 'Have a business account pay the provider itself again',
    description:
      'The operation takes the credit line back and ends once the provider has confirmed that; until then the mode is `partner`. ' +
      'One sharing serves all accounts of a business: while others of it are in the mode `partner`, the operation waits for them ' +
      'and names them. A switch whose terms nobody accepted is withdrawn at once.',
    tag,
    access: ['billing:write'],
    idempotency: 'required',
    businessKey: { field: 'idempotencyKey' },
    params,
    body: RevertSwitch,
    responses: { 202: Operation },
    example: { idempotencyKey: 'revert-4711', reason: 'customer_disconnected' },
    handler: async (t, { params, body }) => accepted(await revertSwitch(t, params.wabaSid, body.reason)),
  }),
];
