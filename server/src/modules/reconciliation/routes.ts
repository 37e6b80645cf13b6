import { accountPath, Closed, ListOf, Sid, sample } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { decideCase, getCase, listCases } from './cases/cases.ts';
import { caseSample } from './cases/samples.ts';
import { CaseDecision, CaseQuery, ReconciliationCase } from './cases/schema.ts';
import { issuesOfPricing, remediatePricing } from './remediation/remediate-pricing.ts';
import { Remediation } from './remediation/schema.ts';

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
  operation({
    id: 'remediatePricing',
    method: 'POST',
    path: `${billing}/pricing-remediation/{caseSid}`,
    summary: 'Charge the messages of a case anew',
    description:
      'Prices the messages of the case as given, each on the rate card it was accepted under, charges or credits the difference ' +
      'and resolves the case. The operator agrees by the signature, made by `godwit billing sign-remediation` over the account, the ' +
      'environment, the case in its present version and the pricing: one that is wrong, used or of an earlier version is ' +
      'AUTHORIZATION_ERROR, and nothing moves.',
    tag,
    access: ['billing:write'],
    idempotency: 'required',
    stepUp: { action: 'PRICING_REMEDIATE', from: 'everyone' },
    params: casePath,
    body: Remediation,
    responses: { 200: ReconciliationCase },
    example: {
      signature: `v1=${'0'.repeat(64)}`,
      stepUpToken: '…',
      pricing: {
        billable: true,
        category: 'UTILITY',
        customerCurrency: 'USD',
        market: 'FR',
        pricingModel: 'PMP',
        pricingType: 'REGULAR',
        providerEvidence: { ticket: 'SUP-1182' },
        transport: 'CLOUD_API',
      },
    },
    issues: (t, { params, body }) => issuesOfPricing(t, params.caseSid, body.pricing ?? {}),
    handler: (t, { params, body }) => remediatePricing(t, { caseSid: params.caseSid, ...body }),
  }),
];
