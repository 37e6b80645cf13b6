// What of a sender's messages waits, and their leaving again once they were kept in line.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { mostCounted } from './lane-states.ts';
import { wakeLanes } from './lanes.ts';

/** How many messages of a sender wait for their turn; where so many wait or more, as many as are counted. */
export async function countWaiting(t: TenantTx, senderSid: string): Promise<number> {
  const { waiting } = await t.one<{ waiting: number }>(sql`
    select count(*)::integer as waiting from (
      select from message_states
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sender_sid = ${senderSid} and waiting
       limit ${mostCounted}) as one`);
  return waiting;
}

export const wakeSender = (t: TenantTx, senderSid: string): Promise<void> =>
  wakeLanes(t, new Map([[senderSid, t.now]]));
