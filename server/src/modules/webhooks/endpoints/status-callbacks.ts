import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors.ts';

export type StatusCallback = { url: string } | { sid: string };

/**
 * The verified endpoint that is to hear of a message's statuses. Store its SID in the message's `statusCallbackSid`: the
 * fan-out sends it every event of that message, whatever it subscribes to.
 */
export async function requireStatusCallback(
  t: TenantTx,
  callback: StatusCallback,
): Promise<{ endpointSid: string }> {
  const named = 'sid' in callback ? sql`sid = ${callback.sid}` : sql`url = ${callback.url}`;
  const found = await t.maybe<{ endpointSid: string }>(sql`
    select sid as "endpointSid" from webhook_endpoints
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and ${named}
       and verified_at is not null and disabled_at is null
     order by sid limit 1`);
  if (!found) throw new ApiError('STATUS_CALLBACK_NOT_VERIFIED');
  return found;
}
