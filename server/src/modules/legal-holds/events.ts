import { declareEvents } from '../../platform/events.ts';
import { sampleSid, sampleTime } from '../../platform/samples.ts';
import { LegalHold, legalHoldSample } from './schema.ts';

export const legalHoldEvents = declareEvents('legal_hold', LegalHold, legalHoldSample, {
  placed: {
    since: '2026-08-21',
    description: 'A legal hold stands: nothing it reaches is removed.',
    sample: { placedBy: 'PLATFORM', approvalSid: sampleSid('AP') },
  },
  released: {
    since: '2026-08-21',
    description: 'A legal hold was released: what it kept may be removed again.',
    sample: {
      state: 'RELEASED',
      releasedAt: sampleTime,
      releasedBy: `user:${sampleSid('US')}`,
      releaseCaseRef: 'Case 2026-118, closed',
    },
  },
});
