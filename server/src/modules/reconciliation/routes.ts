import { accountPath, Closed, ListOf, Sid, sample } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { decideCase, getCase, listCases } from './cases/cases.ts';
import { caseSample } from './cases/samples.ts';
import { CaseDecision, CaseQuery, ReconciliationCase } from './cases/schema.ts';

const tag = 'Reconciliation';
const billing = '/v1/accounts/{accountSid}/billing';
const all = `${billing}/reconciliation-cases`;
const one = `${all}/{caseSid}`;
const casePath = Closed({ ...accountPath, caseSid: Sid('CS') });

sample(ReconciliationCase, caseSample);

export const operations = [
  operation({
    id: 'listReconciliationCases',
    method: 'GET',
    path: all,
    summary: 'List differences with the provider',
    description:
      'The newest first. A case opens by itself where the records of the provider and ours differ: another price than was taken, ' +
      'a charge nobody expected, a delivery no event told of, or a message the provider never spoke of again.',
    tag,
    access: ['billing:read'],
    params: Closed(accountPath),
    query: CaseQuery,
    responses: { 200: ListOf(ReconciliationCase) },
    handler: (t, { query, pager }) => listCases(t, query, pager),
  }),
  operation({
    id: 'getReconciliationCase',
    method: 'GET',
    path: one,
    summary: 'Get a difference with the provider',
    description:
      '`expected` is what our records say and `reported` what the provider says; `findings` tell what was found out, and what the ' +
      'provider answered about each message.',
    tag,
    access: ['billing:read'],
    params: casePath,
    responses: { 200: ReconciliationCase },
    handler: (t, { params }) => getCase(t, params.caseSid),
  }),
  operation({
    id: 'resolveReconciliationCase',
    method: 'POST',
    path: `${one}/resolve`,
    summary: 'Decide a difference with the provider',
    description:
      'Records the decision and its evidence and moves no money; `pricing-remediation` does. A case that is resolved or rejected ' +
      'stays so: CONFLICT.',
    tag,
    access: ['billing:write'],
    idempotency: 'required',
    params: casePath,
    body: CaseDecision,
    responses: { 200: ReconciliationCase },
    example: {
      evidence: { ticket: 'SUP-1182' },
      reason: 'The provider confirmed that the message was never delivered.',
      resolution: 'resolved',
    },
    handler: (t, { params, body }) => decideCase(t, params.caseSid, body),
  }),
];
