// Which of our senders speaks: the one named, the pool's choice for this contact, the one the conversation belongs to, or
// the only one there is.
import type { TenantTx } from '../../platform/db/database.ts';
import type { ConversationFacts } from '../conversations/index.ts';
import { connectedSenders, loadSenders, previewSenders, type Sender } from '../senders/index.ts';
import { missing, type Unusable } from './gates/case.ts';
import type { Draft } from './read-message.ts';

type Named = { conversations: ReadonlyMap<string, ConversationFacts> };
const nothingNamed: Named = { conversations: new Map() };

/** `naming` is waited for only where a conversation decides. */
export async function chooseSenders(
  t: TenantTx,
  drafts: Draft[],
  naming: Promise<Named>,
): Promise<(Sender | Unusable)[]> {
  const replies = drafts.some(({ to }) => 'conversationSid' in to);
  const { conversations } = replies ? await naming : nothingNamed;
  const named = drafts.flatMap(({ sender }) => (sender !== 'any' && 'sid' in sender ? [sender.sid] : []));
  const talking = [...conversations.values()].map(({ senderSid }) => senderSid);
  const anyone = drafts.some(({ sender, to }) => sender === 'any' && !('conversationSid' in to));
  const contactSidOf = contactsBy(conversations);
  const pools = poolsOf(drafts, contactSidOf);
  const [known, connected, chosen] = await Promise.all([
    loadSenders(t, [...new Set([...named, ...talking])]),
    anyone ? connectedSenders(t) : [],
    previewPools(t, pools),
  ]);
  return drafts.map((draft) => {
    const { sender, to } = draft;
    if ('conversationSid' in to && (sender === 'any' || 'sid' in sender)) {
      return ofConversation(draft, conversations.get(to.conversationSid), known);
    }
    if (sender === 'any') return onlyOne(connected);
    if ('sid' in sender) return known.get(sender.sid) ?? missing('from', 'sender');
    return chosen(sender.poolSid, contactSidOf(draft));
  });
}

function onlyOne(connected: Sender[]): Sender | Unusable {
  if (connected.length === 1) return connected[0]!;
  if (connected.length === 0) return { code: 'SENDER_NOT_READY' };
  const issue = 'is required, since the account has several connected senders';
  return { code: 'VALIDATION_ERROR', details: [{ path: 'from', issue }] };
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

/** The contact a draft names, by itself or by a conversation with it. */
const contactsBy =
  (conversations: Named['conversations']) =>
  ({ to }: Draft): string | null => {
    if ('contactSid' in to) return to.contactSid;
    return 'conversationSid' in to ? (conversations.get(to.conversationSid)?.contactSid ?? null) : null;
  };

function poolsOf(drafts: Draft[], contactSidOf: (draft: Draft) => string | null): Map<string, Set<string>> {
  const pools = new Map<string, Set<string>>();
  for (const draft of drafts) {
    if (draft.sender === 'any' || !('poolSid' in draft.sender)) continue;
    const contacts = pools.get(draft.sender.poolSid) ?? new Set();
    const contactSid = contactSidOf(draft);
    if (contactSid) contacts.add(contactSid);
    pools.set(draft.sender.poolSid, contacts);
  }
  return pools;
}

async function previewPools(t: TenantTx, pools: Map<string, Set<string>>) {
  const previews = new Map(
    await Promise.all(
      [...pools].map(async ([sid, contacts]) => [sid, await previewSenders(t, sid, [...contacts])] as const),
    ),
  );
  return (poolSid: string, contactSid: string | null): Sender | Unusable => {
    const preview = previews.get(poolSid);
    if (!preview) return missing('senderPoolSid', 'sender pool');
    return preview(contactSid) ?? { code: 'SENDER_NOT_READY' };
  };
}
