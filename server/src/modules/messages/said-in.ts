import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';

/** Whether messages of these contacts belong to a campaign. */
export const writtenToIn = async (
  t: TenantTx,
  contactSids: readonly string[],
  campaignSid: string,
): Promise<boolean> =>
  (await t.maybe(sql`
    select from messages
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${[...contactSids]}::text[])
       and campaign_sid = ${campaignSid} limit 1`)) !== undefined;
