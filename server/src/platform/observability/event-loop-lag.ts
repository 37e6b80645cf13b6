// How late the event loop is, by the names Prometheus clients share. The usual instrument looks a hundred times a second, which alone is
// most of what a process at rest would cost, and counts the time between two looks as lateness. This one looks ten times a second.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

const everyMs = 100;
const prefix = 'nodejs_eventloop_lag_';

/** To be given to the usual instrument, so that it never looks by itself. */
export const never = { eventLoopMonitoringPrecision: 2 ** 30 };

export function observeLag(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: everyMs });
  delays.enable();
  const late = (nanoseconds: number) => Math.max(0, (nanoseconds || 0) / 1e9 - everyMs / 1_000);
  const values: Record<string, [help: string, value: () => number]> = {
    min_seconds: ['The minimum recorded event loop delay.', () => late(delays.count === 0 ? 0 : delays.min)],
    max_seconds: ['The maximum recorded event loop delay.', () => late(delays.max)],
    mean_seconds: ['The mean of the recorded event loop delays.', () => late(delays.mean)],
    stddev_seconds: [
      'The standard deviation of the recorded event loop delays.',
      () => (delays.stddev || 0) / 1e9,
    ],
    p50_seconds: [
      'The 50th percentile of the recorded event loop delays.',
      () => late(delays.percentile(50)),
    ],
    p90_seconds: [
      'The 90th percentile of the recorded event loop delays.',
      () => late(delays.percentile(90)),
    ],
    // The last of them to be told begins anew.
    p99_seconds: [
      'The 99th percentile of the recorded event loop delays.',
      () => {
        const value = late(delays.percentile(99));
        delays.reset();
        return value;
      },
    ],
  };
  for (const [name, [help, value]] of Object.entries(values)) {
    registry.removeSingleMetric(`${prefix}${name}`);
    new Gauge({
      name: `${prefix}${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  }
}
