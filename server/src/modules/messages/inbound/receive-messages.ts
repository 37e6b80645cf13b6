// What people write to a sender: stored exactly once, with the person, the service window and the files it brings.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newSid } from '../../../platform/ids.ts';
import { joinConversations, openWindows } from '../../conversations/index.ts';
import { noteMediaUses, receiveMedia } from '../../media/index.ts';
import { confirmationCode } from '../../opt-in-links/index.ts';
import type { InboundContent, InboundMessage, ReadChange, Routed } from '../../provider/index.ts';
import { type Extras, type MessageRow, useOf } from '../messages.ts';
import { messagesReceived } from '../metrics.ts';
import { announce } from '../states/live-messages.ts';
import { rememberNames, sidsOfProviderIds } from '../states/provider-names.ts';
import { filesIn, type Names, targetsIn, tell, wordsOf } from './inbound-content.ts';
import { type Wish, wishOf } from './keywords.ts';
import { writersOf } from './people.ts';
import { grantWishes } from './wishes.ts';

type Item = Routed<InboundMessage> & { sid: string; senderSid: string };

export async function receiveMessages(t: TenantTx, items: Routed<InboundMessage>[]): Promise<void> {
  const fresh = await unseen(t, items);
  if (fresh.length === 0) return;
  const names = await namesFor(t, fresh);
  const writers = await writersOf(t, fresh);
  await openWindows(
    t,
    fresh.flatMap((item, i) => (isWriting(item) ? [writtenIn(item, writers[i]!.contactSid)] : [])),
  );
  const rows = fresh.map((item, i) => {
    const { contactSid, address } = writers[i]!;
    const { identifierType, value } = address;
    return rowOf(t, item, { contactSid, identifierType, address: value }, names);
  });
  await placeInConversations(t, fresh, rows);
  await store(t, rows);
  await noteMediaUses(
    t,
    fresh.flatMap(({ content }, i) =>
      filesIn(content).map(({ providerMediaId }) => useOf(rows[i]!, names.media.get(providerMediaId)!)),
    ),
  );
  await grantWishes(
    t,
    fresh.flatMap((item, i) => wishedBy(item, rows[i]!.contactSid)),
  );
  for (const row of rows) {
    announce(t, row);
    messagesReceived.inc({ type: row.type });
  }
}

/** Those never seen before. The provider repeats itself for days; whoever stores its name of a message first, has it. */
async function unseen(t: TenantTx, items: Routed<InboundMessage>[]): Promise<Item[]> {
  const distinct = new Map(items.map((item) => [item.providerMessageId, item]));
  const named = [...distinct.values()].map((item) => {
    if (item.senderSid === null) throw new Error('a message that reached no sender');
    return { ...item, senderSid: item.senderSid, sid: newSid('SM', t.now) };
  });
  const known = new Set(
    await rememberNames(t, new Map(named.map(({ providerMessageId, sid }) => [providerMessageId, sid]))),
  );
  return named.filter(({ providerMessageId }) => known.has(providerMessageId));
}

async function namesFor(t: TenantTx, items: Item[]): Promise<Names> {
  const media = new Map<string, string>();
  for (const { content, wabaSid, senderSid } of items) {
    for (const { providerMediaId, mimeType, filename, sha256 } of filesIn(content)) {
      const file = { providerMediaId, wabaSid: wabaSid!, senderSid, mimeType, filename, sha256 };
      media.set(providerMediaId, (await receiveMedia(t, file)).sid);
    }
  }
  const ids = items.flatMap(({ content, replyTo }) => [...targetsIn(content), ...(replyTo ? [replyTo] : [])]);
  const sids = await sidsOfProviderIds(t, ids);
  return { media, message: (id) => sids.get(id) ?? id };
}

/** A person wrote: notices about them, and changes to what they wrote before, open no window. */
const isWriting = ({ content: { type } }: Item) => type !== 'system' && type !== 'edit' && type !== 'revoke';

const writtenIn = ({ senderSid, occurredAt, referral }: Item, contactSid: string) => ({
  senderSid,
  contactSid,
  at: occurredAt,
  referred: referral !== null,
});

type Party = Pick<MessageRow, 'contactSid' | 'identifierType' | 'address'>;

function rowOf(t: TenantTx, item: Item, party: Party, names: Names): MessageRow {
  const at = t.now.toISOString();
  return {
    ...neverSent,
    ...party,
    ...tell(item.content, names),
    sid: item.sid,
    senderSid: item.senderSid,
    extras: extrasOf(item, names),
    providerMessageId: item.providerMessageId,
    sentAt: item.occurredAt.toISOString(),
    createdAt: at,
    updatedAt: at,
  };
}

/** What only messages of ours have. */
const neverSent = {
  direction: 'inbound',
  status: 'received',
  category: null,
  transport: null,
  conversationSid: null,
  contentRemovedAt: null,
  tags: null,
  campaignSid: null,
  workflowRunSid: null,
  priority: 1,
  sendAt: null,
  expiresAt: null,
  deferIfCapped: false,
  statusCallbackSid: null,
  currency: null,
  scale: null,
  estimateMinor: null,
  estimatePricingType: null,
  rateCardVersion: null,
  error: null,
  finalMinor: null,
  pricingType: null,
  deliveredAt: null,
  readAt: null,
  failedAt: null,
  canceledAt: null,
} as const;

function extrasOf({ replyTo, forwarded, referredProduct, referral }: Item, names: Names): Extras {
  const answered = replyTo === null ? null : names.message(replyTo);
  const context = {
    ...(answered !== null && answered !== replyTo && { replyToMessageId: answered }),
    ...(replyTo !== null && { providerMessageId: replyTo }),
    ...(forwarded !== 'no' && { forwarded }),
    ...(referredProduct && { referredProduct }),
    ...(referral && { referral }),
  };
  return Object.keys(context).length > 0 ? { context } : {};
}

function wishedBy({ content, occurredAt, sid }: Item, contactSid: string) {
  const said = wordIn(content);
  return said ? [{ ...said, contactSid, messageSid: sid, occurredAt }] : [];
}

/** A wish by a keyword, or by the code of a form, which is one too once it proves to be the writer's. */
function wordIn(content: InboundContent): { wish: Wish; word: string; code: string | null } | null {
  const word = content.type === 'text' || content.type === 'button' ? wordsOf(content) : null;
  if (word === null) return null;
  const code = confirmationCode(word);
  const wish = code === null ? wishOf(word) : 'start';
  return wish && { wish, word: word.trim(), code };
}

/** Whether somebody asks by this to be left alone: by a word, or by a switch at the provider. */
export function asksToStop({ kind, item }: ReadChange): boolean {
  if (kind === 'userPreferences') return item.value === 'stop';
  return kind === 'inbound' && wordIn(item.content)?.wish === 'stop';
}

async function placeInConversations(t: TenantTx, items: Item[], rows: MessageRow[]): Promise<void> {
  const heard = items.map((item, i) => ({
    sid: item.sid,
    senderSid: item.senderSid,
    contactSid: rows[i]!.contactSid,
    written: isWriting(item),
    occurredAt: item.occurredAt,
  }));
  const places = await joinConversations(t, heard);
  for (const row of rows) row.conversationSid = places.get(row.sid) ?? null;
}

async function store(t: TenantTx, rows: MessageRow[]): Promise<void> {
  const column = <K extends keyof MessageRow>(name: K) => rows.map((row) => row[name]);
  const json = (name: 'content' | 'extras') => rows.map((row) => row[name] && JSON.stringify(row[name]));
  await Promise.all([
    t.run(sql`
      insert into messages (account_sid, livemode, sid, direction, type, sender_sid, contact_sid, conversation_sid,
        identifier_type, address, content, extras, created_by, created_at)
      select ${t.accountSid}, ${t.livemode}, item.sid, 'inbound', item.type, item.sender_sid, item.contact_sid,
        item.conversation_sid, item.identifier_type, item.address, item.content::json, item.extras::json, 'provider',
        ${t.now}
        from unnest(${column('sid')}::text[], ${column('type')}::text[], ${column('senderSid')}::text[],
          ${column('contactSid')}::text[], ${column('conversationSid')}::text[],
          ${column('identifierType')}::text[], ${column('address')}::text[], ${json('content')}::text[],
          ${json('extras')}::text[])
          as item (sid, type, sender_sid, contact_sid, conversation_sid, identifier_type, address, content, extras)`),
    t.run(sql`
      insert into message_states (account_sid, livemode, sid, sender_sid, status, rank, waiting, sent_at, updated_at)
      select ${t.accountSid}, ${t.livemode}, item.sid, item.sender_sid, 'received', 100, false, item.sent_at, ${t.now}
        from unnest(${column('sid')}::text[], ${column('senderSid')}::text[], ${column('sentAt')}::timestamptz[])
          as item (sid, sender_sid, sent_at)`),
  ]);
}
