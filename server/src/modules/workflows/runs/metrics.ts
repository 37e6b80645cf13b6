// What operators watch about workflows. The counters live here, where things happen; `/metrics` of a process tells them.
import { Counter, Gauge, type Metric, type Registry } from 'prom-client';
import { sql } from '../../../platform/db/query.ts';
import type { Observing } from '../../../platform/module.ts';
import { askedOnce, tellMetrics } from '../../../platform/observability/metrics.ts';

const registers: Registry[] = [];

export const runsStarted = new Counter({
  name: 'godwit_workflow_runs_started_total',
  help: 'Runs of workflows that began',
  registers,
});
export const runsEnded = new Counter({
  name: 'godwit_workflow_runs_ended_total',
  help: 'Runs of workflows that ended, by their last state',
  labelNames: ['state'],
  registers,
});
export const decisionsMade = new Counter({
  name: 'godwit_workflow_decisions_total',
  help: 'Events looked at for a workflow, by whether they started it or why not',
  labelNames: ['decision'],
  registers,
});
export const stepsDone = new Counter({
  name: 'godwit_workflow_steps_total',
  help: 'What runs noted down, by type of step and what became of it',
  labelNames: ['type', 'outcome'],
  registers,
});
export const runsPutOff = new Counter({
  name: 'godwit_workflow_runs_put_off_total',
  help: 'Runs that could not be taken further because of an error of ours, and are tried again or given up',
  registers,
});

const all: Metric[] = [runsStarted, runsEnded, decisionsMade, stepsDone, runsPutOff];

type Due = { lanes: number; seconds: number };

/** How far the turns are behind is asked of the database when somebody asks here. */
export function observeRuns({ registry, database, now }: Observing): void {
  tellMetrics(registry, all);
  const ask = askedOnce(async () => {
    const [due] = await database.ask<Due>(sql`
      select count(*)::integer as lanes,
        coalesce(greatest(extract(epoch from ${now()}::timestamptz - min(due_at)), 0), 0)::double precision as seconds
        from workflow_lanes where due_at <= ${now()}`);
    return due!;
  });
  const gauge = (name: string, help: string, value: (due: Due) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const due = await ask();
        if (due) this.set(value(due));
      },
    });
  gauge(
    'godwit_workflow_lanes_due',
    'Accounts whose runs are due and wait for a worker',
    ({ lanes }) => lanes,
  );
  gauge(
    'godwit_workflow_lag_seconds',
    'How long the runs that are due longest have waited',
    ({ seconds }) => seconds,
  );
}
