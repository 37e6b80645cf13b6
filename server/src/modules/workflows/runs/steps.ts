// What runs did, as it is kept.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { TraceEntry } from '../interpreter/state.ts';
import { stepsDone } from './metrics.ts';

export type NewStep = {
  runSid: string;
  /** Its place in the trace of the run. */
  entry: number;
  trace: TraceEntry;
  /** The event that tells of what it did, so that a workflow is not started by itself. */
  eventSid: string | null;
};

export async function appendSteps(t: TenantTx, steps: readonly NewStep[]): Promise<void> {
  if (steps.length === 0) return;
  for (const { trace } of steps) stepsDone.inc({ type: trace.type, outcome: trace.outcome });
  const of = <T>(pick: (one: NewStep) => T) => steps.map(pick);
  await t.run(sql`
    insert into workflow_steps (account_sid, livemode, run_sid, entry, position, trace, event_sid, at)
    select ${t.accountSid}, ${t.livemode}, item.run_sid, item.entry, item.position, item.trace::json, item.event_sid, ${t.now}
      from unnest(${of(({ runSid }) => runSid)}::text[], ${of(({ entry }) => entry)}::integer[],
        ${of(({ trace }) => trace.position)}::integer[], ${of(({ trace }) => JSON.stringify(kept(trace)))}::text[],
        ${of(({ eventSid }) => eventSid)}::text[]) as item (run_sid, entry, position, trace, event_sid)`);
}

/** What an endpoint answered is a variable where the definition keeps it, and stands in the log of deliveries; it may be long. */
function kept(trace: TraceEntry): TraceEntry {
  if (trace.type !== 'http_request' || typeof trace.output !== 'object') return trace;
  const { body: _, ...output } = trace.output as Record<string, unknown>;
  return { ...trace, output };
}
