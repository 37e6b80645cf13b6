// What operators see of workflows: asked of the database when somebody asks here.
import { Gauge } from 'prom-client';
import { sql } from '../../../platform/db/query.ts';
import type { Observing } from '../../../platform/module.ts';
import { askedOnce } from '../../../platform/observability/metrics.ts';
import { type WorkflowStatus, workflowStatuses } from '../resources/states.ts';

type Count = { status: WorkflowStatus; livemode: boolean; workflows: number };

export function observeWorkflows({ registry, database }: Observing): void {
  const ask = askedOnce(() =>
    database.system((s) =>
      s.many<Count>(sql`
        select state as status, livemode, count(*)::integer as workflows from workflows
         where deleted_at is null group by state, livemode`),
    ),
  );
  new Gauge({
    name: 'godwit_workflows',
    help: 'Workflows by whether they are published',
    labelNames: ['status', 'environment'],
    registers: [registry],
    async collect() {
      const counts = (await ask()) ?? [];
      for (const status of workflowStatuses)
        for (const livemode of [true, false]) {
          const found = counts.find((count) => count.status === status && count.livemode === livemode);
          this.set({ status, environment: livemode ? 'live' : 'sandbox' }, found?.workflows ?? 0);
        }
    },
  });
}
