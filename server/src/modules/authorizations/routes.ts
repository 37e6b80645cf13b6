import { accountPath, Closed, ListOf, sample, Uuid } from '../../platform/http/input/schema.ts';
import { created, operation } from '../../platform/http/operations/operation.ts';
import { getAuthorization, listAuthorizations, recordAuthorization } from './authorizations.ts';
import { authorizationSample } from './samples.ts';
import { Authorization, AuthorizationQuery, NewAuthorization } from './schema.ts';

const tag = 'Authorizations';
const all = '/v1/accounts/{accountSid}/authorizations';

sample(Authorization, authorizationSample);

export const operations = [
  operation({
    id: 'createAuthorization',
    method: 'POST',
    path: all,
    summary: 'Record an instruction to act for the business',
    description:
      'Captures who instructed which task, in their own words. The record is written to the append-only audit chain.',
    tag,
    access: ['contacts:write'],
    idempotency: 'required',
    sharesTransaction: true,
    params: Closed(accountPath),
    body: NewAuthorization,
    responses: { 201: Authorization },
    example: {
      task: 'TEMPLATE_SUBMISSION',
      resourceRef: 'order_confirmation_v2',
      instruction: 'Please submit our order confirmation template for review.',
    },
    async handler(t, { body }) {
      const authorization = await recordAuthorization(t, body);
      return created(authorization, `/v1/accounts/${t.accountSid}/authorizations/${authorization.id}`);
    },
  }),
  operation({
    id: 'listAuthorizations',
    method: 'GET',
    path: all,
    summary: 'List recorded instructions',
    description:
      'What the customer instructed the platform to do at the provider in their name, the newest first. ' +
      'Recorded instructions are never changed.',
    tag,
    access: ['contacts:read'],
    params: Closed(accountPath),
    query: AuthorizationQuery,
    responses: { 200: ListOf(Authorization) },
    handler: (t, { pager }) => listAuthorizations(t, pager),
  }),
  operation({
    id: 'getAuthorization',
    method: 'GET',
    path: `${all}/{authorizationId}`,
    summary: 'Get a recorded instruction',
    description: "Shows the task, what it is about, the instruction's own words and who gave it.",
    tag,
    access: ['contacts:read'],
    params: Closed({ ...accountPath, authorizationId: Uuid }),
    responses: { 200: Authorization },
    handler: (t, { params }) => getAuthorization(t, params.authorizationId),
  }),
];
