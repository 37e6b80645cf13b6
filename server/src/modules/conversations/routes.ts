import { accountPath, Closed, ListOf, pageQuery, Sid, sample } from '../../platform/http/input/schema.ts';
import { created, operation } from '../../platform/http/operations/operation.ts';
import {
  answering,
  assignConversation,
  closeConversation,
  moveConversation,
  reopenConversation,
  running,
} from './change-conversation.ts';
import { acquireClaim, releaseClaim, renewClaim } from './composer-claims.ts';
import { getConversation, listConversations } from './conversations.ts';
import { conversationSample } from './samples.ts';
import {
  Assignment,
  ComposerClaim,
  Conversation,
  ConversationQuery,
  HeldComposerClaim,
  Move,
  NewComposerClaim,
  Seen,
  SenderInbox,
  ServiceWindow,
} from './schema.ts';
import { giveSender, listInboxSenders, takeSender } from './sender-inboxes.ts';
import { getServiceWindow } from './service-windows.ts';

const tag = 'Conversations';
const all = '/v1/accounts/{accountSid}/conversations';
const one = `${all}/{conversationSid}`;
const claim = `${one}/composer-claim`;
const inboxSenders = '/v1/accounts/{accountSid}/inboxes/{inboxSid}/senders';
const conversationPath = Closed({ ...accountPath, conversationSid: Sid('CO') });
const inboxPath = Closed({ ...accountPath, inboxSid: Sid('IB') });
const inboxSenderPath = Closed({ ...accountPath, inboxSid: Sid('IB'), senderSid: Sid('WA') });
const token = '0b6f2a52-7a0c-4a5e-9d3e-2a6a5d9b8f11';
const seen =
  'Refused with CONVERSATION_VERSION_CONFLICT when the conversation changed after `expectedVersion`.';

const changing = {
  method: 'POST',
  tag,
  partScoped: true,
  idempotency: 'required',
  params: conversationPath,
} as const;

sample(Conversation, conversationSample);

export const operations = [
  operation({
    id: 'listConversations',
    method: 'GET',
    path: all,
    summary: 'List conversations, newest activity first',
    description:
      'Whoever holds inboxes:read on the account sees all of them. A person with a role on single inboxes sees those ' +
      'in the inboxes they are a member of.',
    tag,
    access: ['inboxes:read'],
    partScoped: true,
    params: Closed(accountPath),
    query: ConversationQuery,
    responses: { 200: ListOf(Conversation) },
    handler: (t, { query, pager }) => listConversations(t, query, pager),
  }),
  operation({
    id: 'getConversation',
    method: 'GET',
    path: one,
    summary: 'Get a conversation',
    description:
      'Shows who it is assigned to, whether somebody is writing an answer, and the `version` that every ' +
      'change must name.',
    tag,
    access: ['inboxes:read'],
    partScoped: true,
    params: conversationPath,
    responses: { 200: Conversation },
    handler: (t, { params }) => getConversation(t, params.conversationSid),
  }),
  operation({
    ...changing,
    id: 'assignConversation',
    path: `${one}/assign`,
    summary: 'Give a conversation to somebody who can read it, or to nobody',
    description: seen,
    access: [answering],
    body: Assignment,
    responses: { 200: Conversation },
    example: { expectedVersion: 3, assigneeSid: null },
    handler: (t, { params, body }) => assignConversation(t, params.conversationSid, body),
  }),
  operation({
    ...changing,
    id: 'closeConversation',
    path: `${one}/close`,
    summary: 'Close a conversation',
    description: `It opens again when the customer writes. ${seen}`,
    access: [answering],
    body: Seen,
    responses: { 200: Conversation },
    example: { expectedVersion: 3 },
    handler: (t, { params, body }) => closeConversation(t, params.conversationSid, body),
  }),
  operation({
    ...changing,
    id: 'reopenConversation',
    path: `${one}/reopen`,
    summary: 'Open a closed conversation again',
    description: seen,
    access: [answering],
    body: Seen,
    responses: { 200: Conversation },
    example: { expectedVersion: 3 },
    handler: (t, { params, body }) => reopenConversation(t, params.conversationSid, body),
  }),
  operation({
    ...changing,
    id: 'moveConversation',
    path: `${one}/move`,
    summary: 'Move a conversation into another inbox, or out of its inbox',
    description: `It arrives with nobody assigned. ${seen}`,
    access: [running],
    body: Move,
    responses: { 200: Conversation },
    example: { expectedVersion: 3, inboxSid: null },
    handler: (t, { params, body }) => moveConversation(t, params.conversationSid, body),
  }),
  operation({
    ...changing,
    id: 'acquireComposerClaim',
    path: claim,
    summary: 'Claim a conversation to write an answer',
    description:
      'One holds the claim at a time, for 60 seconds unless it is renewed. The token is told once. Overriding ' +
      "somebody else's claim takes a reason and messages:send on the account, and is audited.",
    access: [answering],
    revealsSecret: true,
    body: NewComposerClaim,
    responses: { 201: ComposerClaim },
    example: {},
    async handler(t, { params: { conversationSid }, body }) {
      const made = await acquireClaim(t, conversationSid, body.composerOverrideReason);
      return created(made, `/v1/accounts/${t.accountSid}/conversations/${conversationSid}/composer-claim`);
    },
  }),
  operation({
    id: 'renewComposerClaim',
    method: 'PUT',
    path: claim,
    summary: 'Keep a claim for another 60 seconds',
    description:
      'Only whoever holds the claim can renew it, with the token it was made with. A claim that ended is ' +
      'made anew instead.',
    tag,
    access: [answering],
    partScoped: true,
    repeatable: 'Renewing twice leaves the claim of the second time.',
    params: conversationPath,
    body: HeldComposerClaim,
    responses: { 200: ComposerClaim },
    example: { composerClaimToken: token },
    handler: (t, { params, body }) => renewClaim(t, params.conversationSid, body.composerClaimToken),
  }),
  operation({
    id: 'releaseComposerClaim',
    method: 'DELETE',
    path: claim,
    summary: 'Give a claim back',
    description:
      'Lets others write at once instead of after the claim has run out. Only whoever holds the claim can ' +
      'give it back.',
    tag,
    access: [answering],
    partScoped: true,
    params: conversationPath,
    body: HeldComposerClaim,
    responses: { 204: null },
    example: { composerClaimToken: token },
    handler: (t, { params, body }) => releaseClaim(t, params.conversationSid, body.composerClaimToken),
  }),
  operation({
    id: 'listInboxSenders',
    method: 'GET',
    path: inboxSenders,
    summary: 'List the senders whose conversations arrive in an inbox',
    description:
      'New conversations with these senders arrive in the inbox. A sender belongs to one inbox at most.',
    tag,
    access: ['inboxes:read'],
    params: inboxPath,
    query: Closed(pageQuery),
    responses: { 200: ListOf(SenderInbox) },
    handler: (t, { params, pager }) => listInboxSenders(t, params.inboxSid, pager),
  }),
  operation({
    id: 'addInboxSender',
    method: 'PUT',
    path: `${inboxSenders}/{senderSid}`,
    summary: 'Let the conversations of a sender arrive in an inbox',
    description:
      'Counts for conversations that open from then on; a sender has one inbox at most. It takes the scope on the ' +
      'account, since it takes customers from whichever inbox had the sender before.',
    tag,
    access: [running],
    idempotency: 'required',
    params: inboxSenderPath,
    responses: { 200: SenderInbox },
    handler: (t, { params }) => giveSender(t, params.inboxSid, params.senderSid),
  }),
  operation({
    id: 'removeInboxSender',
    method: 'DELETE',
    path: `${inboxSenders}/{senderSid}`,
    summary: 'Let the conversations of a sender arrive in no inbox',
    description:
      'New conversations of the sender then belong to no inbox. Those already in this inbox stay there.',
    tag,
    access: [running],
    params: inboxSenderPath,
    responses: { 204: null },
    handler: (t, { params }) => takeSender(t, params.inboxSid, params.senderSid),
  }),
  operation({
    id: 'getServiceWindow',
    method: 'GET',
    path: '/v1/accounts/{accountSid}/senders/{senderSid}/contacts/{contactSid}/window',
    summary: 'Tell whether a sender may write freely to a contact',
    description:
      'The window is open for 24 hours after the last message of the contact to this sender. A merged contact is ' +
      'answered for its survivor, to whom messages follow.',
    tag: 'Conversations',
    access: ['senders:read'],
    params: Closed({ ...accountPath, senderSid: Sid('WA'), contactSid: Sid('CT') }),
    responses: { 200: ServiceWindow },
    handler: (t, { params }) => getServiceWindow(t, params.senderSid, params.contactSid),
  }),
];
