import { declareEvents } from '../../../platform/events.ts';
import { sampleTime } from '../../../platform/samples.ts';
import { flowSample } from './samples.ts';
import { Flow } from './schema.ts';

export const flowEvents = declareEvents('flow', Flow, flowSample, {
  registered: { since: '2026-05-04', description: 'A flow was registered.' },
  updated: { since: '2026-05-04', description: 'A flow changed.' },
  forgotten: {
    since: '2026-08-21',
    description: 'A flow is registered no more; it stays at the provider.',
    sample: { deletedAt: sampleTime },
  },
});
