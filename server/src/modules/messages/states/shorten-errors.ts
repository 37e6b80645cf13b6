import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { ErrorCode } from '../../../platform/errors/errors.ts';
import { type KeptError, messageError } from '../message-error.ts';

/** The provider's own words follow the catalogue's, and may name whom it was for. */
export async function shortenErrors(t: TenantTx, sids: readonly string[]): Promise<number> {
  const rows = await t.many<{ sid: string; error: KeptError }>(sql`
    select s.sid, s.error from message_states s
     where s.account_sid = ${t.accountSid} and s.livemode = ${t.livemode} and s.sid = any (${[...sids]}::text[]) and s.error is not null`);
  const longer = rows.flatMap(({ sid, error }) => {
    const { message } = messageError(error.code as ErrorCode);
    return error.message === message ? [] : [{ sid, error: JSON.stringify({ ...error, message }) }];
  });
  if (longer.length === 0) return 0;
  return t.run(sql`
    update message_states s set error = item.error::json
      from unnest(${longer.map(({ sid }) => sid)}::text[], ${longer.map(({ error }) => error)}::text[]) as item (sid, error)
     where s.account_sid = ${t.accountSid} and s.livemode = ${t.livemode} and s.sid = item.sid`);
}
