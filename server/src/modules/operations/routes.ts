import { accountPath, Closed, ListOf, Sid, sample } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { listChildren } from './children.ts';
import { cancelOperation, getOperation, getResult, listOperations, retryOperation } from './operations.ts';
import { operationSample } from './samples.ts';
import {
  ChildrenQuery,
  EventStream,
  Operation,
  OperationChild,
  OperationQuery,
  OperationResult,
} from './schema.ts';
import { streamOperation } from './stream-operation.ts';

const tag = 'Operations';
const all = '/v1/accounts/{accountSid}/operations';
const one = `${all}/{operationSid}`;
const operationPath = Closed({ ...accountPath, operationSid: Sid('OP') });

sample(Operation, operationSample);

export const operations = [
  operation({
    id: 'listOperations',
    method: 'GET',
    path: all,
    summary: 'List asynchronous operations',
    description:
      'The newest first unless `sort` says otherwise. Filter by `type` or `state` to find those still at ' +
      'work.',
    tag,
    access: ['operations:read'],
    params: Closed(accountPath),
    query: OperationQuery,
    responses: { 200: ListOf(Operation) },
    handler: (t, { query, pager }) => listOperations(t, query, pager),
  }),
  operation({
    id: 'getOperation',
    method: 'GET',
    path: one,
    summary: 'Get an operation and how far it is',
    description:
      'Shows its state, how many items came to an end and, where it can be told, when it will be done. To ' +
      'follow it without asking again, use its event stream.',
    tag,
    access: ['operations:read'],
    params: operationPath,
    responses: { 200: Operation },
    handler: (t, { params }) => getOperation(t, params.operationSid),
  }),
  operation({
    id: 'cancelOperation',
    method: 'POST',
    path: `${one}/cancel`,
    summary: 'Stop an operation',
    description:
      'What was done stays done; nothing more is written once this has answered. A retry goes on with the rest.',
    tag,
    access: ['operations:write'],
    idempotency: 'accepted',
    params: operationPath,
    responses: { 200: Operation },
    handler: (t, { params }) => cancelOperation(t, params.operationSid),
  }),
  operation({
    id: 'listOperationChildren',
    method: 'GET',
    path: `${one}/children`,
    summary: 'List the results of single items',
    description: 'In the order of the items. Work on very many rows lists only those that failed.',
    tag,
    access: ['operations:read'],
    params: operationPath,
    query: ChildrenQuery,
    responses: { 200: ListOf(OperationChild) },
    handler: (t, { params, pager }) => listChildren(t, params.operationSid, pager),
  }),
  operation({
    id: 'getOperationResult',
    method: 'GET',
    path: `${one}/result`,
    summary: 'Get the result of an operation that has ended',
    description: 'Answers CONFLICT while the operation is not at its end.',
    tag,
    access: ['operations:read'],
    params: operationPath,
    responses: { 200: OperationResult },
    handler: (t, { params }) => getResult(t, params.operationSid),
  }),
  operation({
    id: 'retryOperation',
    method: 'POST',
    path: `${one}/retry`,
    summary: 'Do again what an operation did not get done',
    description:
      'Possible while `retryEligible` is true, otherwise OPERATION_NOT_RETRYABLE. What succeeded is not repeated.',
    tag,
    access: ['operations:write'],
    idempotency: 'accepted',
    params: operationPath,
    responses: { 200: Operation },
    handler: (t, { params }) => retryOperation(t, params.operationSid),
  }),
  operation({
    id: 'streamOperation',
    method: 'GET',
    path: `${one}/events`,
    summary: 'Follow an operation as server-sent events',
    description:
      'An event `operation` carries the operation as it is now, first at once and then after every change; the stream ' +
      'ends with the operation. A client that connects again with the `Last-Event-ID` of the end is answered 204.',
    tag,
    access: ['operations:read'],
    params: operationPath,
    responses: { 200: EventStream, 204: null },
    answerExample: `id: 3\nevent: operation\ndata: ${JSON.stringify(operationSample)}\n\n`,
    stream: (call, { params, header }) => streamOperation(call, params.operationSid, header('last-event-id')),
  }),
];
