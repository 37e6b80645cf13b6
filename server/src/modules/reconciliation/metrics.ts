// What operators see of differences with the provider: asked of the database when somebody asks here.
import { Gauge } from 'prom-client';
import { sql } from '../../platform/db/query.ts';
import type { Observing } from '../../platform/module.ts';
import { askedOnce } from '../../platform/observability/metrics.ts';
import { type Outcome, outcomes } from './cases/schema.ts';

type Count = { outcome: Outcome; livemode: boolean; cases: number };

export function observeCases({ registry, database }: Observing): void {
  const ask = askedOnce(() =>
    database.system((s) =>
      s.many<Count>(sql`
        select outcome, livemode, count(*)::integer as cases from reconciliation_cases
         where state in ('open', 'investigating') group by outcome, livemode`),
    ),
  );
  new Gauge({
    name: 'godwit_reconciliation_cases_open',
    help: 'Differences with the provider that nobody has settled, by what they are',
    labelNames: ['outcome', 'environment'],
    registers: [registry],
    async collect() {
      const counts = (await ask()) ?? [];
      for (const outcome of outcomes)
        for (const livemode of [true, false]) {
          const found = counts.find((count) => count.outcome === outcome && count.livemode === livemode);
          this.set({ outcome, environment: livemode ? 'live' : 'sandbox' }, found?.cases ?? 0);
        }
    },
  });
}
