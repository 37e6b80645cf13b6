import { sampleOwner, sampleSid, sampleTime, sampleTimes } from '../../../platform/samples.ts';
import type { Flow } from './schema.ts';

export const flowSample: Flow = {
  object: 'flow',
  sid: sampleSid('FL'),
  ...sampleOwner,
  wabaSid: sampleSid('WB'),
  providerFlowId: '400000000000001',
  name: 'Appointment',
  status: 'PUBLISHED',
  statusChangedAt: sampleTime,
  exchangesData: false,
  deletedAt: null,
  ...sampleTimes,
};
