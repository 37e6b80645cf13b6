// How many runs begin in an account. What would be more waits where it is: in the log of events, from which none is dropped.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { firstSid } from '../../../platform/ids.ts';

const mostPerSecond = 1_000;

/** When the next may begin, asked once some did; undefined for at once. */
export async function nextStartAt(t: TenantTx): Promise<Date | undefined> {
  const since = new Date(t.now.getTime() - 1_000);
  const { starts, first } = await t.one<{ starts: number; first: string | null }>(sql`
    select count(*)::integer as starts, min(started_at) as first from workflow_runs
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid >= ${firstSid('WR', since)}
       and started_at > ${since}`);
  if (first === null || starts < mostPerSecond) return undefined;
  // A batch of events may start many at once, and then takes as long as they would have one after the other.
  return new Date(Date.parse(first) + (starts / mostPerSecond) * 1_000);
}
