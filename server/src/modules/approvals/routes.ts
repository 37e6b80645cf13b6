import { accountPath, Closed, ListOf, Sid, sample } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { getApproval, listApprovals } from './approvals.ts';
import { approve, reject } from './decisions.ts';
import type { ApprovalHooks } from './hooks.ts';
import { approvalSample } from './samples.ts';
import { Agreement, Approval, ApprovalQuery, Rejection } from './schema.ts';

const tag = 'Approvals';
const all = '/v1/accounts/{accountSid}/approvals';
const one = `${all}/{approvalSid}`;
const approvalPath = Closed({ ...accountPath, approvalSid: Sid('AP') });

sample(Approval, approvalSample);

export const operations = (hooks: ApprovalHooks) => [
  operation({
    id: 'listApprovals',
    method: 'GET',
    path: all,
    summary: 'List actions that wait, or waited, for a second person',
    description: 'The newest first. Filter by `state` to see what still waits for a decision.',
    tag,
    access: ['approvals:read'],
    params: Closed(accountPath),
    query: ApprovalQuery,
    responses: { 200: ListOf(Approval) },
    handler: (t, { query, pager }) => listApprovals(t, query, pager),
  }),
  operation({
    id: 'getApproval',
    method: 'GET',
    path: one,
    summary: 'Get an approval',
    description: 'Shows what was asked for, by whom, who decided and, once approved, what the action made.',
    tag,
    access: ['approvals:read'],
    params: approvalPath,
    responses: { 200: Approval },
    handler: (t, { params }) => getApproval(t, params.approvalSid),
  }),
  operation({
    id: 'approveApproval',
    method: 'POST',
    path: `${one}/approve`,
    summary: 'Approve and run a waiting action',
    description:
      'The action runs once, at this moment, and its result stands in the approval. Whoever asked, and whoever made ' +
      'the API key that asked, cannot approve; whoever approves is a signed-in person who may do the action ' +
      'themselves. An action that fails now leaves the approval pending.',
    tag,
    access: ['approvals:write'],
    idempotency: 'required',
    params: approvalPath,
    body: Agreement,
    responses: { 200: Approval },
    example: { reason: 'Discussed in the Monday review' },
    handler: (t, { params, body }) => approve(hooks, t, params.approvalSid, body.reason),
  }),
  operation({
    id: 'rejectApproval',
    method: 'POST',
    path: `${one}/reject`,
    summary: 'Reject a waiting action, or take back one’s own',
    description:
      'The action is not done, and the reason is kept with the approval. Whoever asked for it may take it ' +
      'back this way themselves. Only a PENDING approval can be decided.',
    tag,
    access: ['approvals:write'],
    idempotency: 'required',
    params: approvalPath,
    body: Rejection,
    responses: { 200: Approval },
    example: { reason: 'Not before the audit' },
    handler: (t, { params, body }) => reject(hooks, t, params.approvalSid, body.reason),
  }),
];
