// How the money that was set aside for messages ended.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';

/** Those of the messages whose money was given back, and nothing was taken. */
export async function releasedAmong(t: TenantTx, messageSids: readonly string[]): Promise<Set<string>> {
  const rows = await t.many<{ sid: string }>(sql`
    select message_sid as sid from message_holds
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid = any(${[...messageSids]}::text[])
       and state = 'released'`);
  return new Set(rows.map(({ sid }) => sid));
}

/** A condition on a message: money is still set aside for it. */
export const isUnsettled = (message: Sql): Sql => sql`exists (
  select from message_holds h
   where h.account_sid = ${message}.account_sid and h.message_sid = ${message}.sid and h.state = 'held')`;
