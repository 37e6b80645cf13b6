import { Counter, Gauge, Histogram } from 'prom-client';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import type { Outcome } from './attempt.ts';

/** What `/metrics` tells of deliveries. */
export function deliveryMetrics({ registry }: Metrics) {
  const registers = [registry];
  const attempts = new Counter({
    name: 'godwit_webhook_attempts_total',
    help: 'Attempts to deliver an event, by how they ended',
    labelNames: ['outcome'],
    registers,
  });
  const attemptSeconds = new Histogram({
    name: 'godwit_webhook_attempt_duration_seconds',
    help: 'Time an endpoint took to answer, or to fail',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const waitSeconds = new Histogram({
    name: 'godwit_webhook_wait_seconds',
    help: 'Time from when a delivery was due until its attempt began',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120],
    registers,
  });
  return {
    lanes: new Gauge({
      name: 'godwit_webhook_lanes',
      help: 'Endpoints this process is delivering to',
      registers,
    }),
    underWay: new Gauge({
      name: 'godwit_webhook_attempts_under_way',
      help: 'Attempts waiting for an answer',
      registers,
    }),
    observe({ dueAt }: { dueAt: string }, { failure, durationMs, attemptedAt }: Outcome) {
      attempts.inc({ outcome: failure ?? 'delivered' });
      attemptSeconds.observe(durationMs / 1000);
      waitSeconds.observe(Math.max(0, attemptedAt.getTime() - Date.parse(dueAt)) / 1000);
    },
  };
}
