// A conversation is what one sender and one contact say to each other. There is one for each pair, from the first message
// the contact writes.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { type Pair, pairKey } from './service-windows.ts';

export type ConversationFacts = {
  sid: string;
  senderSid: string;
  contactSid: string;
  inboxSid: string | null;
  status: 'open' | 'closed';
  version: number;
};

const facts = sql`sid, sender_sid as "senderSid", contact_sid as "contactSid", inbox_sid as "inboxSid", status,
  version::integer as version`;

/** Many at once, for whoever judges many messages. */
export async function findConversations(
  t: TenantTx,
  sids: readonly string[],
): Promise<Map<string, ConversationFacts>> {
  if (sids.length === 0) return new Map();
  const rows = await t.many<ConversationFacts>(sql`
    select ${facts} from conversations
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${[...sids]}::text[])`);
  return new Map(rows.map((row) => [row.sid, row]));
}

/** The conversation of each of these pairs, where there is one. */
export async function conversationsOf(
  t: TenantTx,
  pairs: readonly Pair[],
): Promise<(pair: Pair) => ConversationFacts | null> {
  const rows =
    pairs.length === 0
      ? []
      : await t.many<ConversationFacts>(sql`
          select ${facts} from conversations
           where account_sid = ${t.accountSid} and livemode = ${t.livemode}
             and contact_sid = any (${pairs.map(({ contactSid }) => contactSid)}::text[])`);
  const found = new Map(rows.map((row) => [pairKey(row), row]));
  return (pair) => found.get(pairKey(pair)) ?? null;
}
