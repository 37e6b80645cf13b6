// Which of our senders speaks: the one named, the pool's choice for this contact, the one the conversation belongs to, or,
// where nothing is named, the one the person is talking with, and else the oldest.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type ConversationFacts, talkingWith } from '../../conversations/index.ts';
import { connectedSenders, loadSenders, type OpenPool, type Sender } from '../../senders/index.ts';
import type { Draft } from '../drafts/read-message.ts';
import { missing, type Unusable } from '../gates/case.ts';
import { chooseFromPools, type PoolPeople } from './choose-from-pools.ts';
import { phoneOf } from './find-recipients.ts';

const nothingNamed = { conversations: new Map<string, ConversationFacts>() };

/** The people drafts name are waited for only where a conversation or a pool decides. */
export async function chooseSenders(
  t: TenantTx,
  drafts: Draft[],
  pools: ReadonlyMap<string, OpenPool>,
  people: PoolPeople,
): Promise<(Sender | Unusable)[]> {
  const replies = drafts.some(({ to }) => 'conversationSid' in to);
  const { conversations } = replies ? await people.naming : nothingNamed;
  const named = drafts.flatMap(({ sender }) => (sender !== 'any' && 'sid' in sender ? [sender.sid] : []));
  const talking = [...conversations.values()].map(({ senderSid }) => senderSid);
  const anyone = drafts.some(({ sender, to }) => sender === 'any' && !('conversationSid' in to));
  const [known, connected, fromPool] = await Promise.all([
    loadSenders(t, [...new Set([...named, ...talking])]),
    anyone ? connectedSenders(t) : [],
    chooseFromPools(t, drafts, pools, people),
  ]);
  const anyOf = await choosingFrom(t, drafts, connected, people);
  return drafts.map((draft) => {
    const { sender, to } = draft;
    if (sender !== 'any' && 'poolSid' in sender) return fromPool(draft);
    if ('conversationSid' in to) return ofConversation(draft, conversations.get(to.conversationSid), known);
    if (sender === 'any') return anyOf(draft);
    return known.get(sender.sid) ?? missing('from', 'sender');
  });
}

/** All connected senders are the pool of those who name none. Nothing is remembered for it but the conversations themselves. */
async function choosingFrom(
  t: TenantTx,
  drafts: Draft[],
  connected: readonly Sender[],
  people: PoolPeople,
): Promise<(draft: Draft) => Sender | Unusable> {
  if (connected.length < 2) return () => connected[0] ?? { code: 'SENDER_NOT_READY' };
  const byPhone = await people.owning;
  const whom = ({ to }: Draft) => {
    if ('contactSid' in to) return to.contactSid;
    const isPhone = 'identifier' in to && to.identifier.identifierType === 'phone_e164';
    return isPhone ? (byPhone(phoneOf(to.identifier.value)) ?? null) : null;
  };
  const unnamed = drafts.filter(({ sender }) => sender === 'any');
  const talking = await talkingWith(t, [...new Set(unnamed.flatMap((draft) => whom(draft) ?? []))]);
  return (draft) => {
    const known = talking.get(whom(draft) ?? '') ?? [];
    const heard = known.flatMap((sid) => connected.find((sender) => sender.sid === sid) ?? []);
    return heard[0] ?? connected[0]!;
  };
}

function ofConversation(
  { sender }: Draft,
  conversation: ConversationFacts | undefined,
  known: ReadonlyMap<string, Sender>,
): Sender | Unusable {
  if (!conversation) return missing('conversationSid', 'conversation');
  if (sender !== 'any' && 'sid' in sender && sender.sid !== conversation.senderSid) {
    const issue = "must be the conversation's sender, or be left out";
    return { code: 'VALIDATION_ERROR', details: [{ path: 'from', issue }] };
  }
  return known.get(conversation.senderSid)!;
}
