// What operators watch about media. The counters live here, where things happen; `/metrics` of a process tells them.
import { Counter, Gauge, type Metric, type Registry } from 'prom-client';
import { type Sql, sql } from '../../platform/db/query.ts';
import type { Observing } from '../../platform/module.ts';
import { tellMetrics } from '../../platform/observability/metrics.ts';

const registers: Registry[] = [];

export const scans = new Counter({
  name: 'godwit_media_scans_total',
  help: 'Looks at files, by outcome: ready, kept but not to be sent, refused for its form, malware, or the scanner gone or failing',
  labelNames: ['outcome'],
  registers,
});
export const storedBytes = new Counter({
  name: 'godwit_media_stored_bytes_total',
  help: 'Bytes written to the store; a file an account has already is not written again',
  registers,
});
export const removedBytes = new Counter({
  name: 'godwit_media_removed_bytes_total',
  help: 'Bytes removed from the store',
  registers,
});
export const downloads = new Counter({
  name: 'godwit_media_downloads_total',
  help: 'Answers to those who fetch content: the whole, a part, unchanged since, or a range that is not there',
  labelNames: ['answer'],
  registers,
});

const counters: Metric[] = [scans, storedBytes, removedBytes, downloads];
const unfinished = ['PENDING', 'SCANNING'] as const;

/** What waits for its verdict, and since when, is asked of the database when somebody asks here. */
export function observeMedia({ registry, database, now }: Observing): void {
  tellMetrics(registry, counters);
  // When the database does not answer, what was told last stands; what is wrong with it others tell.
  const ask = <Row>(question: Sql): Promise<Row[] | null> =>
    database.system((s) => s.many<Row>(question)).catch(() => null);
  new Gauge({
    name: 'godwit_media_unscanned',
    help: 'Files that are neither ready nor rejected, by status',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      const rows = await ask<{ status: string; count: number }>(sql`
        select status, count(*)::integer as count from media where status in ('PENDING', 'SCANNING') group by status`);
      const counts = rows && new Map(rows.map(({ status, count }) => [status, count]));
      if (counts) for (const status of unfinished) this.set({ status }, counts.get(status) ?? 0);
    },
  });
  new Gauge({
    name: 'godwit_media_oldest_unscanned_seconds',
    help: 'How long the oldest file that is neither ready nor rejected has been waiting',
    registers: [registry],
    async collect() {
      const rows = await ask<{ since: string | null }>(sql`
        select min(created_at) as since from media where status in ('PENDING', 'SCANNING')`);
      const since = rows?.[0]?.since ?? null;
      if (rows) this.set(since === null ? 0 : Math.max(0, now().getTime() - Date.parse(since)) / 1000);
    },
  });
}
