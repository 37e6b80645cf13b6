import { accountPath, Closed, ListOf, Sid, sample } from '../../platform/http/input/schema.ts';
import { created, operation } from '../../platform/http/operations/operation.ts';
import type { Sandbox } from '../wabas/index.ts';
import { connectSimulatedSender, getProfile, refreshSender, updateProfile } from './connect-sender.ts';
import { getSender, listSenders, listStatusHistory } from './resource.ts';
import { senderSample } from './samples.ts';
import {
  BusinessProfileChange,
  BusinessProfileResource,
  NewSimulatedSender,
  PageQuery,
  SenderQuery,
  SenderResource,
  SenderStatusChange,
} from './schema.ts';

const tag = 'Senders';
const all = '/v1/accounts/{accountSid}/senders';
const one = `${all}/{senderSid}`;
const senderPath = Closed({ ...accountPath, senderSid: Sid('WA') });

sample(SenderResource, senderSample);

export const operations = (sandbox: Sandbox) => [
  operation({
    id: 'listSenders',
    method: 'GET',
    path: all,
    summary: 'List senders',
    description: 'The newest first. Filter by `status` or by the business messaging account they belong to.',
    tag,
    access: ['senders:read'],
    params: Closed(accountPath),
    query: SenderQuery,
    responses: { 200: ListOf(SenderResource) },
    handler: (t, { query, pager }) => listSenders(t, query, pager),
  }),
  operation({
    id: 'createSender',
    method: 'POST',
    path: all,
    summary: 'Connect another number in the sandbox',
    description:
      'The sandbox makes up a number and connects it. `wabaSid` may be left out where one business account is connected. ' +
      'Live numbers come with their business account, so a live key is answered ONBOARDING_NOT_PERMITTED.',
    tag,
    access: ['wabas:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewSimulatedSender,
    responses: { 201: SenderResource },
    example: { displayName: 'Depot Lyon' },
    async handler(t, { body }) {
      const sender = await connectSimulatedSender(t, sandbox, body);
      return created(sender, `/v1/accounts/${t.accountSid}/senders/${sender.sid}`);
    },
  }),
  operation({
    id: 'getSender',
    method: 'GET',
    path: one,
    summary: 'Get a sender',
    description:
      '`ready` says whether a message can leave from it now; `status`, `quality` and `restrictions` say ' +
      'why not. The values are those the provider last told.',
    tag,
    access: ['senders:read'],
    params: senderPath,
    responses: { 200: SenderResource },
    handler: (t, { params }) => getSender(t, params.senderSid),
  }),
  operation({
    id: 'refreshSender',
    method: 'POST',
    path: `${one}/refresh`,
    summary: 'Read a sender again at the provider',
    description:
      'Asks the provider at once instead of waiting for its next notice, stores what it says and answers ' +
      'with it.',
    tag,
    access: ['wabas:write'],
    idempotency: 'required',
    params: senderPath,
    responses: { 200: SenderResource },
    outside: (call, { params }) => refreshSender(call, params.senderSid),
  }),
  operation({
    id: 'listSenderStatusHistory',
    method: 'GET',
    path: `${one}/status-history`,
    summary: 'List what a sender was, newest first',
    description:
      'Every change of status or quality with its reason and when it happened, by which an outage can be ' +
      'explained afterwards.',
    tag,
    access: ['senders:read'],
    params: senderPath,
    query: PageQuery,
    responses: { 200: ListOf(SenderStatusChange) },
    handler: (t, { params, pager }) => listStatusHistory(t, params.senderSid, pager),
  }),
  operation({
    id: 'getSenderProfile',
    method: 'GET',
    path: `${one}/profile`,
    summary: "Read a sender's business profile at the provider",
    description:
      'Asks the provider at once: the profile is the card people see behind the number, and is not kept ' +
      'here.',
    tag,
    access: ['senders:read'],
    params: senderPath,
    responses: { 200: BusinessProfileResource },
    outside: (call, { params }) => getProfile(call, params.senderSid),
  }),
  operation({
    id: 'updateSenderProfile',
    method: 'PUT',
    path: `${one}/profile`,
    summary: "Write a sender's business profile at the provider",
    description: 'What is left out stays as it is. The answer is the whole profile as the provider has it.',
    tag,
    access: ['wabas:write'],
    idempotency: 'required',
    params: senderPath,
    body: BusinessProfileChange,
    responses: { 200: BusinessProfileResource },
    example: { about: 'Pots and plants since 1987', websites: ['https://shop.example'] },
    outside: (call, { params, body }) => updateProfile(call, params.senderSid, body),
  }),
];
