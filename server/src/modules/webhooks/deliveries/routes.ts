import { accountPath, Closed, ListOf, Sid } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { getDelivery, listDeliveries, listResourceDeliveries } from './deliveries.ts';
import { listGaps } from './gaps.ts';
import { redeliverEvents, replay, retryDeliveries } from './redeliver.ts';
import {
  DeliveryList,
  DeliveryQuery,
  DeliveryWithHistory,
  EventRedelivery,
  EventsRedelivery,
  Gap,
  GapQuery,
  Redelivery,
  Replay,
  ResourceDeliveryQuery,
  Retry,
  Statistics,
  StatisticsQuery,
} from './schema.ts';
import { getStatistics } from './statistics.ts';

const tag = 'Webhooks';
const account = '/v1/accounts/{accountSid}';
const endpoint = `${account}/webhooks/{endpointSid}`;
const endpointPath = { ...accountPath, endpointSid: Sid('WH') };
const deliveryPath = Closed({ ...endpointPath, deliverySid: Sid('WD') });
const accepted = { 202: Redelivery };
const sampleSid = (prefix: string) => `${prefix}01K3SAMP1E0000000000000000`;

export const deliveryOperations = [
  operation({
    id: 'listResourceDeliveries',
    method: 'GET',
    path: `${account}/webhook-deliveries`,
    summary: 'List the deliveries about one resource, such as a message',
    description:
      'To all endpoints, the newest first: the answer to whether and when somebody was told of a ' +
      'resource.',
    tag,
    access: ['webhooks:read'],
    params: Closed(accountPath),
    query: ResourceDeliveryQuery,
    responses: { 200: DeliveryList },
    handler: (t, { query, pager }) => listResourceDeliveries(t, query.resourceSid, pager),
  }),
  operation({
    id: 'listWebhookDeliveries',
    method: 'GET',
    path: `${endpoint}/deliveries`,
    summary: 'List the deliveries to an endpoint',
    description:
      'The newest first unless `sort` says otherwise. Filter by event or by the resource the event is ' +
      'about.',
    tag,
    access: ['webhooks:read'],
    params: Closed(endpointPath),
    query: DeliveryQuery,
    responses: { 200: DeliveryList },
    handler: (t, { params, query, pager }) => listDeliveries(t, params.endpointSid, query, pager),
  }),
  operation({
    id: 'getWebhookDelivery',
    method: 'GET',
    path: `${endpoint}/deliveries/{deliverySid}`,
    summary: 'Get a delivery: what is sent, and every attempt with its answer',
    description:
      'The attempts come newest first, at most 100. Signatures are shown per attempt, because each is ' +
      'made anew.',
    tag,
    access: ['webhooks:read'],
    params: deliveryPath,
    responses: { 200: DeliveryWithHistory },
    handler: (t, { params }) => getDelivery(t, params.endpointSid, params.deliverySid),
  }),
  operation({
    id: 'retryWebhookDeliveries',
    method: 'POST',
    path: `${endpoint}/deliveries/retry`,
    summary: 'Try deliveries again, the oldest first',
    description:
      'Names deliveries (at most 1,000), or a state, or both. At most 10,000 are taken up at once: `hasMore` says ' +
      'whether to ask again. Their schedule starts anew.',
    tag,
    access: ['webhooks:write'],
    idempotency: 'required',
    params: Closed(endpointPath),
    body: Retry,
    responses: accepted,
    example: { state: 'failed' },
    handler: (t, { params, body }) => retryDeliveries(t, params.endpointSid, body),
  }),
  operation({
    id: 'retryWebhookDelivery',
    method: 'POST',
    path: `${endpoint}/deliveries/{deliverySid}/retry`,
    summary: 'Try a delivery again now',
    description:
      'The delivery becomes due now, with the body it had. Its further attempts follow the usual ' +
      'schedule.',
    tag,
    access: ['webhooks:write'],
    idempotency: 'required',
    params: deliveryPath,
    responses: accepted,
    handler: (t, { params }) =>
      retryDeliveries(t, params.endpointSid, { deliverySids: [params.deliverySid] }),
  }),
  operation({
    id: 'redeliverEvents',
    method: 'POST',
    path: `${account}/events/redeliver`,
    summary: 'Send events again',
    description:
      'To the endpoint named, whatever it subscribes to, or else to every endpoint they are for: by what it subscribes ' +
      'to, or as the status callback of a message. A test.ping goes to no endpoint but its own. At most 1,000 events.',
    tag,
    access: ['webhooks:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: EventsRedelivery,
    responses: accepted,
    example: { eventSids: [sampleSid('EV')] },
    handler: (t, { body }) => redeliverEvents(t, body),
  }),
  operation({
    id: 'replayEvents',
    method: 'POST',
    path: `${account}/events/replay`,
    summary: 'Send an endpoint the events of a range of sequence numbers',
    description:
      'Those it subscribes to and the statuses of messages that name it, also from before it was verified; with ' +
      '`unacknowledgedOnly` its gaps, which are those it never acknowledged. At most 10,000 at once: `hasMore` says whether to ask again.',
    tag,
    access: ['webhooks:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: Replay,
    responses: accepted,
    example: { endpointSid: sampleSid('WH'), fromSequence: 1, toSequence: 500, unacknowledgedOnly: true },
    handler: (t, { body }) => replay(t, body),
  }),
  operation({
    id: 'redeliverEvent',
    method: 'POST',
    path: `${account}/events/{eventSid}/redeliver`,
    summary: 'Send an event again',
    description:
      'To the endpoint named, or to every endpoint it is for. A test.ping goes to no endpoint but its own.',
    tag,
    access: ['webhooks:write'],
    idempotency: 'required',
    params: Closed({ ...accountPath, eventSid: Sid('EV') }),
    body: EventRedelivery,
    responses: accepted,
    example: {},
    handler: (t, { params, body }) => redeliverEvents(t, { ...body, eventSids: [params.eventSid] }),
  }),
  operation({
    id: 'getWebhookStatistics',
    method: 'GET',
    path: `${endpoint}/statistics`,
    summary: 'Tell how the attempts at an endpoint went, day by day',
    description:
      'From `from` to `to`, days in UTC that both count; without them the last 7 days, at most 90. Pings and samples count too. ' +
      'p50 and p95 are of all attempts, and right to a third.',
    tag,
    access: ['webhooks:read'],
    params: Closed(endpointPath),
    query: StatisticsQuery,
    responses: { 200: Statistics },
    handler: (t, { params, query }) => getStatistics(t, params.endpointSid, query),
  }),
  operation({
    id: 'listWebhookGaps',
    method: 'GET',
    path: `${endpoint}/gaps`,
    summary: 'List the events of a range that an endpoint never acknowledged, oldest first',
    description: 'Without a range: of the last 100,000 events. Ask for them with `POST …/events/replay`.',
    tag,
    access: ['webhooks:read'],
    params: Closed(endpointPath),
    query: GapQuery,
    responses: { 200: ListOf(Gap) },
    handler: (t, { params, query, pager }) => listGaps(t, params.endpointSid, query, pager),
  }),
];
