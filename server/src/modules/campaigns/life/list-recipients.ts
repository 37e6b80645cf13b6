import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { findCampaign } from '../resource/rows.ts';
import type { CampaignRecipient, RecipientQuery } from '../schema.ts';

type Row = Omit<CampaignRecipient, 'object' | 'accountSid' | 'livemode' | 'campaignSid'>;

/** In the order of their positions. Whoever waited when a campaign came to an end early was canceled with it. */
export async function listRecipients(
  t: TenantTx,
  campaignSid: string,
  { outcome, code }: RecipientQuery,
  pager: Pager,
) {
  const { state } = await findCampaign(t, campaignSid);
  const waiting = state === 'CANCELED' || state === 'FAILED' ? 'CANCELED' : 'PENDING';
  // Nobody is both, and what nobody is finds nobody.
  const stored = outcome === waiting ? 'PENDING' : outcome === 'PENDING' ? 'CANCELED' : outcome;
  const after = pager.after?.[0] ?? 0;
  const rows = await t.many<Row>(sql`
    select position, contact_sid as "contactSid", variant, case state when 'PENDING' then ${waiting} else state end as outcome,
      message_sid as "messageSid", code, message, evidence, due_at as "dueAt", decided_at as "decidedAt"
      from campaign_recipients
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and campaign_sid = ${campaignSid} and position > ${after}::integer
       ${stored === undefined ? sql`` : sql`and state = ${stored}`}
       ${code === undefined ? sql`` : sql`and state = 'REFUSED' and code = ${code}`}
     order by position limit ${pager.fetch}`);
  const told = (row: Row): CampaignRecipient => ({
    object: 'campaign_recipient',
    campaignSid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    ...row,
  });
  return pager.page(rows, ({ position }) => [position], told);
}
