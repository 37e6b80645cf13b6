import { Gauge } from 'prom-client';
import { sql } from '../../platform/db/query.ts';
import type { Observing } from '../../platform/module.ts';

/** Asked of the database when somebody asks here. */
export function observeRetention({ registry, database, now }: Observing): void {
  new Gauge({
    name: 'godwit_retention_overdue_seconds',
    help: 'For how long the longest waiting account has been due for its daily run of retention',
    registers: [registry],
    async collect() {
      const row = await database
        .system((s) =>
          s.one<{ since: string | null }>(sql`select min(next_run_at) as since from retention_policies`),
        )
        .catch(() => null);
      // When the database does not answer, what was told last stands.
      if (row) this.set(row.since === null ? 0 : Math.max(0, now().getTime() - Date.parse(row.since)) / 1000);
    },
  });
}
