import { sampleOwner, sampleTime, sampleUuid } from '../../platform/samples.ts';
import type { Authorization } from './schema.ts';

export const authorizationSample: Authorization = {
  object: 'authorization',
  id: sampleUuid,
  ...sampleOwner,
  task: 'TEMPLATE_SUBMISSION',
  resourceRef: 'order_update',
  instruction: 'Please submit our template.',
  instructedBy: { type: 'api_key', ref: sampleUuid },
  createdAt: sampleTime,
};
