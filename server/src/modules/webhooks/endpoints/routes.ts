import { accountPath, Closed, sample } from '../../../platform/http/input/schema.ts';
import { created, operation } from '../../../platform/http/operations/operation.ts';
import {
  changeEndpoint,
  createEndpoint,
  disableEndpoint,
  judgeSettings,
  listEndpoints,
  loadEndpoint,
  pauseEndpoint,
  resumeEndpoint,
} from './endpoints.ts';
import { judgeHeaders, setHeaders } from './headers.ts';
import { endOverlap, judgeOverlap, rotateSecret } from './rotate-secret.ts';
import { endpointSample } from './samples.ts';
import {
  Endpoint,
  EndpointChange,
  EndpointList,
  EndpointWithSecret,
  endpointPath,
  HeaderChange,
  NewEndpoint,
  PageQuery,
  SecretRotation,
} from './schema.ts';

const tag = 'Webhooks';
const all = '/v1/accounts/{accountSid}/webhooks';
const one = `${all}/{endpointSid}`;
const write = ['webhooks:write'] as const;

sample(Endpoint, endpointSample);
sample(EndpointWithSecret, {
  ...endpointSample,
  status: 'unverified',
  verifiedAt: null,
  secret: 'whsec_c2hvd24gdGhpcyBvbmNl',
});

export const endpointOperations = [
  operation({
    id: 'listWebhooks',
    method: 'GET',
    path: all,
    summary: 'List webhook endpoints',
    description:
      'The newest first, with status and failures. Secrets and the values of headers are never shown.',
    tag,
    access: ['webhooks:read'],
    params: Closed(accountPath),
    query: PageQuery,
    responses: { 200: EndpointList },
    handler: (t, { pager }) => listEndpoints(t, pager),
  }),
  operation({
    id: 'createWebhook',
    method: 'POST',
    path: all,
    summary: 'Add a webhook endpoint',
    description:
      'The URL must be public HTTPS. The signing secret is shown this once. Nothing is sent before the endpoint is ' +
      'verified. `eventFilters` are exact names, `prefix.*` or `*`; an empty list receives everything; one that matches ' +
      'no type known today is accepted and answered with a warning. Always needs a step-up token of a signed-in person ' +
      '(WEBHOOK_ENDPOINT_CREATE), which an API key may present.',
    tag,
    access: write,
    idempotency: 'required',
    revealsSecret: true,
    stepUp: { action: 'WEBHOOK_ENDPOINT_CREATE', from: 'everyone' },
    params: Closed(accountPath),
    body: NewEndpoint,
    responses: { 201: EndpointWithSecret },
    example: { url: 'https://example.com/hooks', eventFilters: ['message.*', 'suppression.removed'] },
    judge: (t, { body }) => judgeSettings(t, body),
    async handler(t, { body }) {
      const endpoint = await createEndpoint(t, body);
      return created(endpoint, `/v1/accounts/${t.accountSid}/webhooks/${endpoint.sid}`);
    },
  }),
  operation({
    id: 'getWebhook',
    method: 'GET',
    path: one,
    summary: 'Get a webhook endpoint',
    description:
      'Shows the status, which events it hears of, and since when deliveries fail. The secret and the ' +
      'values of headers are never shown.',
    tag,
    access: ['webhooks:read'],
    params: endpointPath,
    responses: { 200: Endpoint },
    handler: (t, { params }) => loadEndpoint(t, params.endpointSid),
  }),
  operation({
    id: 'updateWebhook',
    method: 'PATCH',
    path: one,
    summary: 'Change a webhook endpoint',
    description:
      'What is left out stays as it was. A new URL must be verified before anything is sent to it; what happens until ' +
      'then waits. A signed-in person needs a step-up token (WEBHOOK_URL_CHANGE) to change the URL; an API key does not.',
    tag,
    access: write,
    idempotency: 'required',
    stepUp: { action: 'WEBHOOK_URL_CHANGE', from: 'people', askedBy: 'handler' },
    params: endpointPath,
    body: EndpointChange,
    responses: { 200: Endpoint },
    example: { url: 'https://example.com/new-hooks', timeoutMs: 5000 },
    judge: (t, { body }) => judgeSettings(t, body),
    handler: (t, { params, body, stepUp }) => changeEndpoint(t, params.endpointSid, body, () => stepUp(t)),
  }),
  operation({
    id: 'setWebhookHeaders',
    method: 'PUT',
    path: `${one}/headers`,
    summary: 'Set the headers of your own that every request to an endpoint carries',
    description:
      'In the place of all there were; an empty list removes them. At most 20, of 8 KiB in all. Values are sealed and never ' +
      'shown again: answers have `********` in their place. Refused are headers of the connection, of proxies ' +
      '(`Forwarded`, `X-Forwarded-*`, `Via`, `Proxy-*`) and those we set (`X-Service-*`, `Content-Type`, `User-Agent`). They go when ' +
      'the endpoint moves to another host. A signed-in person needs a step-up token (WEBHOOK_URL_CHANGE); an API key does not.',
    tag,
    access: write,
    idempotency: 'required',
    stepUp: { action: 'WEBHOOK_URL_CHANGE', from: 'people' },
    params: endpointPath,
    body: HeaderChange,
    responses: { 200: Endpoint },
    example: { headers: [{ name: 'Authorization', value: 'Bearer a-token-of-your-gateway' }] },
    judge: (_t, { body }) => judgeHeaders(body),
    handler: (t, { params, body }) => setHeaders(t, params.endpointSid, body),
  }),
  operation({
    id: 'deleteWebhook',
    method: 'DELETE',
    path: one,
    summary: 'Disable a webhook endpoint for good',
    description: 'Its log stays. What still waited for it ends as failed.',
    tag,
    access: write,
    params: endpointPath,
    responses: { 204: null },
    handler: (t, { params }) => disableEndpoint(t, params.endpointSid),
  }),
  operation({
    id: 'pauseWebhook',
    method: 'POST',
    path: `${one}/pause`,
    summary: 'Pause deliveries',
    description: 'Events that happen during a pause are kept and flow on resume.',
    tag,
    access: write,
    idempotency: 'required',
    params: endpointPath,
    responses: { 200: Endpoint },
    handler: (t, { params }) => pauseEndpoint(t, params.endpointSid),
  }),
  operation({
    id: 'resumeWebhook',
    method: 'POST',
    path: `${one}/resume`,
    summary: 'Resume deliveries after a pause or a suspension',
    description:
      'What waited flows. Events that happened while the endpoint was suspended stand in its log as failed; ask for ' +
      'them with `POST …/deliveries/retry` and `{"state":"failed"}`. A signed-in person needs a step-up token ' +
      '(WEBHOOK_ENDPOINT_REENABLE, in the header X-Step-Up-Token) to resume a suspended endpoint, not a paused one; an API ' +
      'key does not.',
    tag,
    access: write,
    idempotency: 'required',
    stepUp: { action: 'WEBHOOK_ENDPOINT_REENABLE', from: 'people', askedBy: 'handler', inHeader: true },
    params: endpointPath,
    responses: { 200: Endpoint },
    handler: (t, { params, stepUp }) => resumeEndpoint(t, params.endpointSid, () => stepUp(t)),
  }),
  operation({
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: `${one}/secret/rotate`,
    summary: 'Make a new signing secret',
    description:
      'Shown this once. Until `expiresAt` (24 hours from now, unless given; at most 30 days) both secrets sign: each ' +
      'delivery carries two `v1=` values. A signed-in person needs a step-up token (WEBHOOK_SECRET_ROTATE).',
    tag,
    access: write,
    idempotency: 'required',
    revealsSecret: true,
    stepUp: { action: 'WEBHOOK_SECRET_ROTATE', from: 'people' },
    params: endpointPath,
    body: SecretRotation,
    responses: { 200: EndpointWithSecret },
    example: { stepUpToken: 'from POST identity/step-up' },
    judge: (t, { body }) => judgeOverlap(t, body),
    handler: (t, { params, body }) => rotateSecret(t, params.endpointSid, body),
  }),
  operation({
    id: 'endWebhookSecretOverlap',
    method: 'POST',
    path: `${one}/secret/end-overlap`,
    summary: 'Let the old signing secret expire now',
    description:
      'Deliveries carry only the signature of the new secret from now on. Without an overlap nothing ' +
      'changes.',
    tag,
    access: write,
    idempotency: 'required',
    params: endpointPath,
    responses: { 200: Endpoint },
    handler: (t, { params }) => endOverlap(t, params.endpointSid),
  }),
];
