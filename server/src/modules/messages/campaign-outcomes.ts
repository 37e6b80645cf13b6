// What became of the messages of a campaign, for whoever counts them.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { optedOutBetween } from '../consent/index.ts';
import { optOuts } from './gates/suppression.ts';

/** How long after a message what somebody writes or wants counts as said to it. */
const answerDays = 7;

/** A report of delivery is proof, whether or not one of sending came. */
const leftAt = sql`coalesce(s.sent_at, s.delivered_at, s.read_at)`;
const answersUntil = sql`${leftAt} + make_interval(days => ${answerDays})`;

/**
 * A row a message: `message_sid`, `status`, whether it was `sent`, `delivered`, `read`, whether its recipient then `replied` to the same
 * sender or `opted_out` within seven days, `code` of its failure, `charged_minor` once it has its price and `held_minor` until then.
 */
export const outcomesOf = (t: TenantTx, campaignSid: string): Sql => sql`
  select m.sid as message_sid, s.status, ${leftAt} is not null as sent,
    s.status in ('delivered', 'read') as delivered, s.status = 'read' as read, s.error ->> 'code' as code,
    s.final_minor as charged_minor,
    case when s.final_minor is null and s.status not in ('failed', 'canceled', 'expired') then m.estimate_minor end as held_minor,
    ${leftAt} is not null and exists (
      select from messages r
       where r.account_sid = m.account_sid and r.livemode = m.livemode and r.contact_sid = m.contact_sid and r.sid > m.sid
         and r.direction = 'inbound' and r.sender_sid = m.sender_sid
         and r.created_at between ${leftAt} and ${answersUntil}) as replied,
    ${leftAt} is not null and ${optedOutBetween([...optOuts], leftAt, answersUntil)} as opted_out
    from messages m join message_states s on s.account_sid = m.account_sid and s.sid = m.sid
   where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.campaign_sid = ${campaignSid}`;
