import { accountPath, Closed, ListOf, Sid, sample } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { accepted, Operation } from '../operations/index.ts';
import { connectWaba, disconnectWaba, judgeWaba } from './connect-waba.ts';
import { type reconcileType, startReconcile } from './connection/reconcile.ts';
import { judgeReconnect, type reconnectType, startReconnect } from './connection/reconnect.ts';
import { ReconcileSubscription, ReconnectWaba } from './connection/schema.ts';
import type { WabaHooks } from './hooks.ts';
import { getWaba, listPortfolios, listWabas } from './resource.ts';
import { portfolioSample, wabaSample } from './samples.ts';
import { DisconnectWaba, NewWabaBody, PageQuery, Portfolio, WabaResource } from './schema.ts';

const tag = 'Provider accounts';
const account = '/v1/accounts/{accountSid}';
const wabaPath = Closed({ ...accountPath, wabaSid: Sid('WB') });

sample(Portfolio, portfolioSample);
sample(WabaResource, wabaSample);

export type ConnectionTypes = {
  reconcile: ReturnType<typeof reconcileType>;
  reconnect: ReturnType<typeof reconnectType>;
};

export const operations = (hooks: WabaHooks, types: ConnectionTypes) => [
  operation({
    id: 'listPortfolios',
    method: 'GET',
    path: `${account}/portfolios`,
    summary: 'List portfolios with their limits and what is used of them',
    description:
      'For each business portfolio: its messaging tier, how many people were written to in the last 24 ' +
      'hours, and how many phone numbers and templates are used of what is allowed.',
    tag,
    access: ['portfolios:read'],
    params: Closed(accountPath),
    query: PageQuery,
    responses: { 200: ListOf(Portfolio) },
    handler: (t, { pager }) => listPortfolios(t, hooks, pager),
  }),
  operation({
    id: 'listWabas',
    method: 'GET',
    path: `${account}/wabas`,
    summary: 'List business messaging accounts',
    description:
      'The newest first, disconnected ones included. Each is shown with its portfolio, the state of its ' +
      'connection and its senders.',
    tag,
    access: ['wabas:read'],
    params: Closed(accountPath),
    query: PageQuery,
    responses: { 200: ListOf(WabaResource) },
    handler: (t, { pager }) => listWabas(t, hooks, pager),
  }),
  operation({
    id: 'connectWaba',
    method: 'POST',
    path: `${account}/wabas`,
    summary: 'Connect a business messaging account',
    description:
      'Live: `providerBusinessId`, `providerWabaId` and `accessToken` are required; the provider is asked with the token ' +
      'before anything is stored, and the token is never shown again. Sandbox: `name` alone makes a simulated account with ' +
      'one connected sender and approved templates.',
    tag,
    access: ['wabas:write'],
    idempotency: 'required',
    stepUp: { action: 'WABA_CONNECT', from: 'people' },
    params: Closed(accountPath),
    body: NewWabaBody,
    responses: { 201: WabaResource },
    example: { name: 'Depot' },
    judge: (t, { body }) => judgeWaba(t, body),
    outside: (call, { body, stepUp }) => connectWaba(call, hooks, body, stepUp),
  }),
  operation({
    id: 'getWaba',
    method: 'GET',
    path: `${account}/wabas/{wabaSid}`,
    summary: 'Get a business messaging account with its portfolio, connection and senders',
    description:
      'Also tells of restrictions and bans the provider has imposed, as far as they are known here.',
    tag,
    access: ['wabas:read'],
    params: wabaPath,
    responses: { 200: WabaResource },
    handler: (t, { params }) => getWaba(t, hooks, params.wabaSid),
  }),
  operation({
    id: 'disconnectWaba',
    method: 'POST',
    path: `${account}/wabas/{wabaSid}/disconnect`,
    summary: 'Disconnect a business messaging account',
    description: 'Its senders stop at once. What was stored about it stays; the access token does not.',
    tag,
    access: ['wabas:write'],
    idempotency: 'required',
    stepUp: { action: 'WABA_DISCONNECT', from: 'people' },
    params: wabaPath,
    body: DisconnectWaba,
    responses: { 200: WabaResource },
    example: { reason: 'Moved to another business account' },
    handler: (t, { params, body }) => disconnectWaba(t, hooks, params.wabaSid, body.reason),
  }),
  operation({
    id: 'reconcileWabaSubscription',
    method: 'POST',
    path: `${account}/wabas/{wabaSid}/reconcile-subscription`,
    summary: 'Have the provider tell of a business account again',
    description:
      'The operation looks whether the provider tells our app of the account, subscribes it where it does not or tells another ' +
      'address, looks again, and asks what became of up to 1,000 messages nothing final was told of. Its result says what was ' +
      'found before and after. One operation at a time works on a connection.',
    tag,
    access: ['wabas:write'],
    idempotency: 'required',
    params: wabaPath,
    body: ReconcileSubscription,
    responses: { 202: Operation },
    example: { caseRef: 'CASE-4711', reason: 'Delivery reports stopped on Monday' },
    handler: async (t, { params, body }) =>
      accepted(await startReconcile(t, types.reconcile, params.wabaSid, body)),
  }),
  operation({
    id: 'reconnectWaba',
    method: 'POST',
    path: `${account}/wabas/{wabaSid}/reconnect`,
    summary: 'Connect a business messaging account anew',
    description:
      'For an account that is disconnected, or whose token the provider refuses; otherwise CONFLICT. The operation waits with ' +
      '`awaits: SIGNUP`: `nextAction.url` leads somebody of the business to the signup at the provider, within 30 minutes. Once ' +
      'they chose the same account there, it is connected, subscribed, and its numbers and templates are read.',
    tag,
    access: ['wabas:write'],
    idempotency: 'required',
    stepUp: { action: 'WABA_RECONNECT', from: 'everyone' },
    params: wabaPath,
    body: ReconnectWaba,
    responses: { 202: Operation },
    example: {
      caseRef: 'CASE-4712',
      reason: 'The business withdrew our access by mistake',
      stepUpToken: 'gwsu_…',
    },
    judge: (t, { params }) => judgeReconnect(t, params.wabaSid),
    outside: (call, { params, body, stepUp }) =>
      startReconnect(call, types.reconnect, params.wabaSid, body, stepUp),
  }),
];
