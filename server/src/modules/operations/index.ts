import type { Module } from '../../platform/module.ts';
import { guardOperations, sweepOperations } from './crons.ts';
import { operations } from './routes.ts';

export {
  type ChildResult,
  type Chunk,
  type ChunkDone,
  defineOperationType,
  type Failure,
  type Item,
  type ItemOutcome,
  type OperationContext,
  type OperationType,
  type RunningOperation,
  type StepOutcome,
  type Tally,
} from './operation-types.ts';
export { accepted, cancelOperation, getOperation, listOperations, startOperation } from './operations.ts';
export { Operation, type OperationChild } from './schema.ts';

export const operationsModule: Module = {
  name: 'operations',
  tables: ['operations', 'operation_children'],
  operations,
  jobs: [],
  crons: [guardOperations, sweepOperations],
};
