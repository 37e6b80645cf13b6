import { Gauge } from 'prom-client';
import { type Sql, sql } from '../../platform/db/query.ts';
import type { Observing } from '../../platform/module.ts';

type Row = { kind: string; state: string; count: number };

/** Asked of the database when somebody asks here. */
export function observePrivacy({ registry, database, now }: Observing): void {
  const registers = [registry];
  const labelNames = ['kind', 'state'];
  // When the database does not answer, what was told last stands.
  const tell = async (gauge: Gauge<string>, which: Sql) => {
    const rows = await database
      .system((s) =>
        s.many<Row>(sql`
          select kind, state, count(*)::integer as count from privacy_requests
           where state not in ('COMPLETED', 'WITHDRAWN', 'LIFTED') and ${which} group by kind, state`),
      )
      .catch(() => null);
    if (rows) gauge.reset();
    for (const { kind, state, count } of rows ?? []) gauge.set({ kind, state }, count);
  };
  new Gauge({
    name: 'godwit_privacy_requests',
    help: 'Privacy requests that are not over',
    labelNames,
    registers,
    collect() {
      return tell(this, sql`true`);
    },
  });
  new Gauge({
    name: 'godwit_privacy_requests_overdue',
    help: 'Privacy requests that were not done within 30 days',
    labelNames,
    registers,
    collect() {
      return tell(this, sql`state <> 'ACTIVE' and due_at < ${now()}`);
    },
  });
}
