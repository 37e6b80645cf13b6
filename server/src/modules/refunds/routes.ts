import { accountPath, Closed, Uuid } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { Approval } from '../approvals/index.ts';
import { Operation } from '../operations/index.ts';
import { requestRefund } from './consents.ts';
import { createRefund } from './create-refund.ts';
import { issuesOfTarget } from './refundable.ts';
import { getRefund, listRefunds } from './refunds.ts';
import { NewRefund, NewRefundRequest, Refund, RefundList, RefundQuery } from './schema.ts';

const tag = 'Refunds';
const billing = '/v1/accounts/{accountSid}/billing';
const params = Closed(accountPath);
const target = {
  reason: 'requested_by_customer',
  paymentIntentId: '01991d6f-7c00-7000-8000-000000000001',
  amountMinor: '5000',
  currency: 'USD',
  scale: 2,
};

export const operations = [
  operation({
    id: 'requestRefund',
    method: 'POST',
    path: `${billing}/refund-requests`,
    summary: 'Ask the platform to agree to a refund',
    description:
      'Answers with the approval that somebody of the platform decides; in the sandbox the platform agrees at once. The approval is ' +
      'good for one refund of this amount, of this payment or invoice, for this reason. Without an amount it is all that can be ' +
      'refunded at this moment.',
    tag,
    access: ['billing:write'],
    idempotency: 'required',
    params,
    body: NewRefundRequest,
    responses: { 201: Approval },
    example: target,
    issues: issuesOfTarget,
    handler: (t, { body }) => requestRefund(t, body),
  }),
  operation({
    id: 'createRefund',
    method: 'POST',
    path: `${billing}/refunds`,
    summary: 'Refund a payment',
    description:
      'Of a top-up what was paid and not spent; of an invoice, or a payment of one, what credit notes owe back. `amountMinor`, `currency` ' +
      'and `scale` go together, in minor units of the currency itself; without them all that can be refunded is. `approvalSid` names ' +
      'the consent of the platform, and is used up. The operation ends when the bank has taken the money, or has not.',
    tag,
    access: ['billing:write'],
    idempotency: 'required',
    businessKey: { field: 'idempotencyKey', approval: 'approvalSid' },
    stepUp: { action: 'REFUND_CREATE', from: 'everyone' },
    params,
    body: NewRefund,
    responses: { 202: Operation },
    example: {
      ...target,
      approvalSid: 'AP01K3B0000000000000000000PA',
      idempotencyKey: 'refund-4711',
      stepUpToken: 'sut_example',
    },
    issues: issuesOfTarget,
    handler: (t, { body }) => createRefund(t, body),
  }),
  operation({
    id: 'listRefunds',
    method: 'GET',
    path: `${billing}/refunds`,
    summary: 'List refunds',
    description: 'The newest first.',
    tag,
    access: ['billing:read'],
    params,
    query: RefundQuery,
    responses: { 200: RefundList },
    handler: (t, { pager }) => listRefunds(t, pager),
  }),
  operation({
    id: 'getRefund',
    method: 'GET',
    path: `${billing}/refunds/{refundId}`,
    summary: 'Get a refund',
    description: 'With its state, and why it failed where it did.',
    tag,
    access: ['billing:read'],
    params: Closed({ ...accountPath, refundId: Uuid }),
    responses: { 200: Refund },
    handler: (t, { params }) => getRefund(t, params.refundId),
  }),
];
