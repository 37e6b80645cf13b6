import { accountPath, Closed, Sid } from '../../platform/http/input/schema.ts';
import { created, operation } from '../../platform/http/operations/operation.ts';
import { issuesOfDocuments } from './applications/documents.ts';
import { issuesOfAcceptance, issuesOfApplication } from './applications/judge.ts';
import { getOnboarding, getQuote } from './applications/onboarding.ts';
import {
  acceptQuote,
  giveInformation,
  setHandoverPhone,
  submitApplication,
  withdraw,
} from './applications/requests.ts';
import {
  AcceptQuote,
  Application,
  HandoverPhone,
  Information,
  NewApplication,
  Onboarding,
  OnboardingQuery,
  Quote,
  QuoteQuery,
} from './schema.ts';

const tag = 'Managed onboarding';
const path = '/v1/accounts/{accountSid}/managed-onboarding';
const params = Closed({ ...accountPath, applicationSid: Sid('MA') });
const fingerprint = 'd0b425e00e15a0d36b9b361f02bab63563aed6cb4665083905386c55d5b679fa';
const acceptance = {
  acceptQuote: true,
  acceptedQuoteFingerprint: fingerprint,
  acceptedTermsVersion: 'sandbox-2026-11',
};

export const operations = [
  operation({
    id: 'getManagedOnboarding',
    method: 'GET',
    path,
    summary: 'Applications to be set up by the operator',
    description:
      'Whether the account may apply, the application that has not ended, and the newest 100. What a business says of itself is ' +
      'opened for principals of the account itself only; `detailsState` says when it is withheld or cannot be opened.',
    tag,
    access: ['accounts:read'],
    params: Closed(accountPath),
    query: OnboardingQuery,
    responses: { 200: Onboarding },
    handler: (t, { query }) => getOnboarding(t, query),
  }),
  operation({
    id: 'createManagedApplication',
    method: 'POST',
    path,
    summary: 'Apply to be set up by the operator',
    description:
      'The operator opens a business account in its own portfolio and obtains the number: `PURCHASE` takes `requestedNumber` as a ' +
      'wish, `PORT` takes over that number. An account has one open application. Accept what `quote` offers, to the letter. In the ' +
      'sandbox a robot decides: the words `needs_information`, `requote`, `reject` and `robot_waits` in `displayName` steer it.',
    tag,
    access: ['accounts:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewApplication,
    responses: { 201: Application },
    example: {
      ...acceptance,
      country: 'FR',
      displayName: 'Depot',
      instruction: 'Please set us up at the provider with a number in France.',
      legalName: 'Depot SA',
      numberSource: 'PURCHASE',
    },
    issues: (_t, { body }) => issuesOfApplication(body),
    async handler(t, { body }) {
      const made = await submitApplication(t, body);
      return created(made, `/v1/accounts/${t.accountSid}/managed-onboarding?applicationSid=${made.sid}`);
    },
  }),
  operation({
    id: 'getManagedOnboardingQuote',
    method: 'GET',
    path: `${path}/quote`,
    summary: 'What it costs, on which terms',
    description:
      'The fingerprint is the SHA-256 of the canonical JSON (RFC 8785) of account, environment, application, number source, lines, ' +
      'currency, and version and hash of the terms. With `applicationSid`: what that application is offered now, or else what it accepted.',
    tag,
    access: ['accounts:read'],
    params: Closed(accountPath),
    query: QuoteQuery,
    responses: { 200: Quote },
    handler: (t, { query }) => getQuote(t, query),
  }),
  operation({
    id: 'updateManagedApplication',
    method: 'PATCH',
    path: `${path}/{applicationSid}`,
    summary: 'Give the information that was asked for',
    description:
      'Only while the application is INFORMATION_REQUESTED. Media SIDs in the text are documents: they must be READY, and are kept ' +
      'until the application ends.',
    tag,
    access: ['accounts:write'],
    idempotency: 'required',
    params,
    body: Information,
    responses: { 200: Application },
    example: { information: 'The extract of the register is attached.' },
    issues: (t, { body }) => issuesOfDocuments(t, body.information),
    handler: (t, { params, body }) => giveInformation(t, params.applicationSid, body.information),
  }),
  operation({
    id: 'withdrawManagedApplication',
    method: 'DELETE',
    path: `${path}/{applicationSid}`,
    summary: 'Withdraw an application',
    description: 'Until it is approved; later it is a CONFLICT.',
    tag,
    access: ['accounts:write'],
    repeatable: 'withdrawing twice is the same as once',
    params,
    responses: { 204: null },
    handler: (t, { params }) => withdraw(t, params.applicationSid),
  }),
  operation({
    id: 'acceptManagedOnboardingQuote',
    method: 'POST',
    path: `${path}/{applicationSid}/accept-quote`,
    summary: 'Accept a changed quote',
    description:
      'Only while the application is QUOTE_CHANGED. Fingerprint and terms must be those that are offered.',
    tag,
    access: ['accounts:write'],
    idempotency: 'required',
    params,
    body: AcceptQuote,
    responses: { 200: Application },
    example: acceptance,
    issues: (_t, { body }) => issuesOfAcceptance(body),
    handler: (t, { params, body }) => acceptQuote(t, params.applicationSid, body),
  }),
  operation({
    id: 'setManagedHandoverPhone',
    method: 'PATCH',
    path: `${path}/{applicationSid}/handover-phone`,
    summary: 'Say where the business is reached for the hand-over',
    description:
      'For the code and the hand-over of the number: a phone that people answer, and not the number that is set up. Until the ' +
      'application has ended.',
    tag,
    access: ['accounts:write'],
    idempotency: 'required',
    params,
    body: HandoverPhone,
    responses: { 200: Application },
    example: { handoverPhoneNumber: '+33612003400' },
    handler: (t, { params, body }) => setHandoverPhone(t, params.applicationSid, body.handoverPhoneNumber),
  }),
];
