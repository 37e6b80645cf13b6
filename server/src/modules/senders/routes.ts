import { accountPath, Closed, ListOf, Sid } from '../../platform/http/input/schema.ts';
import { created, operation } from '../../platform/http/operations/operation.ts';
import type { Sandbox } from '../wabas/index.ts';
import { connectSimulatedSender, getProfile, refreshSender, updateProfile } from './connect-sender.ts';
import { getSender, listSenders, listStatusHistory } from './resource.ts';
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

export const operations = (sandbox: Sandbox) => [
  operation({
    id: 'listSenders',
    method: 'GET',
    path: all,
    summary: 'List senders',
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
