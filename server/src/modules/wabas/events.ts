import { declareEvents } from '../../platform/events.ts';
import { sampleTime } from '../../platform/samples.ts';
import { portfolioSample, wabaSample } from './samples.ts';
import { Portfolio, WabaResource } from './schema.ts';

export const wabaEvents = declareEvents('waba', WabaResource, wabaSample, {
  connected: { since: '2026-05-04', description: 'A business messaging account was connected.' },
  updated: { since: '2026-05-04', description: 'A business messaging account changed.' },
  disconnected: {
    since: '2026-05-04',
    description: 'A connection ended.',
    sample: {
      connection: {
        ...wabaSample.connection,
        state: 'DISCONNECTED',
        token: 'UNKNOWN',
        subscription: 'UNKNOWN',
        disconnectedAt: sampleTime,
        disconnectReason: 'The contract ended',
      },
    },
  },
});

export const portfolioEvents = declareEvents('portfolio', Portfolio, portfolioSample, {
  updated: { since: '2026-08-21', description: 'The limits of a portfolio changed.' },
});
