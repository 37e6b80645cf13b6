import type { Module } from '../../platform/module.ts';
import { operationBelongings } from './belongings/stores.ts';
import { endAwaiting, guardOperations, sweepOperations } from './crons.ts';
import { operationEvents } from './events.ts';
import { operationNotifications } from './notifications.ts';
import { operations } from './routes.ts';

export { askAnew, resumeOperation, setCancelable } from './awaiting.ts';
export { defineOperationType } from './operation-types.ts';
export {
  accepted,
  blankInputs,
  cancelOperation,
  endedInputs,
  getOperation,
  listOperations,
  operationsOf,
  operationsUnderWay,
  retryOperation,
  startOperation,
  type UnderWay,
  unfinishedAmong,
  wakeOperation,
} from './operations.ts';
export { Operation, type OperationChild, operationStates } from './schema.ts';
export type {
  Awaiting,
  ChildResult,
  Chunk,
  ChunkDone,
  Failure,
  Item,
  ItemOutcome,
  OperationContext,
  OperationType,
  RunningOperation,
  StepOutcome,
  Tally,
} from './work.ts';
export { later } from './work.ts';

export const operationsModule: Module = {
  name: 'operations',
  tables: ['operations', 'operation_children'],
  tags: {
    Operations: 'Work that takes longer than a request: its progress, its results and its retries.',
  },
  operations,
  events: Object.values(operationEvents),
  notifications: operationNotifications,
  jobs: [],
  crons: [guardOperations, endAwaiting, sweepOperations],
  belongings: operationBelongings,
};
