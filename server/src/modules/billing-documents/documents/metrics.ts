// What operators see of documents: those not drawn yet. Drawing is tried again until it is done, and who asks for a document meanwhile has it
// drawn then; one that stays here for long cannot be drawn.
import { Gauge } from 'prom-client';
import { type Sql, sql } from '../../../platform/db/query.ts';
import type { Observing } from '../../../platform/module.ts';
import { askedOnce } from '../../../platform/observability/metrics.ts';

type Undrawn = { documents: number; seconds: number | null };

/** Of the few that wait, however many there are in all. */
export const undrawnAt = (now: Date): Sql => sql`
  select count(*)::integer as documents,
    extract(epoch from ${now}::timestamptz - min(issued_at))::double precision as seconds
    from billing_documents_undrawn`;

export function observeDocuments({ registry, database, now }: Observing): void {
  const ask = askedOnce(() => database.system((s) => s.one<Undrawn>(undrawnAt(now()))));
  const gauge = (name: string, help: string, value: (undrawn: Undrawn) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const undrawn = await ask();
        if (undrawn) this.set(value(undrawn));
      },
    });
  gauge('godwit_documents_undrawn', 'Documents whose PDF is not drawn yet', (u) => u.documents);
  gauge(
    'godwit_documents_undrawn_oldest_seconds',
    'How long the oldest of them has waited',
    (u) => u.seconds ?? 0,
  );
}
