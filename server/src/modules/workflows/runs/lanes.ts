// Whose runs a process takes further: one lane for each account and environment, so that what happens to a contact happens in order,
// whichever workflows it comes from.
import type { TenantTx } from '../../../platform/db/database.ts';
import { lanesOf } from '../../../platform/queue/lanes.ts';

export const workflowLanes = lanesOf({ table: 'workflow_lanes', column: 'lane', key: 'lane' });

const laneOf = ({ livemode }: { livemode: boolean }) => (livemode ? 'live' : 'test');

/** Where it is told that runs are due. */
export const dueChannel = 'workflows';

/** Says that runs of the account are due at an instant, in the transaction that wrote them. */
export async function announceRuns(t: TenantTx, at: Date): Promise<void> {
  if (at <= t.now) t.tell(dueChannel);
  await workflowLanes.announce(t, new Map([[laneOf(t), at]]));
}
