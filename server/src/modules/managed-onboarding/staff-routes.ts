import { accountPath, Closed, Sid } from '../../platform/http/input/schema.ts';
import { type Operation, operation } from '../../platform/http/operations/operation.ts';
import type { Provision } from './provisioning/provision.ts';
import {
  Application,
  Approve,
  EndTask,
  Reject,
  RequestInformation,
  Requote,
  Reveal,
  RevealedDetails,
} from './schema.ts';
import {
  approve,
  reject,
  requestInformation,
  requote,
  retry,
  revealDetails,
  takeIntoReview,
} from './staff/staff.ts';
import { finishTask, issuesOfTask } from './staff/tasks.ts';

const path = '/v1/accounts/{accountSid}/managed-onboarding/{applicationSid}';
const stepUpToken = 'GkJ8v0c2mQy1tXb7Rz4nLw9sHd3fPe6uAo5iKqVxYjM';

/** What all of them have in common: only the operator's people reach them. */
const staffOnly = {
  method: 'POST',
  tag: 'Managed onboarding',
  access: ['accounts:read'],
  alsoNeeds: 'platform:staff',
  params: Closed({ ...accountPath, applicationSid: Sid('MA') }),
} as const;

const idempotency = 'required';
const responses = { 200: Application };

export const staffOperations = (provision: Provision): Operation[] => [
  operation({
    ...staffOnly,
    id: 'reviewManagedApplication',
    path: `${path}/review`,
    summary: 'Take an application into review',
    description: 'For the staff of the platform only.',
    idempotency,
    responses,
    handler: (t, { params }) => takeIntoReview(t, params.applicationSid),
  }),
  operation({
    ...staffOnly,
    id: 'requestManagedInformation',
    path: `${path}/request-information`,
    summary: 'Ask the business for something',
    description: 'For the staff of the platform only. The application waits until the business answers.',
    idempotency,
    body: RequestInformation,
    responses,
    example: { request: 'Please send an extract of the register.' },
    handler: (t, { params, body }) => requestInformation(t, params.applicationSid, body.request),
  }),
  operation({
    ...staffOnly,
    id: 'requoteManagedApplication',
    path: `${path}/requote`,
    summary: 'Offer other prices',
    description:
      'For the staff of the platform only. Without `lines` the price list for the country decides; the terms are those of now. The ' +
      'application waits until the business accepts.',
    idempotency,
    body: Requote,
    responses,
    example: { reason: 'Numbers in France cost more.' },
    handler: (t, { params, body }) => requote(t, params.applicationSid, body),
  }),
  operation({
    ...staffOnly,
    id: 'approveManagedApplication',
    path: `${path}/approve`,
    summary: 'Approve an application',
    description:
      'For the staff of the platform only, with a second factor. The fee is set aside, and the operation the application names begins ' +
      'the work; a wallet that does not hold the fee is INSUFFICIENT_FUNDS, and nothing has begun.',
    idempotency,
    stepUp: { action: 'MANAGED_ONBOARDING_APPROVE', from: 'everyone' },
    body: Approve,
    responses,
    example: { stepUpToken },
    handler: (t, { params }) => approve(t, provision, params.applicationSid),
  }),
  operation({
    ...staffOnly,
    id: 'rejectManagedApplication',
    path: `${path}/reject`,
    summary: 'Reject an application',
    description: 'For the staff of the platform only; also one that FAILED, whose number is then given back.',
    idempotency,
    body: Reject,
    responses,
    example: { reason: 'The register does not know the company.' },
    handler: (t, { params, body }) => reject(t, params.applicationSid, body.reason),
  }),
  operation({
    ...staffOnly,
    id: 'retryManagedApplication',
    path: `${path}/retry`,
    summary: 'Try an application again that failed',
    description:
      'For the staff of the platform only. The fee is set aside anew, and the work goes on where it stood.',
    idempotency,
    responses,
    handler: (t, { params }) => retry(t, provision, params.applicationSid),
  }),
  operation({
    ...staffOnly,
    id: 'revealManagedDetails',
    path: `${path}/reveal`,
    summary: 'See what a business says of itself',
    description:
      'For the staff of the platform only, with a second factor and a reason, which the customer finds in its audit chain.',
    repeatable:
      'its answer is not kept, since what it shows is sealed; each time it is shown is written down',
    stepUp: { action: 'MANAGED_ONBOARDING_REVEAL', from: 'everyone' },
    body: Reveal,
    responses: { 200: RevealedDetails },
    example: { reason: 'To look it up in the register', stepUpToken },
    handler: (t, { params, body }) => revealDetails(t, params.applicationSid, body.reason),
  }),
  operation({
    ...staffOnly,
    id: 'endManagedTask',
    path: `${path}/tasks`,
    summary: 'Say what came of a task',
    description:
      'For the staff of the platform only: of what the application lists in `openTasks`. ORDER_NUMBER tells the `number`, ' +
      "CREATE_ACCOUNT the `providerWabaId` of the business account opened in the operator's portfolio, READ_CODE the `code` that came " +
      'to the number. FAILED ends the application as FAILED.',
    idempotency,
    body: EndTask,
    responses,
    example: { task: 'ORDER_NUMBER', outcome: 'DONE', number: '+33980123456' },
    issues: (_t, { body }) => issuesOfTask(body),
    handler: (t, { params, body }) => finishTask(t, params.applicationSid, body),
  }),
];
