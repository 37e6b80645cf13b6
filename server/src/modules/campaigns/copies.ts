// The campaigns a person was in.
import { type Copying, copied } from '../../platform/belongings.ts';
import { sql } from '../../platform/db/query.ts';

type Recipient = Record<'campaignSid' | 'name' | 'state' | 'dueAt', string> &
  Record<'timezone' | 'messageSid' | 'code' | 'message' | 'decidedAt', string | null>;

export const copyOfRecipients: Copying = {
  purpose: 'To send one message to many, and to know what became of each.',
  source: 'What the business knows of the person, when the campaign was launched.',
  async page(t, { family }, page) {
    const rows = await t.many<Recipient & { place: string }>(sql`
      select r.campaign_sid || ' ' || r.contact_sid as place, r.campaign_sid as "campaignSid", c.name, r.state, r.timezone,
        r.message_sid as "messageSid", r.code, r.message, r.due_at as "dueAt", r.decided_at as "decidedAt"
        from campaigns c
        join campaign_recipients r on r.account_sid = c.account_sid and r.campaign_sid = c.sid and r.contact_sid = any (${family}::text[])
       where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode}
         and r.campaign_sid || ' ' || r.contact_sid > ${page.after ?? ''}
       order by 1 limit ${page.limit}`);
    return copied(rows, page);
  },
};
