// What operators watch about invoices: whether periods are closed, and what is stuck or unpaid.
import { Gauge, type Registry } from 'prom-client';
import { sql } from '../../platform/db/query.ts';
import type { Observing } from '../../platform/module.ts';
import { askedOnce } from '../../platform/observability/metrics.ts';

type Count = { state: string; invoices: number };

export function tellInvoiceMetrics({ registry, database, now }: Observing): void {
  const counts = askedOnce(() =>
    database.system((s) =>
      s.many<Count>(sql`
        select state, count(*)::integer as invoices from invoices
         where state in ('draft', 'pending_provider', 'open', 'past_due', 'failed') group by state`),
    ),
  );
  gauge(registry, 'godwit_invoices', 'Invoices that are not at an end, by state', ['state'], async (g) => {
    g.reset();
    for (const { state, invoices } of (await counts()) ?? []) g.set({ state }, invoices);
  });
  const late = askedOnce(async () => {
    const [row] = await database.system((s) =>
      s.many<{ seconds: number | null }>(sql`
        select extract(epoch from ${now()}::timestamptz - min(next_ends_at))::double precision as seconds
          from billing_automations where next_ends_at <= ${now()}`),
    );
    return row?.seconds ?? 0;
  });
  const help = 'How long the oldest billing period that is over has waited to be closed';
  gauge(registry, 'godwit_billing_closing_late_seconds', help, [], async (g) => g.set((await late()) ?? 0));
}

function gauge(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[],
  collect: (gauge: Gauge) => Promise<void>,
): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      return collect(this);
    },
  });
}
