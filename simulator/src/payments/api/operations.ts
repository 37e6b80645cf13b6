// Every call the payment service answers here.
import type { Operation } from '../http/serve.ts';
import { customerOperations } from './customers.ts';
import { intentOperations } from './intents.ts';
import { recordOperations } from './records.ts';
import { refundOperations } from './refunds.ts';
import { sessionOperations } from './sessions.ts';

export const operations: Operation[] = [
  ...customerOperations,
  ...sessionOperations,
  ...intentOperations,
  ...refundOperations,
  ...recordOperations,
];
