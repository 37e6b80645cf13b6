// Messages people wrote to us.
import type { InboundContent, InboundMedia, InboundMessage } from '../../../modules/provider/index.ts';
import { failureOf } from '../errors.ts';
import { type Fields, fieldsOf, idOf, instantOf, listOf, numberOf, parseJson, textOf } from '../reading.ts';
import type { Change } from './change.ts';
import { contactFor } from './people.ts';

export function readInbound(raw: Fields, change: Change): InboundMessage | null {
  const providerMessageId = textOf(raw.id);
  const type = textOf(raw.type);
  if (providerMessageId === null || type === null) return null;
  const waId = textOf(raw.from);
  const contact = contactFor(change.value, { waId, bsuid: textOf(raw.from_user_id) });
  const context = fieldsOf(raw.context);
  const referral = fieldsOf(raw.referral);
  return {
    providerMessageId,
    occurredAt: instantOf(raw.timestamp) ?? change.receivedAt,
    from: {
      waId: waId ?? textOf(contact.wa_id),
      bsuid: textOf(raw.from_user_id) ?? textOf(contact.user_id),
      parentBsuid: textOf(raw.from_parent_user_id) ?? textOf(contact.parent_user_id),
      profileName: textOf(fieldsOf(contact.profile).name),
      username: textOf(fieldsOf(contact.profile).username),
    },
    content: contentOf(type, raw),
    replyTo: textOf(context.id),
    forwarded: forwardedOf(context),
    referredProduct: productOf(context.referred_product),
    referral: Object.keys(referral).length > 0 ? referral : null,
  };
}

function forwardedOf(context: Fields): InboundMessage['forwarded'] {
  if (context.frequently_forwarded === true) return 'often';
  return context.forwarded === true ? 'once' : 'no';
}

function productOf(value: unknown): InboundMessage['referredProduct'] {
  const found = fieldsOf(value);
  const catalogId = idOf(found.catalog_id);
  const productRetailerId = textOf(found.product_retailer_id);
  return catalogId !== null && productRetailerId !== null ? { catalogId, productRetailerId } : null;
}

/** A type whose object is not as promised is as unknown as a type nobody has told us of. */
function contentOf(type: string, raw: Fields): InboundContent {
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  return read?.(raw) ?? { type: 'unknown', name: type, raw };
}

const media =
  (type: 'image' | 'video' | 'audio' | 'document' | 'sticker') =>
  (raw: Fields): InboundContent | null => {
    const found = mediaOf(raw[type]);
    return found && { type, media: found };
  };

const readers: Record<string, (raw: Fields) => InboundContent | null> = {
  text(raw) {
    const body = textOf(fieldsOf(raw.text).body);
    return body === null ? null : { type: 'text', body };
  },
  image: media('image'),
  video: media('video'),
  audio: media('audio'),
  document: media('document'),
  sticker: media('sticker'),
  location(raw) {
    const { latitude, longitude, name, address, url } = fieldsOf(raw.location);
    const at = { latitude: numberOf(latitude), longitude: numberOf(longitude) };
    if (at.latitude === null || at.longitude === null) return null;
    const place = { name: textOf(name), address: textOf(address), url: textOf(url) };
    return { type: 'location', latitude: at.latitude, longitude: at.longitude, ...place };
  },
  contacts: (raw) =>
    Array.isArray(raw.contacts) ? { type: 'contacts', contacts: raw.contacts.map(cardOf) } : null,
  reaction(raw) {
    const { message_id, emoji } = fieldsOf(raw.reaction);
    const target = textOf(message_id);
    return target === null
      ? null
      : { type: 'reaction', targetProviderMessageId: target, emoji: textOf(emoji) };
  },
  button(raw) {
    const { payload, text } = fieldsOf(raw.button);
    return { type: 'button', payload: textOf(payload), text: textOf(text) };
  },
  interactive: (raw) => replyOf(fieldsOf(raw.interactive)),
  order(raw) {
    const { catalog_id, text, product_items } = fieldsOf(raw.order);
    if (!Array.isArray(product_items)) return null;
    return {
      type: 'order',
      catalogId: idOf(catalog_id),
      text: textOf(text),
      items: product_items.map(fieldsOf).map((item) => ({
        productRetailerId: textOf(item.product_retailer_id) ?? '',
        quantity: numberOf(item.quantity),
        itemPrice: idOf(item.item_price) ?? numberOf(item.item_price)?.toString() ?? null,
        currency: textOf(item.currency),
      })),
    };
  },
  system(raw) {
    const { type, body, wa_id, user_id } = fieldsOf(raw.system);
    const kind = textOf(type);
    return kind === null
      ? null
      : { type: 'system', kind, body: textOf(body), waId: textOf(wa_id), bsuid: textOf(user_id) };
  },
  unsupported: (raw) => ({
    type: 'unsupported',
    kind: textOf(fieldsOf(raw.unsupported).type),
    failure: failureOf(listOf(raw.errors)[0], { purpose: 'manage' }),
  }),
  edit(raw) {
    const { original_message_id, message } = fieldsOf(raw.edit);
    const target = textOf(original_message_id);
    const edited = fieldsOf(message);
    const type = textOf(edited.type);
    // An edit of an edit would let a hostile body nest without end; the provider never writes one.
    if (target === null || type === null || type === 'edit') return null;
    return { type: 'edit', targetProviderMessageId: target, content: contentOf(type, edited) };
  },
  revoke(raw) {
    const target = textOf(fieldsOf(raw.revoke).original_message_id);
    return target === null ? null : { type: 'revoke', targetProviderMessageId: target };
  },
};

function mediaOf(value: unknown): InboundMedia | null {
  const found = fieldsOf(value);
  const providerMediaId = idOf(found.id);
  if (providerMediaId === null) return null;
  return {
    providerMediaId,
    mimeType: textOf(found.mime_type),
    sha256: textOf(found.sha256),
    caption: textOf(found.caption),
    filename: textOf(found.filename),
    voice: found.voice === true,
    animated: found.animated === true,
  };
}

function cardOf(value: unknown) {
  const { name, phones, emails } = fieldsOf(value);
  const parts = fieldsOf(name);
  return {
    formattedName: textOf(parts.formatted_name),
    firstName: textOf(parts.first_name),
    lastName: textOf(parts.last_name),
    phones: listOf(phones)
      .map(fieldsOf)
      .map(({ phone, type, wa_id }) => ({
        value: textOf(phone) ?? textOf(wa_id) ?? '',
        name: textOf(type),
        waId: textOf(wa_id),
      })),
    emails: listOf(emails)
      .map(fieldsOf)
      .map(({ email, type }) => ({ value: textOf(email) ?? '', name: textOf(type) })),
  };
}

/** Answers to our interactive messages; a form's answer is JSON inside a text. */
function replyOf({ type, button_reply, list_reply, nfm_reply }: Fields): InboundContent | null {
  if (type === 'nfm_reply') {
    const { name, body, response_json } = fieldsOf(nfm_reply);
    const response = fieldsOf(parseJson(Buffer.from(textOf(response_json) ?? '')));
    const kind = name === 'address_message' ? 'address_reply' : 'flow_reply';
    return { type: kind, body: textOf(body), response };
  }
  const { id, title, description } = fieldsOf(type === 'list_reply' ? list_reply : button_reply);
  const chosen = textOf(id);
  if (chosen === null) return null;
  if (type === 'list_reply')
    return { type, id: chosen, title: textOf(title), description: textOf(description) };
  return type === 'button_reply' ? { type, id: chosen, title: textOf(title) } : null;
}
