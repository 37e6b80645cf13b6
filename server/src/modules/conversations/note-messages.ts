// What messages do to conversations: the first one opens it, each one is counted in its version and brings it to the top,
// and one that a person writes opens a closed one again.
import type { Flush, TenantTx } from '../../platform/db/database.ts';
import { plainArray, sql } from '../../platform/db/query.ts';
import { type EventType, emit } from '../../platform/events.ts';
import { newSid } from '../../platform/ids.ts';
import { survivorsOf } from '../contacts/index.ts';
import { columnsAt } from './conversations.ts';
import { conversationEvents } from './events.ts';
import type { Conversation } from './schema.ts';
import { type Pair, pairKey } from './service-windows.ts';

/** A message that came in. */
export type Heard = Pair & {
  sid: string;
  /** A person wrote it. Notices about them, and changes to what they wrote before, open nothing. */
  written: boolean;
  occurredAt: Date;
};

/** What one pair's messages of a batch amount to. */
type Said = Pair & { messageSids: string[]; lastInboundAt: Date };

/**
 * The conversation of each message, opened where there was none. Whoever writes holds the contacts, so that a merge comes
 * before or after; of two first messages at once the unique index lets one open the conversation, and the other joins it.
 */
export async function joinConversations(
  t: TenantTx,
  heard: readonly Heard[],
): Promise<ReadonlyMap<string, string>> {
  const survivor = await survivorsOf(t, [...new Set(heard.map(({ contactSid }) => contactSid))]);
  const settled = heard.map((one) => ({
    ...one,
    contactSid: survivor.get(one.contactSid) ?? one.contactSid,
  }));
  const joined = await openOrContinue(t, byPair(settled.filter(({ written }) => written)));
  await continueOnly(t, byPair(settled.filter(({ written }) => !written)), joined);
  return new Map(
    settled.flatMap((one) => {
      const conversationSid = joined.get(pairKey(one));
      return conversationSid === undefined ? [] : [[one.sid, conversationSid] as const];
    }),
  );
}

/** In one order for all, so that two batches cannot wait for each other in a circle. */
function byPair(heard: readonly Heard[]): Said[] {
  const pairs = new Map<string, Said>();
  for (const { senderSid, contactSid, sid, occurredAt } of heard) {
    const key = pairKey({ senderSid, contactSid });
    const said = pairs.get(key) ?? { senderSid, contactSid, messageSids: [], lastInboundAt: occurredAt };
    said.messageSids.push(sid);
    if (occurredAt > said.lastInboundAt) said.lastInboundAt = occurredAt;
    pairs.set(key, said);
  }
  return [...pairs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, said]) => said);
}

const columnsOf = (said: Said[]) => ({
  senders: said.map(({ senderSid }) => senderSid),
  contacts: said.map(({ contactSid }) => contactSid),
  counts: said.map(({ messageSids }) => messageSids.length),
  last: said.map(({ messageSids }) => messageSids.at(-1)!),
  inboundAt: said.map(({ lastInboundAt }) => lastInboundAt),
});

async function openOrContinue(t: TenantTx, said: Said[]): Promise<Map<string, string>> {
  if (said.length === 0) return new Map();
  const proposed = said.map(() => newSid('CO', t.now));
  const { senders, contacts, counts, last, inboundAt } = columnsOf(said);
  const rows = await t.many<Conversation>(sql`
    insert into conversations as c (account_sid, livemode, sid, sender_sid, contact_sid, inbox_sid, status, version,
      last_inbound_at, last_message_at, last_message_sid, created_at, updated_at)
    select ${t.accountSid}, ${t.livemode}, item.sid, item.sender_sid, item.contact_sid, route.inbox_sid, 'open',
      item.messages, item.inbound_at, ${t.now}, item.message_sid, ${t.now}, ${t.now}
      from unnest(${proposed}::text[], ${senders}::text[], ${contacts}::text[], ${counts}::bigint[], ${last}::text[],
        ${inboundAt}::timestamptz[])
        with ordinality as item (sid, sender_sid, contact_sid, messages, message_sid, inbound_at, position)
      left join sender_inboxes route
        on route.account_sid = ${t.accountSid} and route.sender_sid = item.sender_sid
     order by item.position
    on conflict (account_sid, livemode, sender_sid, contact_sid) where merged_into is null do update set
      version = c.version + excluded.version,
      last_inbound_at = greatest(c.last_inbound_at, excluded.last_inbound_at),
      last_message_at = greatest(c.last_message_at, excluded.last_message_at),
      last_message_sid = excluded.last_message_sid,
      updated_at = excluded.updated_at
    returning ${columnsAt(t.now)}`);
  const opened = new Set(proposed);
  for (const row of rows) if (opened.has(row.sid)) tell(t, conversationEvents.opened, row);
  await reopen(
    t,
    rows.flatMap(({ sid, status }) => (status === 'closed' ? [sid] : [])),
  );
  return new Map(rows.map((row) => [pairKey(row), row.sid]));
}

/** Those the statement before left closed; it holds their rows, so each is opened again once. */
async function reopen(t: TenantTx, sids: string[]): Promise<void> {
  if (sids.length === 0) return;
  const rows = await t.many<Conversation>(sql`
    update conversations c set status = 'open', closed_at = null
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = any (${sids}::text[])
    returning ${columnsAt(t.now)}`);
  for (const row of rows) tell(t, conversationEvents.reopened, row);
}

/** It happened when the customer wrote. */
function tell(t: TenantTx, type: EventType<Conversation>, row: Conversation): void {
  emit(t, type, row, row.lastInboundAt === null ? t.now : new Date(row.lastInboundAt));
}

/** Counts what opens nothing; where there is no conversation there is none afterwards. */
async function continueOnly(t: TenantTx, said: Said[], joined: Map<string, string>): Promise<void> {
  if (said.length === 0) return;
  const { senders, contacts, counts, last } = columnsOf(said);
  const rows = await t.many<Pair & { sid: string }>(sql`
    update conversations c set version = c.version + item.messages, last_message_sid = item.message_sid,
      last_message_at = greatest(c.last_message_at, ${t.now}), updated_at = ${t.now}
      from unnest(${senders}::text[], ${contacts}::text[], ${counts}::bigint[], ${last}::text[])
        as item (sender_sid, contact_sid, messages, message_sid)
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sender_sid = item.sender_sid
       and c.contact_sid = item.contact_sid and c.merged_into is null
    returning c.sid, c.sender_sid as "senderSid", c.contact_sid as "contactSid"`);
  for (const row of rows) joined.set(pairKey(row), row.sid);
}

type Sent = { conversationSid: string; messageSid: string };

/** Written last, in one statement for the batch, so that the rows are held for as short as can be. */
const sentMessages: Flush<Sent> = {
  name: 'conversations',
  write(shares) {
    const { livemode, now } = shares[0]!.t;
    const said = shares.flatMap(({ t, items }) => saidIn(t.accountSid, items));
    return [
      sql`
        with held as (
          select c.account_sid, c.sid, item.messages, item.message_sid
            from unnest(${plainArray(said.map(({ accountSid }) => accountSid))}::text[],
              ${said.map(({ conversationSid }) => conversationSid)}::text[],
              ${plainArray(said.map(({ messages }) => messages))}::bigint[],
              ${said.map(({ messageSid }) => messageSid)}::text[])
              as item (account_sid, sid, messages, message_sid)
            join conversations c on c.account_sid = item.account_sid and c.sid = item.sid and c.livemode = ${livemode}
           order by c.account_sid, c.sender_sid, c.contact_sid for no key update of c)
        update conversations c set version = c.version + held.messages, last_message_sid = held.message_sid,
          last_message_at = greatest(c.last_message_at, ${now}), updated_at = ${now}
          from held where c.account_sid = held.account_sid and c.sid = held.sid`,
    ];
  },
};

/** What was said in each conversation: how much, and what last. */
function saidIn(accountSid: string, items: readonly Sent[]) {
  const said = new Map<string, { messages: number; messageSid: string }>();
  for (const { conversationSid, messageSid } of items) {
    said.set(conversationSid, { messages: (said.get(conversationSid)?.messages ?? 0) + 1, messageSid });
  }
  return [...said].map(([conversationSid, last]) => ({ accountSid, conversationSid, ...last }));
}

/** Messages of ours: they count and come to the top, and leave a closed conversation closed. */
export function noteSent(t: TenantTx, sent: readonly Sent[]): void {
  for (const one of sent) t.atCommit(sentMessages, one);
}
