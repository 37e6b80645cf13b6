// Looks through the holds of an account in the order of their messages, a stretch at a time.
import type { SystemTx, Tenant } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';

export type StretchOfHolds = {
  /** Messages of the environment for which money is still held. */
  open: string[];
  /** The last message of the stretch, of whichever environment; null when there are no more. */
  until: string | null;
};

/**
 * At most `length` holds, so that the statement takes as long for an account of millions of messages as for one of a few: those of
 * the other environment stand between them in the key, and count.
 */
export async function stretchOfHolds(
  s: SystemTx,
  { accountSid, livemode }: Tenant,
  { after, before, length }: { after: string; before: string; length: number },
): Promise<StretchOfHolds> {
  const rows = await s.many<{ messageSid: string; open: boolean }>(sql`
    select message_sid as "messageSid", state = 'held' and livemode = ${livemode} as open from message_holds
     where account_sid = ${accountSid} and message_sid > ${after} and message_sid < ${before}
     order by message_sid limit ${length}`);
  return {
    open: rows.flatMap(({ messageSid, open }) => (open ? [messageSid] : [])),
    until: rows.at(-1)?.messageSid ?? null,
  };
}
