import { Gauge } from 'prom-client';
import { sql } from '../../platform/db/query.ts';
import type { Observing } from '../../platform/module.ts';

/** Asked of the database when somebody asks here. */
export function observeHolds({ registry, database }: Observing): void {
  new Gauge({
    name: 'godwit_legal_holds',
    help: 'Legal holds that stand, and those of the platform that wait for a second person',
    labelNames: ['placed_by', 'state'],
    registers: [registry],
    async collect() {
      const rows = await database
        .system((s) =>
          s.many<{ placedBy: string; state: string; count: number }>(sql`
            select placed_by as "placedBy", state, count(*)::integer as count from legal_holds
             where state in ('PENDING', 'STANDING') group by placed_by, state`),
        )
        .catch(() => null);
      // When the database does not answer, what was told last stands.
      if (!rows) return;
      this.reset();
      for (const { placedBy, state, count } of rows) this.set({ placed_by: placedBy, state }, count);
    },
  });
}
