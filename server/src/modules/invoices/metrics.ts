// What operators watch about invoices: whether periods are closed, and what is stuck or unpaid.
import { Gauge } from 'prom-client';
import type { SystemTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { Observing } from '../../platform/module.ts';
import { askedOnce, stateGauges } from '../../platform/observability/metrics.ts';
import { openSince } from '../billing/index.ts';
import { monthOf } from './automation/calendar.ts';

const unfinished = ['draft', 'pending_provider', 'open', 'past_due', 'failed'] as const;
/** Nobody waits for the customer here: it goes on by itself, or somebody must look. */
const unsubmitted = ['draft', 'pending_provider', 'failed'] as const;

type Count = { state: string; invoices: number; seconds: number };

export function tellInvoiceMetrics({ registry, database, now }: Observing): void {
  const gauge = stateGauges(registry, () =>
    database.system((s) =>
      s.many<Count>(sql`
        select state, count(*)::integer as invoices,
          extract(epoch from ${now()}::timestamptz - min(created_at))::double precision as seconds
          from invoices where state in ('draft', 'pending_provider', 'open', 'past_due', 'failed') group by state`),
    ),
  );
  gauge('godwit_invoices', 'Invoices that are not at an end, by state', unfinished, (one) => one.invoices);
  const waits = 'How long the oldest invoice that is not issued yet has waited, by state';
  gauge('godwit_invoices_unissued_oldest_seconds', waits, unsubmitted, (one) => one.seconds);
  const late = askedOnce(() => database.system((s) => secondsLate(s, now())));
  new Gauge({
    name: 'godwit_billing_closing_late_seconds',
    help: 'How long the oldest billing period that is over has waited to be closed',
    registers: [registry],
    async collect() {
      const seconds = await late();
      if (seconds !== undefined) this.set(seconds);
    },
  });
}

/** Since when the oldest period that is over is not closed: those of automations, and calendar months where there is none. */
async function secondsLate(s: SystemTx, now: Date): Promise<number> {
  const automations = await s.many<{ walletId: string; endsAt: string }>(sql`
    select wallet_id as "walletId", next_ends_at as "endsAt" from billing_automations`);
  const except = automations.map(({ walletId }) => walletId);
  const since = await openSince(s, { before: monthOf(now).start, except });
  const earliest = automations.reduce(
    (end, { endsAt }) => Math.min(end, Date.parse(endsAt)),
    since ? monthOf(since).end.getTime() : now.getTime(),
  );
  return (now.getTime() - earliest) / 1000;
}
