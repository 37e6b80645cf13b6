import { declareEvents, type EventType } from '../../platform/events.ts';
import { sampleSid, sampleTime, sampleUuid } from '../../platform/samples.ts';
import { PrivacyRequest, privacyRequestSample } from './schema.ts';

const since = '2026-08-21';
const erasure = {
  kind: 'ERASURE',
  reason: null,
  operationSid: sampleSid('OP'),
  startsAt: sampleTime,
  restriction: null,
} as const;

export const privacyRequestEvents = declareEvents('privacy_request', PrivacyRequest, privacyRequestSample, {
  created: { since, description: 'A person asked for something about their data.', sample: { reason: null } },
  parked: {
    since,
    description: 'An erasure waits until no legal hold covers the person any more.',
    sample: { ...erasure, state: 'PARKED', parkedBy: [sampleUuid] },
  },
  resumed: {
    since,
    description: 'An erasure goes on: no legal hold covers the person any more.',
    sample: { ...erasure, state: 'IN_PROGRESS' },
  },
  completed: {
    since,
    description: 'A privacy request is done.',
    sample: {
      ...erasure,
      state: 'COMPLETED',
      completedAt: sampleTime,
      counts: { messages: 12 },
      mentions: [],
    },
  },
  withdrawn: {
    since,
    description: 'An erasure was taken back before it began.',
    sample: { ...erasure, state: 'WITHDRAWN', completedAt: sampleTime },
  },
});

export type RequestEvent = EventType<PrivacyRequest>;
