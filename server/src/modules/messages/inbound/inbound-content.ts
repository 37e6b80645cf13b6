// What people send, in the shapes in which messages are told: like what is sent where there is a like.
import type { InboundContactCard, InboundContent, InboundMedia } from '../../provider/index.ts';

/** Our names for what the provider names: media by its id, messages by theirs. */
export type Names = {
  media: ReadonlyMap<string, string>;
  /** A message that is not ours keeps the provider's id. */
  message(providerMessageId: string): string;
};

export type Told = { type: string; content: Record<string, unknown> | null };

export function tell(content: InboundContent, names: Names): Told {
  const { type } = content;
  switch (type) {
    case 'text':
      return { type, content: { body: content.body } };
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return { type, content: mediaOf(content.media, names) };
    case 'location':
      return { type, content: without(content, 'type') };
    case 'contacts':
      return { type, content: { contacts: content.contacts.map(cardOf) } };
    case 'reaction':
      return {
        type,
        content: {
          targetMessageId: names.message(content.targetProviderMessageId),
          emoji: content.emoji ?? '',
        },
      };
    case 'button_reply':
    case 'list_reply':
    case 'flow_reply':
    case 'address_reply':
      return { type: 'interactive', content: { subtype: type, ...without(content, 'type') } };
    case 'edit': {
      const edited = tell(content.content, names);
      return {
        type,
        content: { targetMessageId: names.message(content.targetProviderMessageId), ...edited },
      };
    }
    case 'revoke':
      return { type, content: { targetMessageId: names.message(content.targetProviderMessageId) } };
    case 'unsupported':
      return { type, content: { kind: content.kind, reason: content.failure?.reason ?? null } };
    case 'unknown':
      return { type, content: { name: content.name, raw: content.raw } };
    case 'button':
    case 'order':
    case 'system':
      return { type, content: without(content, 'type') };
  }
}

/** The files a content carries, one inside an edit too. */
export function filesIn(content: InboundContent): InboundMedia[] {
  if (content.type === 'edit') return filesIn(content.content);
  return 'media' in content ? [content.media] : [];
}

/** The messages a content speaks of, by the provider's ids. */
export function targetsIn(content: InboundContent): string[] {
  return 'targetProviderMessageId' in content ? [content.targetProviderMessageId] : [];
}

/** What a message says in words, where it says any. */
export function wordsOf(content: InboundContent): string | null {
  if (content.type === 'text') return content.body;
  if (content.type === 'button') return content.text;
  if (content.type === 'button_reply' || content.type === 'list_reply') return content.title;
  return null;
}

function without<C extends object, K extends keyof C>(content: C, name: K): Record<string, unknown> {
  const { [name]: _, ...rest } = content;
  return rest;
}

function mediaOf({ providerMediaId, caption, filename, voice, animated }: InboundMedia, { media }: Names) {
  return { sid: media.get(providerMediaId)!, caption, filename, voice, animated };
}

function cardOf({ formattedName, firstName, lastName, phones, emails }: InboundContactCard) {
  return {
    formattedName,
    firstName,
    lastName,
    phones: phones.map(({ value, name, waId }) => ({ value, type: name, waId })),
    emails: emails.map(({ value, name }) => ({ value, type: name })),
  };
}
