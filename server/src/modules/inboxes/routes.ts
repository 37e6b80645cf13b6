import { accountPath, Closed, ListOf, Sid, sample } from '../../platform/http/input/schema.ts';
import { created, operation } from '../../platform/http/operations/operation.ts';
import { changeInbox, createInbox, getInbox, listInboxes } from './inboxes.ts';
import { addMember, listMembers, removeMember } from './members.ts';
import { inboxMemberSample, inboxSample } from './samples.ts';
import { Inbox, InboxChange, InboxMember, InboxQuery, NewInbox } from './schema.ts';

const tag = 'Inboxes';
const all = '/v1/accounts/{accountSid}/inboxes';
const one = `${all}/{inboxSid}`;
const member = `${one}/members/{userSid}`;
const inboxPath = Closed({ ...accountPath, inboxSid: Sid('IB') });
const memberPath = Closed({ ...accountPath, inboxSid: Sid('IB'), userSid: Sid('US') });

sample(Inbox, inboxSample);
sample(InboxMember, inboxMemberSample);

export const operations = [
  operation({
    id: 'listInboxes',
    method: 'GET',
    path: all,
    summary: 'List inboxes',
    description:
      'Whoever holds inboxes:read on the account sees all of them. A person with a role on single inboxes sees those ' +
      'of them they are a member of.',
    tag,
    access: ['inboxes:read'],
    partScoped: true,
    params: Closed(accountPath),
    query: InboxQuery,
    responses: { 200: ListOf(Inbox) },
    handler: (t, { pager }) => listInboxes(t, pager),
  }),
  operation({
    id: 'createInbox',
    method: 'POST',
    path: all,
    summary: 'Create an inbox',
    description:
      'An inbox gathers the conversations of the senders assigned to it for the people who are its ' +
      'members. It begins without either.',
    tag,
    access: ['inboxes:write'],
    idempotency: 'required',
    sharesTransaction: true,
    params: Closed(accountPath),
    body: NewInbox,
    responses: { 201: Inbox },
    example: { name: 'Orders' },
    async handler(t, { body }) {
      const inbox = await createInbox(t, body.name);
      return created(inbox, `/v1/accounts/${t.accountSid}/inboxes/${inbox.sid}`);
    },
  }),
  operation({
    id: 'getInbox',
    method: 'GET',
    path: one,
    summary: 'Get an inbox',
    description: 'Shows its name and how many members it has. Members and senders have lists of their own.',
    tag,
    access: ['inboxes:read'],
    partScoped: true,
    params: inboxPath,
    responses: { 200: Inbox },
    handler: (t, { params }) => getInbox(t, params.inboxSid),
  }),
  operation({
    id: 'updateInbox',
    method: 'PATCH',
    path: one,
    summary: 'Rename an inbox',
    description: 'Changes the name; members, senders and conversations stay as they are.',
    tag,
    access: ['inboxes:write'],
    partScoped: true,
    idempotency: 'required',
    params: inboxPath,
    body: InboxChange,
    responses: { 200: Inbox },
    example: { name: 'Returns' },
    handler: (t, { params, body }) => changeInbox(t, params.inboxSid, body),
  }),
  operation({
    id: 'listInboxMembers',
    method: 'GET',
    path: `${one}/members`,
    summary: 'List the members of an inbox',
    description:
      'The people who see the conversations of the inbox and may answer in them, as far as their roles ' +
      'allow.',
    tag,
    access: ['inboxes:read'],
    partScoped: true,
    params: inboxPath,
    query: InboxQuery,
    responses: { 200: ListOf(InboxMember) },
    handler: (t, { params, pager }) => listMembers(t, params.inboxSid, pager),
  }),
  operation({
    id: 'addInboxMember',
    method: 'PUT',
    path: member,
    summary: 'Make a person a member of an inbox',
    description: 'Membership makes an inbox theirs; what they may do in it, a role bound to it says.',
    tag,
    access: ['inboxes:write'],
    partScoped: true,
    idempotency: 'required',
    params: memberPath,
    responses: { 200: InboxMember },
    handler: (t, { params }) => addMember(t, params.inboxSid, params.userSid),
  }),
  operation({
    id: 'removeInboxMember',
    method: 'DELETE',
    path: member,
    summary: 'Remove a member from an inbox',
    description:
      "The person no longer sees the inbox's conversations, unless a role on the account lets them. " +
      'Removing somebody who is no member changes nothing.',
    tag,
    access: ['inboxes:write'],
    partScoped: true,
    params: memberPath,
    responses: { 204: null },
    handler: (t, { params }) => removeMember(t, params.inboxSid, params.userSid),
  }),
];
