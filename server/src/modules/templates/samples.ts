import { sampleOwner, sampleSid, sampleTime, sampleTimes } from '../../platform/samples.ts';
import type { Template } from './schema.ts';

export const templateSample: Template = {
  object: 'template',
  sid: sampleSid('TM'),
  ...sampleOwner,
  wabaSid: sampleSid('WB'),
  providerTemplateId: '300000000000001',
  name: 'order_update',
  language: 'en',
  category: 'UTILITY',
  status: 'APPROVED',
  statusChangedAt: sampleTime,
  quality: 'UNKNOWN',
  parameterFormat: 'POSITIONAL',
  components: [{ type: 'BODY', text: 'Your order {{1}} is on its way.', example: { bodyText: [['1001']] } }],
  messageSendTtlSeconds: null,
  rejectedReason: null,
  pendingChange: null,
  failure: null,
  approvedAt: sampleTime,
  deletedAt: null,
  ...sampleTimes,
};
