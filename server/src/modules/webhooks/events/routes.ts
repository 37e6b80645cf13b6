import { accountPath, Closed, Sid } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { getEvent, listEvents, listEventTypes, triggerEvent } from './events.ts';
import { Event, EventList, EventQuery, EventTypeList, Trigger, Triggered } from './schema.ts';

const tag = 'Events';
const account = '/v1/accounts/{accountSid}';

export const eventOperations = [
  operation({
    id: 'listWebhookEventTypes',
    method: 'GET',
    path: `${account}/webhook-event-types`,
    summary: 'List the types of events, each with a sample',
    description:
      'Each type with the API version it came with, what it means and a sample of its data. Endpoints ' +
      'filter by these names.',
    tag,
    sdk: 'events.listTypes',
    access: ['webhooks:read'],
    params: Closed(accountPath),
    responses: { 200: EventTypeList },
    handler: (t) => listEventTypes(t),
  }),
  operation({
    id: 'listEvents',
    method: 'GET',
    path: `${account}/events`,
    summary: 'List events',
    description:
      'Newest first. `type` takes an exact name or `prefix.*`. With `sort=sequence` and `afterSequence` the log is ' +
      'followed from a number on. A page of a rare `type` may have fewer events than `limit`, or none, and `hasMore` ' +
      'all the same: it has looked through a part of the log, and the next goes on from there. Events are kept for 90 days.',
    tag,
    access: ['webhooks:read'],
    params: Closed(accountPath),
    query: EventQuery,
    responses: { 200: EventList },
    handler: (t, { query, pager }) => listEvents(t, query, pager),
  }),
  operation({
    id: 'getEvent',
    method: 'GET',
    path: `${account}/events/{eventSid}`,
    summary: 'Get an event',
    description: 'The event as it was delivered, for as long as history is kept.',
    tag,
    access: ['webhooks:read'],
    params: Closed({ ...accountPath, eventSid: Sid('EV') }),
    responses: { 200: Event },
    handler: (t, { params }) => getEvent(t, params.eventSid),
  }),
  operation({
    id: 'triggerEvent',
    method: 'POST',
    path: `${account}/events/trigger`,
    summary: 'Emit a sample event in the sandbox',
    description:
      'To try out an endpoint: the sample of the type is emitted as an event and delivered like any ' +
      'other. Only in the sandbox; elsewhere CAPABILITY_UNAVAILABLE.',
    tag,
    access: ['webhooks:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: Trigger,
    responses: { 202: Triggered },
    example: { type: 'message.delivered' },
    handler: (t, { body }) => triggerEvent(t, body),
  }),
];
