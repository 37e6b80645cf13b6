// Who delivers to an endpoint. A worker leases the lane in which something is due, and gives it back when nothing is: one
// process at a time, so that the endpoint's concurrency cap needs no counting across processes. A lane whose process died
// is free once the process is found to be dead, and what it had not recorded is sent again.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { type Lane, lanesOf } from '../../../platform/queue/lanes.ts';

export type LeasedLane = Lane<'endpointSid'>;

export const webhookLanes = lanesOf({
  table: 'webhook_lanes',
  column: 'endpoint_sid',
  key: 'endpointSid',
  open: sql`open`,
});

/** Gives a lane back, due when the next of its deliveries is; tells whether that is now. */
export async function releaseLane(t: TenantTx, lane: LeasedLane): Promise<boolean> {
  const next = sql`(select min(due_at) from webhook_undelivered
    where account_sid = ${t.accountSid} and endpoint_sid = ${lane.endpointSid} and due_at is not null)`;
  const dueAt = await webhookLanes.giveBack(t, lane, next);
  return dueAt !== null && dueAt <= t.now;
}

/** Where it is told that something is due. */
export const dueChannel = 'webhooks';

/** Says that something in these lanes is due at an instant, in the transaction that wrote it. */
export async function announceDue(t: TenantTx, endpointSids: string[], at: Date): Promise<void> {
  if (endpointSids.length > 0 && at <= t.now) t.tell(dueChannel);
  await webhookLanes.announce(t, new Map(endpointSids.map((sid) => [sid, at])));
}
