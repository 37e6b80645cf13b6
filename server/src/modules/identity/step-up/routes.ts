import { accountPath, Closed } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { StepUpGrant, StepUpQuery, StepUpRequest } from './schema.ts';
import { grantStepUp } from './step-up-tokens.ts';

export const operations = [
  operation({
    id: 'createStepUpToken',
    method: 'POST',
    path: '/v1/accounts/{accountSid}/identity/step-up',
    summary: 'Exchange a second factor for a step-up token',
    description:
      'The token is good for exactly the action a STEP_UP_REQUIRED refusal named, once, for 5 minutes, in this ' +
      'account and environment. It dies with the session and with the factor. Five failures within 15 minutes lock ' +
      'the method for 15 minutes; the third lock in a row turns the factor off.',
    tag: 'Identity',
    access: ['api:access'],
    whileSuspended: true,
    partScoped: true,
    idempotency: 'required',
    keyBelongsTo: 'principal',
    revealsSecret: true,
    params: Closed(accountPath),
    query: StepUpQuery,
    body: StepUpRequest,
    responses: { 201: StepUpGrant },
    example: { action: 'API_KEY_CREATE', method: 'TOTP', assertion: '123456' },
    outside: (call, { body }) => grantStepUp(call, body),
  }),
];
