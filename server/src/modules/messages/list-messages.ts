import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import type { PageOf, Pager } from '../../platform/http/operations/pagination.ts';
import { findConversations, saidWithinReach } from '../conversations/index.ts';
import { type MessageRow, messageColumns, messageOf } from './messages.ts';
import type { Message, MessageQuery } from './schema.ts';

/** Newest first. */
export async function listMessages(t: TenantTx, query: MessageQuery, pager: Pager): Promise<PageOf<Message>> {
  const filters = await filtersOf(t, query);
  const before = pager.after?.[0] ?? null;
  const rows = filters
    ? await t.many<MessageRow>(sql`
        select ${messageColumns} from messages m join message_states s using (account_sid, sid)
         where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode}
           ${filters} ${before === null ? sql`` : sql`and m.sid < ${before}`}
         order by m.sid desc limit ${pager.fetch}`)
    : [];
  return pager.page(
    rows,
    ({ sid }) => [sid],
    (row) => messageOf(t, row),
  );
}

/** Null when nothing can match. */
async function filtersOf(t: TenantTx, query: MessageQuery): Promise<Sql | null> {
  const parts: Sql[] = [];
  const reached = saidWithinReach(t, 'messages:read');
  if (reached) parts.push(sql`and ${reached}`);
  if (query.conversationSid !== undefined) {
    // A conversation is all that passed between its two sides, what came before it was opened included.
    const found = (await findConversations(t, [query.conversationSid])).get(query.conversationSid);
    if (!found) return null;
    parts.push(sql`and m.contact_sid = ${found.contactSid} and m.sender_sid = ${found.senderSid}`);
  }
  const add = <T>(value: T | undefined, condition: (value: T) => Sql) => {
    if (value !== undefined) parts.push(condition(value));
  };
  add(query.contactSid, (sid) => sql`and m.contact_sid = ${sid}`);
  add(query.senderSid, (sid) => sql`and m.sender_sid = ${sid}`);
  add(query.status, (status) => sql`and s.status = ${status}`);
  add(query.direction, (direction) => sql`and m.direction = ${direction}`);
  add(query.campaignSid, (sid) => sql`and m.campaign_sid = ${sid}`);
  add(query.tag, (tag) => sql`and m.tags @> array[${tag}]::text[]`);
  add(query.createdAfter, (at) => sql`and m.created_at > ${new Date(at)}`);
  add(query.createdBefore, (at) => sql`and m.created_at < ${new Date(at)}`);
  return sql.join(parts, sql` `);
}

/** A campaign is there once a message of it is. */
export async function isCampaign(t: TenantTx, campaignSid: string): Promise<boolean> {
  const message = await t.maybe(sql`
    select from messages
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and campaign_sid = ${campaignSid} limit 1`);
  return message !== undefined;
}
