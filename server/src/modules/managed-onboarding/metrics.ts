// What operators see of applications: how many stand where, and what waits for their own people.
import { Gauge } from 'prom-client';
import { sql } from '../../platform/db/query.ts';
import type { Observing } from '../../platform/module.ts';
import { askedOnce } from '../../platform/observability/metrics.ts';
import { applicationStates, hasEnded } from './states.ts';

type Counted = { name: string; count: number; seconds: number };

export function observeOnboarding({ registry, database, now }: Observing): void {
  const askStates = askedOnce(() =>
    database.system((s) =>
      s.many<Counted>(sql`
        select state as name, count(*)::integer as count, 0::double precision as seconds from managed_applications
         where livemode and state not in ('COMPLETED', 'REJECTED', 'FAILED', 'WITHDRAWN') group by state`),
    ),
  );
  const askTasks = askedOnce(() =>
    database.system((s) =>
      s.many<Counted>(sql`
        select 'open' as name, count(*)::integer as count,
          coalesce(extract(epoch from ${now()}::timestamptz - min(created_at)), 0)::double precision as seconds
          from managed_tasks where livemode and state = 'OPEN'`),
    ),
  );
  new Gauge({
    name: 'godwit_managed_applications',
    help: 'Live applications that have not ended, by state',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const found = (await askStates()) ?? [];
      for (const state of applicationStates.filter((one) => !hasEnded(one)))
        this.set({ state }, found.find(({ name }) => name === state)?.count ?? 0);
    },
  });
  const ofTasks = (name: string, help: string, value: (counted: Counted) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const [found] = (await askTasks()) ?? [];
        this.set(found ? value(found) : 0);
      },
    });
  ofTasks('godwit_managed_tasks_open', 'Live tasks that wait for the staff of the operator', (c) => c.count);
  ofTasks('godwit_managed_tasks_oldest_seconds', 'How long the oldest of them has waited', (c) => c.seconds);
}
