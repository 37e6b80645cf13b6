import { declareEvents, heardBy } from '../../../platform/events.ts';
import { sampleTime } from '../../../platform/samples.ts';
import { endpointSample, pingSample } from './samples.ts';
import { Endpoint, Ping } from './schema.ts';

export const testEvents = heardBy(
  ['webhooks:read'],
  declareEvents('test', Ping, pingSample, {
    ping: { since: '2026-05-04', description: 'A test, or the challenge that verifies an endpoint.' },
  }),
);

export const endpointEvents = declareEvents('webhook', Endpoint, endpointSample, {
  suspended: {
    since: '2026-05-04',
    description:
      'An endpoint kept failing and gets nothing until it is resumed. What it missed can be redelivered.',
    sample: { status: 'suspended', suspendedAt: sampleTime, failingSince: sampleTime, failures: 100 },
  },
});
