// What operators see of documents: those not drawn yet. Drawing is tried again until it is done, and who asks for a document meanwhile has it
// drawn then; one that stays here for long cannot be drawn.
import { Gauge } from 'prom-client';
import { sql } from '../../../platform/db/query.ts';
import type { Observing } from '../../../platform/module.ts';
import { askedOnce } from '../../../platform/observability/metrics.ts';

type Undrawn = { documents: number; seconds: number | null };

export function observeDocuments({ registry, database, now }: Observing): void {
  const ask = askedOnce(() =>
    database.system((s) =>
      s.one<Undrawn>(sql`
        select count(*)::integer as documents,
          extract(epoch from ${now()}::timestamptz - min(d.issued_at))::double precision as seconds
          from billing_documents d
         where not exists (select from billing_document_pdfs p
           where p.account_sid = d.account_sid and p.livemode = d.livemode and p.sequence = d.sequence)`),
    ),
  );
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
