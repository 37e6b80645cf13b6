import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { Judged } from '../../platform/http/input/batch-body.ts';
import { accountPath, Closed, ListOf, Sid, sample } from '../../platform/http/input/schema.ts';
import { created, type Operation, operation } from '../../platform/http/operations/operation.ts';
import { admitEach, admitMessages } from './admission/admit-messages.ts';
import { preflightMessages, refusalOf } from './admission/preflight-message.ts';
import { batchSample, preflightSample, timelineSample } from './answer-samples.ts';
import { cancelMessage } from './cancel-message.ts';
import { listMessages } from './list-messages.ts';
import { getMessageInReach } from './messages.ts';
import { messageSample } from './samples.ts';
import {
  Message,
  MessageBatch,
  MessageQuery,
  NewMessage,
  NewMessages,
  Preflight,
  Timeline,
} from './schema.ts';
import { messageTimeline } from './timeline.ts';

const tag = 'Messages';
const all = '/v1/accounts/{accountSid}/messages';
const one = `${all}/{messageSid}`;
const messagePath = Closed({ ...accountPath, messageSid: Sid('SM') });
const example = {
  to: '+33612345678',
  type: 'template',
  template: {
    name: 'order_update',
    language: 'en',
    components: [
      {
        type: 'body',
        parameters: [
          { type: 'text', parameterName: 'first_name', text: 'Ada' },
          { type: 'text', parameterName: 'order', text: 'A-1001' },
        ],
      },
    ],
  },
};

sample(Message, messageSample);
sample(Preflight, preflightSample);
sample(MessageBatch, batchSample);
sample(Timeline, timelineSample);

export const operations: Operation[] = [
  operation({
    id: 'preflightMessage',
    method: 'POST',
    path: `${all}/preflight`,
    summary: 'Ask whether a message would be accepted, and what it would cost',
    description:
      'Answers 200 whatever the verdict: every gate is reported with the records that decided, the price with its ' +
      'lines, and the error sending would answer with. Nothing is stored. A person who holds messages:send in single ' +
      'inboxes may ask for a reply in a conversation of such an inbox, with a composer claim of theirs.',
    tag,
    access: ['messages:send'],
    whileSuspended: true,
    partScoped: true,
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewMessage,
    responses: { 200: Preflight },
    example,
    together: (t, members) =>
      preflightMessages(
        t,
        members.map(({ input, principal }) => ({ body: input.body, author: principal })),
      ),
  }),
  operation({
    id: 'sendMessage',
    method: 'POST',
    path: all,
    summary: 'Send a message',
    description:
      'Runs the gates of preflight and answers 201 once the message is stored; it is handed to the provider right ' +
      'after. Repeating the request with the same key answers with the same message. A person who holds messages:send ' +
      'in single inboxes may reply in a conversation of such an inbox, with a composer claim of theirs.',
    tag,
    access: ['messages:send'],
    partScoped: true,
    idempotency: 'required',
    madeIsTraced: true,
    params: Closed(accountPath),
    body: NewMessage,
    responses: { 201: Message },
    example,
    // The members of a pool and the claim on a conversation are locked, too.
    needsOwnTransaction: ({ body }) => Boolean(body.senderPoolSid || body.conversationSid),
    async together(t, members) {
      const submissions = members.map(({ input, principal }) => ({ body: input.body, author: principal }));
      const ends = await admitMessages(t, submissions);
      return ends.map((end) =>
        end instanceof ApiError ? end : created(end, `/v1/accounts/${t.accountSid}/messages/${end.sid}`),
      );
    },
  }),
  operation({
    id: 'sendMessages',
    method: 'POST',
    path: `${all}/batch`,
    summary: 'Send up to 1,000 messages',
    description:
      'Each body has its own outcome, in order: the message, or the error it was refused with, also where it does not fit the ' +
      'schema; the paths of its details begin at that body. One key serves the whole batch, which may be 16 MiB large.',
    tag,
    sdk: 'messages.sendBatch',
    access: ['messages:send'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewMessages,
    batch: { list: 'messages', maxBytes: 16 * 1024 * 1024 },
    responses: { 200: MessageBatch },
    example: { messages: [example, { ...example, to: '+33612345679' }] },
    handler: (t, { body }) => sendBatch(t, body.messages as Judged<NewMessage>[]),
  }),
  operation({
    id: 'listMessages',
    method: 'GET',
    path: all,
    summary: 'List messages, sent and received',
    description:
      'The newest first. Filters are combined; a person who may read single inboxes sees the messages of ' +
      'those inboxes only.',
    tag,
    access: ['messages:read'],
    partScoped: true,
    params: Closed(accountPath),
    query: MessageQuery,
    responses: { 200: ListOf(Message) },
    handler: (t, { query, pager }) => listMessages(t, query, pager),
  }),
  operation({
    id: 'getMessage',
    method: 'GET',
    path: one,
    summary: 'Get a message',
    description:
      'Shows the status, the price and, where it failed, the error. A person who may read single inboxes ' +
      'gets messages of those inboxes only.',
    tag,
    access: ['messages:read'],
    partScoped: true,
    params: messagePath,
    responses: { 200: Message },
    handler: (t, { params }) => getMessageInReach(t, params.messageSid),
  }),
  operation({
    id: 'cancelMessage',
    method: 'POST',
    path: `${one}/cancel`,
    summary: 'Cancel a message that was not handed over yet',
    description:
      'Possible while the message waits to be handed to the provider, such as before its `sendAt`; ' +
      'otherwise MESSAGE_NOT_CANCELABLE. What was held for it is given back. Canceling twice is no error.',
    tag,
    access: ['messages:send'],
    whileSuspended: true,
    idempotency: 'required',
    params: messagePath,
    responses: { 200: Message },
    handler: (t, { params }) => cancelMessage(t, params.messageSid),
  }),
  operation({
    id: 'getMessageTimeline',
    method: 'GET',
    path: `${one}/timeline`,
    summary: 'Everything that happened to a message, in order',
    description:
      'Its statuses in the order in which they were stored, its hand-offs to the provider with their codes, the money held, ' +
      'charged and given back for it, and the attempts to deliver its events to webhook endpoints.',
    tag,
    access: ['messages:read'],
    params: messagePath,
    responses: { 200: Timeline },
    handler: (t, { params }) => messageTimeline(t, params.messageSid),
  }),
];

async function sendBatch(t: TenantTx, bodies: Judged<NewMessage>[]) {
  const ends = await admitEach(
    t,
    bodies.map((body) => ({ body, author: t.principal })),
  );
  const refused = ends.filter((end) => end instanceof ApiError).length;
  return {
    object: 'message_batch',
    accepted: ends.length - refused,
    refused,
    results: ends.map((end, index) =>
      end instanceof ApiError
        ? { index, message: null, error: refusalOf(t, end) }
        : { index, message: end, error: null },
    ),
  };
}
