import { accountPath, Closed, ListOf, Sid } from '../../platform/http/input/schema.ts';
import { created, operation } from '../../platform/http/operations/operation.ts';
import { NewSenderPool, PageQuery, PoolMemberChange, SenderPool, SenderPoolChange } from './schema.ts';
import {
  createSenderPool,
  deleteSenderPool,
  getSenderPool,
  listSenderPools,
  removePoolMember,
  renameSenderPool,
  setPoolMember,
} from './sender-pools.ts';

const tag = 'Sender pools';
const all = '/v1/accounts/{accountSid}/sender-pools';
const one = `${all}/{senderPoolSid}`;
const poolPath = Closed({ ...accountPath, senderPoolSid: Sid('SP') });
const memberPath = Closed({ ...accountPath, senderPoolSid: Sid('SP'), senderSid: Sid('WA') });

export const poolOperations = [
  operation({
    id: 'listSenderPools',
    method: 'GET',
    path: all,
    summary: 'List sender pools',
    description: 'The newest first, each with its members. Deleted pools are not listed.',
    tag,
    access: ['senders:read'],
    params: Closed(accountPath),
    query: PageQuery,
    responses: { 200: ListOf(SenderPool) },
    handler: (t, { pager }) => listSenderPools(t, pager),
  }),
  operation({
    id: 'createSenderPool',
    method: 'POST',
    path: all,
    summary: 'Let several senders share the work',
    description:
      'A message sent to a pool leaves from one of its members that can send: the lowest `priority` first, and there the one ' +
      'that speaks with the fewest contacts for its `weight`. A contact keeps hearing from the member it was given.',
    tag,
    access: ['wabas:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewSenderPool,
    responses: { 201: SenderPool },
    example: { name: 'Shops' },
    async handler(t, { body }) {
      const pool = await createSenderPool(t, body);
      return created(pool, `/v1/accounts/${t.accountSid}/sender-pools/${pool.sid}`);
    },
  }),
  operation({
    id: 'getSenderPool',
    method: 'GET',
    path: one,
    summary: 'Get a sender pool',
    description:
      'Shows the members with their weights and priorities, and how many contacts are assigned to each.',
    tag,
    access: ['senders:read'],
    params: poolPath,
    responses: { 200: SenderPool },
    handler: (t, { params }) => getSenderPool(t, params.senderPoolSid),
  }),
  operation({
    id: 'updateSenderPool',
    method: 'PATCH',
    path: one,
    summary: 'Rename a sender pool',
    description: 'Changes the name only; members are set and removed one by one.',
    tag,
    access: ['wabas:write'],
    idempotency: 'required',
    params: poolPath,
    body: SenderPoolChange,
    responses: { 200: SenderPool },
    example: { name: 'Shops in Lyon' },
    handler: (t, { params, body }) => renameSenderPool(t, params.senderPoolSid, body.name),
  }),
  operation({
    id: 'deleteSenderPool',
    method: 'DELETE',
    path: one,
    summary: 'Delete a sender pool',
    description: 'Messages that were already given a sender keep it.',
    tag,
    access: ['wabas:write'],
    params: poolPath,
    responses: { 200: SenderPool },
    handler: (t, { params }) => deleteSenderPool(t, params.senderPoolSid),
  }),
  operation({
    id: 'setSenderPoolMember',
    method: 'PUT',
    path: `${one}/members/{senderSid}`,
    summary: 'Add a sender to a pool, or change its share',
    description:
      '`weight` is 1 and `priority` 0 unless given; what is left out of a later call stays as it was.',
    tag,
    access: ['wabas:write'],
    idempotency: 'required',
    params: memberPath,
    body: PoolMemberChange,
    responses: { 200: SenderPool },
    example: { weight: 2, priority: 0 },
    handler: (t, { params, body }) => setPoolMember(t, params.senderPoolSid, params.senderSid, body),
  }),
  operation({
    id: 'removeSenderPoolMember',
    method: 'DELETE',
    path: `${one}/members/{senderSid}`,
    summary: 'Take a sender out of a pool',
    description: 'The contacts it spoke with are given another member when they are next written to.',
    tag,
    access: ['wabas:write'],
    params: memberPath,
    responses: { 200: SenderPool },
    handler: (t, { params }) => removePoolMember(t, params.senderPoolSid, params.senderSid),
  }),
];
