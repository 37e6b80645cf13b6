import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  sample,
  Text,
  Word,
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleTimes } from '../../platform/samples.ts';

export const operationStates = ['PENDING', 'RUNNING', 'WAITING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const;
export type OperationState = (typeof operationStates)[number];

const FreeForm = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });
const Failure = NamedObject('OperationFailure', { code: Type.String(), message: Type.String() });

const Progress = NamedObject('OperationProgress', {
  /** Items that came to an end, well or not. */
  done: Type.Integer(),
  failed: Type.Integer(),
  total: Nullable(Type.Integer()),
  ratePerSecond: Nullable(Type.Number()),
  estimatedEndAt: Nullable(DateTime),
});

export const Operation = NamedObject('Operation', {
  object: Word('operation'),
  sid: Sid('OP'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  type: Type.String(),
  state: named('OperationState', Word(...operationStates)),
  progress: Progress,
  cancelable: Type.Boolean(),
  retryEligible: Type.Boolean(),
  /** What it needs of somebody before it goes on, in a word; null while it needs nobody. */
  awaits: Nullable(Type.String()),
  /** What that is: where to go, until when. */
  nextAction: Nullable(FreeForm),
  result: Nullable(FreeForm),
  error: Nullable(Failure),
  createdBy: Type.String(),
  startedAt: Nullable(DateTime),
  finishedAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type Operation = Static<typeof Operation>;

export const OperationChild = NamedObject('OperationChild', {
  object: Word('operation_child'),
  operationSid: Sid('OP'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  position: Type.Integer(),
  ref: Nullable(Type.String()),
  state: Word('PENDING', 'SUCCEEDED', 'FAILED', 'CANCELED'),
  result: Nullable(FreeForm),
  error: Nullable(Failure),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type OperationChild = Static<typeof OperationChild>;

export const OperationResult = NamedObject('OperationResult', {
  object: Word('operation_result'),
  operationSid: Sid('OP'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  type: Type.String(),
  state: Word('SUCCEEDED', 'FAILED', 'CANCELED'),
  result: Nullable(FreeForm),
  error: Nullable(Failure),
  finishedAt: DateTime,
});
export type OperationResult = Static<typeof OperationResult>;

export const OperationQuery = Closed({
  sort: Type.Optional(Word('createdAt', '-createdAt')),
  type: Type.Optional(Text(64)),
  state: Type.Optional(Text(64)),
  ...pageQuery,
});
export type OperationQuery = Static<typeof OperationQuery>;

export const ChildrenQuery = Closed(pageQuery);

export const EventStream = Type.String({ contentMediaType: 'text/event-stream' });

sample(OperationChild, {
  object: 'operation_child',
  operationSid: sampleSid('OP'),
  ...sampleOwner,
  position: 3,
  ref: 'row 4',
  state: 'FAILED',
  result: null,
  error: { code: 'VALIDATION_ERROR', message: 'phone must be a phone number' },
  ...sampleTimes,
});

sample(OperationResult, {
  object: 'operation_result',
  operationSid: sampleSid('OP'),
  ...sampleOwner,
  type: 'contacts.import',
  state: 'SUCCEEDED',
  result: { created: 40, updated: 2 },
  error: null,
  finishedAt: sampleTime,
});
