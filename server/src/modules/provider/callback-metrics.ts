import { Counter, Histogram } from 'prom-client';
import { instruments } from '../../platform/observability/metrics.ts';

export const callbackMetrics = instruments((registers) => ({
  callbacks: new Counter({
    name: 'godwit_provider_callbacks_total',
    help: 'Callbacks of the provider, by environment and whether they were stored, refused for their signature or failed',
    labelNames: ['environment', 'outcome'] as const,
    registers,
  }),
  changes: new Counter({
    name: 'godwit_provider_changes_total',
    help: 'What callbacks told, by kind and what became of it: applied, repeated, unrouted, unhandled, unknown or failed',
    labelNames: ['kind', 'outcome'] as const,
    registers,
  }),
  lagSeconds: new Histogram({
    name: 'godwit_provider_callback_lag_seconds',
    help: 'Time from the receipt of a callback until what it told was applied, of opt-outs and of all others',
    labelNames: ['lane'] as const,
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600],
    registers,
  }),
}));

export const environmentOf = (livemode: boolean) => (livemode ? 'live' : 'sandbox');
