import { declareEvents } from '../../platform/events.ts';
import { operationSample } from './samples.ts';
import { Operation } from './schema.ts';

export const operationEvents = declareEvents('operation', Operation, operationSample, {
  completed: { since: '2026-05-04', description: 'An asynchronous operation is done.' },
  failed: {
    since: '2026-05-04',
    description: 'An asynchronous operation failed.',
    sample: {
      state: 'FAILED',
      result: null,
      error: { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side.' },
    },
  },
  canceled: {
    since: '2026-05-04',
    description: 'An asynchronous operation was canceled.',
    sample: { state: 'CANCELED', result: null },
  },
});
