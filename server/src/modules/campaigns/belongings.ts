import { cameToBe, mentioning, type Store } from '../../platform/belongings.ts';
import { sql } from '../../platform/db/query.ts';
import { copyOfRecipients } from './copies.ts';

export const campaignBelongings: Store[] = [
  {
    name: 'campaign_recipients',
    copy: copyOfRecipients,
    within: cameToBe(
      (t, { family }) => sql`
        select coalesce(r.decided_at, r.due_at) from campaigns c join campaign_recipients r on r.account_sid = c.account_sid and r.campaign_sid = c.sid
         where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and r.contact_sid = any (${family}::text[])`,
    ),
    kept: 'That a campaign had somebody in it and what became of it, by SID, for its numbers (GDPR Art. 6(1)(f)).',
    // Campaigns are few, and whoever is in one is found by both.
    erase: async (t, { family }) => ({
      rows: await t.run(sql`
        update campaign_recipients r set timezone = null, message = null, evidence = null
          from campaigns c
         where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and r.account_sid = c.account_sid
           and r.campaign_sid = c.sid and r.contact_sid = any (${family}::text[])
           and (r.timezone is not null or r.message is not null or r.evidence is not null)`),
      next: null,
    }),
  },
  {
    name: 'campaigns',
    mentions: mentioning(
      'campaign',
      (t) => sql`
        select sid, concat_ws(' ', name, reason, definition) from campaigns
         where account_sid = ${t.accountSid} and livemode = ${t.livemode}`,
    ),
  },
];
