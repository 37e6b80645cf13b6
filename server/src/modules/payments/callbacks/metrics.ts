// What operators watch about payments: whether the service is heard, and what waits for a person.
import { Counter, Gauge } from 'prom-client';
import { sql } from '../../../platform/db/query.ts';
import type { Observing } from '../../../platform/module.ts';
import { askedOnce, instruments } from '../../../platform/observability/metrics.ts';

export const callbackMetrics = instruments((registers) => ({
  callbacks: new Counter({
    name: 'godwit_payment_callbacks_total',
    help: 'Webhooks of the payment service, by environment and whether they were stored, repeated or refused for their signature',
    labelNames: ['environment', 'outcome'] as const,
    registers,
  }),
}));

type Waiting = { callbacks: number; attempts: number; seconds: number | null; parked: number };

export function tellPayments({ registry, database, now }: Observing): void {
  const ask = askedOnce(async () => {
    const [found] = await database.ask<Waiting>(sql`
      select (select count(*)::integer from payment_callbacks where state = 'due') as callbacks,
        (select count(*)::integer from payment_attempts where resolved_at is null) as attempts,
        (select extract(epoch from ${now()}::timestamptz - min(created_at))::double precision from payment_attempts
          where resolved_at is null and step <> 'session') as seconds,
        (select count(*)::integer from payment_intents where parked is not null) as parked`);
    return found;
  });
  const gauge = (name: string, help: string, value: (waiting: Waiting) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const waiting = await ask();
        if (waiting) this.set(value(waiting));
      },
    });
  gauge(
    'godwit_payment_callbacks_waiting',
    'Webhooks of the payment service not looked into yet',
    (w) => w.callbacks,
  );
  gauge(
    'godwit_payment_attempts_unresolved',
    'Pages that are open, charges and refunds that are not decided',
    (w) => w.attempts,
  );
  gauge(
    'godwit_payment_attempts_oldest_seconds',
    'How long the oldest charge or refund that is not decided has waited; a page may stay open for a day',
    (w) => w.seconds ?? 0,
  );
  gauge(
    'godwit_payments_parked',
    'Payments of which the service tells what does not fit: a person must look',
    (w) => w.parked,
  );
}
