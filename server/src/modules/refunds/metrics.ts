// What operators see of refunds: those of which the payment service has not said what became of them.
import { Gauge } from 'prom-client';
import { sql } from '../../platform/db/query.ts';
import type { Observing } from '../../platform/module.ts';
import { askedOnce } from '../../platform/observability/metrics.ts';
import { undecidedStates } from './states.ts';

type Undecided = { state: string; refunds: number; seconds: number };

export function observeRefunds({ registry, database, now }: Observing): void {
  const ask = askedOnce(() =>
    database.system((s) =>
      s.many<Undecided>(sql`
        select state, count(*)::integer as refunds,
          extract(epoch from ${now()}::timestamptz - min(created_at))::double precision as seconds
          from refunds where state in ('pending', 'submitted', 'unknown') group by state`),
    ),
  );
  const gauge = (name: string, help: string, value: (undecided: Undecided) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['state'],
      registers: [registry],
      async collect() {
        const found = (await ask()) ?? [];
        for (const state of undecidedStates) {
          const undecided = found.find((one) => one.state === state);
          this.set({ state }, undecided ? value(undecided) : 0);
        }
      },
    });
  gauge('godwit_refunds_undecided', 'Refunds that are on their way, by state', (u) => u.refunds);
  gauge(
    'godwit_refunds_undecided_oldest_seconds',
    'How long the oldest of them has been under way',
    (u) => u.seconds,
  );
}
