// How a process gives the runs of an account back.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { workflowLanes } from '../runs/lanes.ts';
import type { RunLane } from '../runs/run-rows.ts';

/** Gives a lane back, due when the next of its runs is that goes on at all; tells whether that is now. */
export async function releaseLane(t: TenantTx, lane: RunLane): Promise<boolean> {
  const next = sql`(select w.due_at from workflow_wakes w
    join workflows f on f.account_sid = w.account_sid and f.sid = w.workflow_sid
   where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode} and not w.held and f.state = 'PUBLISHED'
   order by w.due_at limit 1)`;
  const dueAt = await workflowLanes.giveBack(t, lane, next);
  return dueAt !== null && dueAt <= t.now;
}
