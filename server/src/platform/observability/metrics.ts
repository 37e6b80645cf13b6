import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { oncePer } from '../once-per.ts';
import { never, observeLag } from './event-loop-lag.ts';

/** Instruments of a feature's own, made once for each process that tells them. */
export function instruments<T>(make: (registers: Registry[]) => T): (metrics: Metrics) => T {
  const madeFor = oncePer((registry: Registry) => make([registry]));
  return ({ registry }) => madeFor(registry);
}

/** Lets a process tell counts that are kept where things happen; several services in one process share them. */
export function tellMetrics(registry: Registry, metrics: readonly Metric[]): void {
  for (const metric of metrics) {
    if (!registry.getSingleMetric((metric as unknown as { name: string }).name))
      registry.registerMetric(metric);
  }
}

/**
 * For gauges that tell the answer to one question: while it is under way, all of them wait for it. When it has none, because the
 * database is away, they keep what they told last; what is wrong with it others tell.
 */
export function askedOnce<T>(question: () => Promise<T>): () => Promise<T | undefined> {
  let asked: Promise<T | undefined> | null = null;
  return () => {
    asked ??= question()
      .catch(() => undefined)
      .finally(() => {
        asked = null;
      });
    return asked;
  };
}

/** Gauges by state that tell the answer to one question, whose rows tell of a state each; a state without a row is at 0. */
export function stateGauges<Row extends { state: string }>(
  registry: Registry,
  question: () => Promise<Row[]>,
): (name: string, help: string, states: readonly string[], value: (row: Row) => number) => void {
  const ask = askedOnce(question);
  return (name, help, states, value) => {
    new Gauge({
      name,
      help,
      labelNames: ['state'],
      registers: [registry],
      async collect() {
        const found = await ask();
        if (!found) return;
        for (const state of states) {
          const row = found.find((one) => one.state === state);
          this.set({ state }, row ? value(row) : 0);
        }
      },
    });
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Everything `/metrics` tells. Names follow the Prometheus conventions, units last. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, ...never });
  observeLag(registry);
  const registers = [registry];
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'godwit_http_request_duration_seconds',
      help: 'Time from the first byte of a request to the end of its answer',
      labelNames: ['operation', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    refusals: new Counter({
      name: 'godwit_http_errors_total',
      help: 'Answers that were errors, by code',
      labelNames: ['code'],
      registers,
    }),
    jobSeconds: new Histogram({
      name: 'godwit_job_duration_seconds',
      help: 'Time a job ran',
      labelNames: ['task', 'outcome'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120],
      registers,
    }),
  };
}
