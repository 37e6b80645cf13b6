import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import { askedOnce, instruments } from '../observability/metrics.ts';
import { type Lag, lags } from './cursors.ts';

/** What the processes that consume tell. */
export const consumerMetrics = instruments((registers) => ({
  failures: new Counter({
    name: 'godwit_event_consumer_failures_total',
    help: 'Batches of events that a consumer could not handle, and will try again',
    labelNames: ['consumer'],
    registers,
  }),
}));

/** How far consumers are behind: asked of the database when somebody asks here. */
export function observeConsumers(
  consumers: readonly string[],
  { registry, database, now }: { registry: Registry; database: Database; now: () => Date },
): void {
  const ask = askedOnce(() => database.ask<Lag>(lags(now())));
  const gauge = (name: string, help: string, value: (lag: Lag) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['consumer'],
      registers: [registry],
      async collect() {
        const found = await ask();
        if (!found) return;
        for (const consumer of consumers) {
          const lag = found.find((one) => one.consumer === consumer);
          this.set({ consumer }, lag ? value(lag) : 0);
        }
      },
    });
  gauge(
    'godwit_event_consumer_lag_events',
    'Events a consumer has not handled yet, over all accounts',
    ({ events }) => events,
  );
  gauge(
    'godwit_event_consumer_lag_seconds',
    'Age of the oldest event a consumer has not handled yet',
    ({ seconds }) => seconds,
  );
  gauge(
    'godwit_event_consumer_accounts_failing',
    'Accounts whose next events a consumer failed to handle, and will try again',
    ({ failing }) => failing,
  );
}
