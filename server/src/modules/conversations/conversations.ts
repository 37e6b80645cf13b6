// A conversation is what one sender and one contact say to each other. There is one for each pair, from the first message
// the contact writes. People see those of the inboxes they reach; those in no inbox are the account's.
import type { Asked, MergedQueries, TenantTx } from '../../platform/db/database.ts';
import { accountsOf } from '../../platform/db/merge.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { PageOf, Pager } from '../../platform/http/operations/pagination.ts';
import { inboxesWithinReach } from '../inboxes/index.ts';
import type { Conversation, ConversationQuery } from './schema.ts';
import { type Pair, pairKey } from './service-windows.ts';

/** Every column, of rows called `c`. */
export const columnsAt = (
  now: Date,
) => sql`'conversation' as object, c.sid, c.account_sid as "accountSid", c.livemode,
  c.sender_sid as "senderSid", c.contact_sid as "contactSid", c.inbox_sid as "inboxSid", c.status,
  c.assignee_sid as "assigneeSid", c.version::integer as version, c.merged_into as "mergedInto",
  (select k.holder from composer_claims k
    where k.account_sid = c.account_sid and k.conversation_sid = c.sid and k.expires_at > ${now}) as "composerHeldBy",
  (select k.expires_at from composer_claims k
    where k.account_sid = c.account_sid and k.conversation_sid = c.sid and k.expires_at > ${now}) as "composerHeldUntil",
  c.last_inbound_at as "lastInboundAt", c.last_message_at as "lastMessageAt", c.last_message_sid as "lastMessageSid",
  c.closed_at as "closedAt", c.created_at as "createdAt", c.updated_at as "updatedAt"`;

/** Rows `c` in inboxes where the caller holds the scope; on the account it opens all, those in no inbox included. */
function withinReach(t: TenantTx, scope: string): Sql {
  const inboxes = inboxesWithinReach(t, scope);
  return inboxes ? sql`c.inbox_sid in (${inboxes})` : sql`true`;
}

/**
 * A condition on what was said, rows called `m` with a sender and a contact: in conversations within the caller's reach.
 * Null when the caller reaches everything.
 */
export function saidWithinReach(t: TenantTx, scope: string): Sql | null {
  if (!inboxesWithinReach(t, scope)) return null;
  return sql`exists (select from conversations c
    where c.account_sid = m.account_sid and c.livemode = m.livemode and c.sender_sid = m.sender_sid
      and c.contact_sid = m.contact_sid and c.merged_into is null and ${withinReach(t, scope)})`;
}

/** Of these conversations, those within the caller's reach. */
export async function conversationsWithinReach(
  t: TenantTx,
  sids: string[],
  scope: string,
): Promise<string[]> {
  const rows = await t.many<{ sid: string }>(sql`
    select c.sid from conversations c
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = any (${sids}::text[])
       and ${withinReach(t, scope)}`);
  return rows.map(({ sid }) => sid);
}

/** Newest activity first. */
export async function listConversations(
  t: TenantTx,
  query: ConversationQuery,
  pager: Pager,
): Promise<PageOf<Conversation>> {
  const [at, sid] = pager.after ?? [null, null];
  const is = (column: Sql, value: string | undefined) =>
    value === undefined ? sql`` : sql`and ${column} = ${value}`;
  const rows = await t.many<Conversation>(sql`
    select ${columnsAt(t.now)} from conversations c
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.merged_into is null
       and ${withinReach(t, 'inboxes:read')}
       ${is(sql`c.inbox_sid`, query.inboxSid)} ${is(sql`c.status`, query.status)}
       ${is(sql`c.assignee_sid`, query.assigneeSid)} ${is(sql`c.contact_sid`, query.contactSid)}
       ${is(sql`c.sender_sid`, query.senderSid)}
       ${at === null ? sql`` : sql`and (c.last_message_at, c.sid) < (${at}::timestamptz, ${sid})`}
     order by c.last_message_at desc, c.sid desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    (row) => [row.lastMessageAt, row.sid],
    (row) => row,
  );
}

export function getConversation(t: TenantTx, sid: string): Promise<Conversation> {
  return find(t, sid, 'inboxes:read', sql``);
}

/** Locks a conversation within the caller's reach until the transaction ends, for a change to it. */
export function lockConversation(t: TenantTx, sid: string, scope: string): Promise<Conversation> {
  return find(t, sid, scope, sql`for no key update of c`).then(refuseMerged);
}

/** A conversation within the caller's reach that still goes on. */
export function requireConversation(t: TenantTx, sid: string, scope: string): Promise<Conversation> {
  return find(t, sid, scope, sql``).then(refuseMerged);
}

function refuseMerged(found: Conversation): Conversation {
  if (found.mergedInto !== null) throw new ApiError('CONFLICT', wentOn(found.sid, found.mergedInto));
  return found;
}

/** Whoever still speaks of a conversation that became part of another is told where it goes on. */
export const wentOn = (sid: string, mergedInto: string) => ({
  message: `The conversation goes on in ${mergedInto}.`,
  details: [{ path: 'conversationSid', issue: `${sid} was merged into ${mergedInto}` }],
});

async function find(t: TenantTx, sid: string, scope: string, lock: Sql): Promise<Conversation> {
  const found = await t.maybe<Conversation>(sql`
    select ${columnsAt(t.now)} from conversations c
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = ${sid}
       and ${withinReach(t, scope)} ${lock}`);
  if (!found) throw new ApiError('NOT_FOUND');
  return found;
}

export type ConversationFacts = Pick<
  Conversation,
  'sid' | 'senderSid' | 'contactSid' | 'inboxSid' | 'mergedInto'
>;

const facts = sql`sid, sender_sid as "senderSid", contact_sid as "contactSid", inbox_sid as "inboxSid",
  merged_into as "mergedInto"`;

/** Many at once, whoever asks: for those who judge many messages. */
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

const findOfPairs = (q: MergedQueries, asked: readonly Asked<Pair>[]) =>
  q.many<ConversationFacts & { accountSid: string }>(sql`
    select c.account_sid as "accountSid", ${facts}
      from unnest(${accountsOf(asked)}::text[], ${asked.map(({ item }) => item.senderSid)}::text[],
        ${asked.map(({ item }) => item.contactSid)}::text[]) as pair (account_sid, of_sender, of_contact)
     cross join lateral (
       select * from conversations k
        where k.account_sid = pair.account_sid and k.livemode = ${q.livemode} and k.sender_sid = pair.of_sender
          and k.contact_sid = pair.of_contact and k.merged_into is null limit 1) as c`);

/** The conversation of each of these pairs, where there is one. */
export async function conversationsOf(
  t: TenantTx,
  pairs: readonly Pair[],
): Promise<(pair: Pair) => ConversationFacts | null> {
  const rows = await t.merged(findOfPairs, pairs);
  const found = new Map(rows.map((row) => [pairKey(row), row]));
  return (pair) => found.get(pairKey(pair)) ?? null;
}

export type ConversationAsked = { conversationSid: string | null; contactSid: string | null };

/**
 * For each the conversation named, or where it went on; else the contact's latest, where there is one. Whoever asks: for those who act on
 * many people.
 */
export async function currentConversations(
  t: TenantTx,
  asked: readonly ConversationAsked[],
): Promise<(Conversation | null)[]> {
  if (asked.length === 0) return [];
  const [named, latest] = await Promise.all([
    t.many<Conversation & { askedSid: string }>(sql`
      select k.sid as "askedSid", ${columnsAt(t.now)} from conversations k
        join conversations c on c.account_sid = k.account_sid and c.sid = coalesce(k.merged_into, k.sid)
       where k.account_sid = ${t.accountSid} and k.livemode = ${t.livemode}
         and k.sid = any (${asked.flatMap(({ conversationSid }) => conversationSid ?? [])}::text[])`),
    t.many<Conversation>(sql`
      select distinct on (c.contact_sid) ${columnsAt(t.now)} from conversations c
       where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.merged_into is null
         and c.contact_sid = any (${asked.flatMap(({ contactSid }) => contactSid ?? [])}::text[])
       order by c.contact_sid, c.last_message_at desc, c.sid desc`),
  ]);
  const bySid = new Map(named.map(({ askedSid, ...conversation }) => [askedSid, conversation]));
  const byContact = new Map(latest.map((conversation) => [conversation.contactSid, conversation]));
  return asked.map(
    ({ conversationSid, contactSid }) =>
      bySid.get(conversationSid ?? '') ?? byContact.get(contactSid ?? '') ?? null,
  );
}
