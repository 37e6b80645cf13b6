// What operators see of differences with the provider: asked of the database when somebody asks here.
import { Gauge } from 'prom-client';
import { sql } from '../../platform/db/query.ts';
import type { Observing } from '../../platform/module.ts';
import { askedOnce } from '../../platform/observability/metrics.ts';
import { type Outcome, outcomes } from './cases/schema.ts';
import { totalsOff } from './partner/totals.ts';

type Count = { outcome: Outcome; livemode: boolean; cases: number };

export function observeCases(observing: Observing): void {
  observePartnerTotals(observing);
  const { registry, database } = observing;
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

function observePartnerTotals({ registry, database, now }: Observing): void {
  const ask = askedOnce(() => database.system((s) => totalsOff(s, now())));
  new Gauge({
    name: 'godwit_partner_totals_off',
    help: "Months of the last three for which the provider's bill of the operator is not what accounts were charged for it",
    labelNames: ['environment'],
    registers: [registry],
    async collect() {
      const off = await ask();
      if (!off) return;
      this.set({ environment: 'live' }, off.live);
      this.set({ environment: 'sandbox' }, off.sandbox);
    },
  });
}
