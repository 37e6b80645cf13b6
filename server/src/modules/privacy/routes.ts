import { accountPath, Closed, ListOf, Sid } from '../../platform/http/input/schema.ts';
import { Answer, operation } from '../../platform/http/operations/operation.ts';
import { sampleSid } from '../../platform/samples.ts';
import { certificateOperations } from './certificates/routes.ts';
import { consentCertificateOperations } from './consent-certificates/routes.ts';
import { copyOperations } from './copies/routes.ts';
import { createRequest, issuesOfRequest } from './create-request.ts';
import { liftRestriction, withdrawRequest } from './lift.ts';
import { getRequest, listRequests } from './requests.ts';
import {
  LiftRestriction,
  NewPrivacyRequest,
  PrivacyRequest,
  PrivacyRequestQuery,
  privacyRequestSample,
} from './schema.ts';

const tag = 'Privacy requests';
const all = '/v1/accounts/{accountSid}/privacy/requests';
const one = `${all}/{requestSid}`;
const params = Closed({ ...accountPath, requestSid: Sid('DR') });
const stepUpToken = 'from POST identity/step-up';

export const operations = [
  operation({
    id: 'listPrivacyRequests',
    method: 'GET',
    path: all,
    summary: 'List privacy requests',
    description:
      'The newest first, with those that are done. They name contacts, and nothing people are known by.',
    tag,
    access: ['privacy:read'],
    params: Closed(accountPath),
    query: PrivacyRequestQuery,
    responses: { 200: ListOf(PrivacyRequest) },
    handler: (t, { pager }) => listRequests(t, pager),
  }),
  operation({
    id: 'createPrivacyRequest',
    method: 'POST',
    path: all,
    summary: 'Record what a person asks for about their data',
    description:
      '`subject` is `{"contactSid":…}` or `{"identifierType":…,"value":…,"scopeRef":…}`; a contact that was merged means its survivor. ' +
      'ERASURE restricts the person at once and removes what is kept of them after a delay in which it can be withdrawn; ACCESS and PORTABILITY ' +
      'gather a copy to download; RECTIFICATION makes `changes` at once, and alone has them; RESTRICTION keeps the data and uses it for nothing ' +
      'until it is lifted. Of somebody the account does not know, ERASURE, ACCESS and PORTABILITY are done at once with `found` false. ' +
      'One of a kind is open for a person at a time, and none beside an ERASURE.',
    tag,
    access: ['privacy:write'],
    idempotency: 'required',
    stepUp: { action: 'PRIVACY_REQUEST_CREATE', from: 'everyone' },
    params: Closed(accountPath),
    body: NewPrivacyRequest,
    responses: { 202: PrivacyRequest },
    example: {
      kind: 'RESTRICTION',
      reason: privacyRequestSample.reason,
      subject: { contactSid: sampleSid('CT') },
      stepUpToken,
    },
    issues: (_t, { body }) => issuesOfRequest(body ?? {}),
    async handler(t, { body }) {
      const request = await createRequest(t, body);
      return new Answer(202, request, {
        location: `/v1/accounts/${t.accountSid}/privacy/requests/${request.sid}`,
      });
    },
  }),
  operation({
    id: 'getPrivacyRequest',
    method: 'GET',
    path: one,
    summary: 'Get a privacy request',
    description:
      '`dueAt` is 30 days after it was made, and `overdue` says that it is not done by then. An erasure that waits for legal holds is PARKED.',
    tag,
    access: ['privacy:read'],
    params,
    responses: { 200: PrivacyRequest },
    handler: (t, { params: { requestSid } }) => getRequest(t, requestSid),
  }),
  operation({
    id: 'liftPrivacyRestriction',
    method: 'POST',
    path: `${one}/lift-restriction`,
    summary: 'Lift a restriction',
    description:
      'The person is written to, found and changed as before, unless another request restricts them too. Needs a second factor ' +
      '(`PRIVACY_RESTRICTION_LIFT`). Lifting it again changes nothing; a request that restricts nothing by itself is refused.',
    tag,
    access: ['privacy:write'],
    idempotency: 'required',
    stepUp: { action: 'PRIVACY_RESTRICTION_LIFT', from: 'everyone' },
    params,
    body: LiftRestriction,
    responses: { 200: PrivacyRequest },
    example: { reason: 'The dispute is settled', stepUpToken },
    handler: (t, { params: { requestSid }, body }) => liftRestriction(t, requestSid, body.reason),
  }),
  operation({
    id: 'withdrawPrivacyRequest',
    method: 'POST',
    path: `${one}/withdraw`,
    summary: 'Withdraw an erasure',
    description:
      'Possible until it begins: `startsAt` says when that is, and one that is PARKED before it began waits longer. The person is no longer ' +
      'restricted by it. Withdrawing it again changes nothing.',
    tag,
    access: ['privacy:write'],
    idempotency: 'required',
    params,
    responses: { 200: PrivacyRequest },
    handler: (t, { params: { requestSid } }) => withdrawRequest(t, requestSid),
  }),
  ...copyOperations,
  ...certificateOperations,
  ...consentCertificateOperations,
];
