import { sampleOwner, sampleSid, sampleTime, sampleTimes, sampleUuid } from '../../platform/samples.ts';
import type { Operation } from './schema.ts';

export const operationSample: Operation = {
  object: 'operation',
  sid: sampleSid('OP'),
  ...sampleOwner,
  type: 'contacts.import',
  state: 'SUCCEEDED',
  progress: { done: 42, failed: 0, total: 42, ratePerSecond: 250, estimatedEndAt: null },
  cancelable: false,
  retryEligible: false,
  awaits: null,
  nextAction: null,
  result: { created: 40, updated: 2 },
  error: null,
  createdBy: `api_key:${sampleUuid}`,
  startedAt: sampleTime,
  finishedAt: sampleTime,
  ...sampleTimes,
};
