// What operators see of applications: how many stand where, and what waits for their own people.
import { Gauge } from 'prom-client';
import { sql } from '../../platform/db/query.ts';
import type { Observing } from '../../platform/module.ts';
import { askedOnce, stateGauges } from '../../platform/observability/metrics.ts';
import { applicationStates, hasEnded } from './states.ts';

type Counted = { count: number; seconds: number };

export function observeOnboarding({ registry, database, now }: Observing): void {
  const gauge = stateGauges(registry, () =>
    database.system((s) =>
      s.many<{ state: string; count: number }>(sql`
        select state, count(*)::integer as count from managed_applications
         where livemode and state not in ('COMPLETED', 'REJECTED', 'FAILED', 'WITHDRAWN') group by state`),
    ),
  );
  const unended = applicationStates.filter((one) => !hasEnded(one));
  const applications = 'Live applications that have not ended, by state';
  gauge('godwit_managed_applications', applications, unended, ({ count }) => count);
  const askTasks = askedOnce(() =>
    database.system((s) =>
      s.one<Counted>(sql`
        select count(*)::integer as count,
          coalesce(extract(epoch from ${now()}::timestamptz - min(created_at)), 0)::double precision as seconds
          from managed_tasks where livemode and state = 'OPEN'`),
    ),
  );
  const ofTasks = (name: string, help: string, value: (counted: Counted) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const found = await askTasks();
        if (found) this.set(value(found));
      },
    });
  ofTasks('godwit_managed_tasks_open', 'Live tasks that wait for the staff of the operator', (c) => c.count);
  ofTasks('godwit_managed_tasks_oldest_seconds', 'How long the oldest of them has waited', (c) => c.seconds);
}
