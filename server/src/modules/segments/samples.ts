import { sampleOwner, sampleSid, sampleTime, sampleTimes } from '../../platform/samples.ts';
import type { Segment } from './schema.ts';

export const segmentSample: Segment = {
  object: 'segment',
  sid: sampleSid('SG'),
  ...sampleOwner,
  name: 'Gold customers',
  kind: 'DYNAMIC',
  contactSids: null,
  filters: { attributes: { plan: 'gold' } },
  filterVersion: 1,
  memberCount: 42,
  materializedAt: sampleTime,
  deletedAt: null,
  ...sampleTimes,
};
