import { declareEvents } from '../../platform/events.ts';
import { sampleTime } from '../../platform/samples.ts';
import { operationSample } from './samples.ts';
import { Operation } from './schema.ts';

const waiting = { state: 'WAITING', result: null, finishedAt: null, cancelable: true } as const;

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
  action_required: {
    since: '2026-08-21',
    description:
      'An asynchronous operation waits for somebody to act. Secret parts of the next action are left out.',
    sample: {
      ...waiting,
      type: 'waba.reconnect',
      progress: { done: 0, failed: 0, total: null, ratePerSecond: null, estimatedEndAt: null },
      awaits: 'SIGNUP',
      nextAction: { expiresAt: sampleTime },
    },
  },
  canceled: {
    since: '2026-05-04',
    description: 'An asynchronous operation was canceled.',
    sample: { state: 'CANCELED', result: null },
  },
});
