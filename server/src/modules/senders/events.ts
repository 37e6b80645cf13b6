import { declareEvents } from '../../platform/events.ts';
import { senderSample } from './samples.ts';
import { SenderResource } from './schema.ts';

export const senderEvents = declareEvents('sender', SenderResource, senderSample, {
  connected: { since: '2026-05-04', description: 'A sender can send.' },
  updated: { since: '2026-05-04', description: 'A sender changed.' },
  disconnected: {
    since: '2026-05-04',
    description: 'A sender was disconnected.',
    sample: { status: 'DISCONNECTED', ready: false },
  },
});
