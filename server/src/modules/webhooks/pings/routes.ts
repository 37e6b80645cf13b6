import { operation } from '../../../platform/http/operations/operation.ts';
import { Endpoint, endpointPath, Sample, TestReport } from '../endpoints/schema.ts';
import { sendSample, testEndpoint, verifyEndpoint } from './pings.ts';

const tag = 'Webhooks';
const one = '/v1/accounts/{accountSid}/webhooks/{endpointSid}';
const write = ['webhooks:write'] as const;

export const pingOperations = [
  operation({
    id: 'verifyWebhook',
    method: 'POST',
    path: `${one}/verify`,
    summary: 'Verify an endpoint by a challenge',
    description:
      'Sends a signed test.ping whose `data.challenge` is a random string. The endpoint must answer 200 with that string ' +
      'as the whole body, or as member `challenge` of a JSON object. Otherwise the answer is WEBHOOK_DELIVERY_ERROR, which ' +
      'says what was wrong.',
    tag,
    sdk: 'webhooks.verifyEndpoint',
    access: write,
    idempotency: 'required',
    params: endpointPath,
    responses: { 200: Endpoint },
    outside: (call, { params }) => verifyEndpoint(call, params.endpointSid),
  }),
  operation({
    id: 'testWebhook',
    method: 'POST',
    path: `${one}/test`,
    summary: 'Send a signed test.ping and tell how the endpoint answered',
    description:
      'The request is made at once and the answer tells how it went: status, duration, TLS and what was ' +
      "wrong. The endpoint's status and statistics do not change.",
    tag,
    access: write,
    idempotency: 'required',
    params: endpointPath,
    responses: { 200: TestReport },
    outside: (call, { params }) => testEndpoint(call, params.endpointSid),
  }),
  operation({
    id: 'sendWebhookSample',
    method: 'POST',
    path: `${one}/samples`,
    summary: 'Send an example of an event type and tell how the endpoint answered',
    description:
      'To this endpoint alone, which must be verified, whatever it subscribes to. The body is signed, has the type and data of ' +
      '`GET …/webhook-event-types` and `"sample": true` beside them. Nothing happened: the log of events has a test.ping that ' +
      'carries the example.',
    tag,
    access: write,
    idempotency: 'required',
    params: endpointPath,
    body: Sample,
    responses: { 200: TestReport },
    example: { eventType: 'message.delivered' },
    outside: (call, { params, body }) => sendSample(call, params.endpointSid, body),
  }),
];
