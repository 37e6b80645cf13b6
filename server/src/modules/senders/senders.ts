// The phone numbers an account sends from.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors.ts';

export type Sender = {
  sid: string;
  wabaSid: string | null;
  phoneNumber: string;
  displayName: string;
  status: string;
};

/** The sender, or NOT_FOUND; `path` names the field it came from when that is not the path of the request. */
export async function requireSender(t: TenantTx, sid: string, path?: string): Promise<Sender> {
  const sender = await t.maybe<Sender>(sql`
    select sid, waba_sid as "wabaSid", phone_number as "phoneNumber", display_name as "displayName", status
      from senders where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}`);
  if (sender) return sender;
  const issue = 'is no sender of this account and environment';
  throw new ApiError('NOT_FOUND', path === undefined ? {} : { details: [{ path, issue }] });
}
