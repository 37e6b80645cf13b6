// The wire body of a message, every type of it.

import { contacts, location, media, messageId } from '../http/common-shapes.ts';
import {
  byWord,
  closed,
  flag,
  fromJson,
  invalid,
  maybe,
  missing,
  numeric,
  type Shape,
  text,
  unexpected,
  type Wire,
  words,
} from '../http/shape.ts';
import { interactive } from './check-interactive.ts';
import { template } from './check-template-message.ts';

const types: Record<string, Shape> = {
  text: closed({ body: text(1, 4096), preview_url: maybe(flag) }),
  template,
  image: media({ caption: maybe(text(0, 1024)) }),
  video: media({ caption: maybe(text(0, 1024)) }),
  audio: media({ voice: maybe(flag) }),
  document: media({ caption: maybe(text(0, 1024)), filename: maybe(text(1, 240)) }),
  sticker: media({}),
  location,
  contacts,
  reaction: closed({ message_id: messageId, emoji: maybe(text(0, 32)) }),
  interactive,
};
export const messageTypes = Object.keys(types);

const common: Record<string, Shape> = {
  messaging_product: words('whatsapp'),
  recipient_type: maybe(words('individual', 'group')),
  to: maybe(text(1, 64)),
  recipient: maybe(text(1, 160)),
  context: maybe(closed({ message_id: messageId })),
  biz_opaque_callback_data: maybe(text(0, 512)),
  recipient_identity_key_hash: maybe(text(1, 128)),
};

function addressed(body: Wire): void {
  if (!Object.hasOwn(body, 'to') && !Object.hasOwn(body, 'recipient')) throw missing('to');
}

const ofType = (type: string): Shape =>
  closed({ ...common, type: maybe(words(type)), [type]: types[type]! }, (body) => {
    addressed(body);
    if (type === 'reaction' && body.context) throw invalid('A reaction cannot have a context.');
  });

const byType = byWord('type', Object.fromEntries(messageTypes.map((type) => [type, ofType(type)])));
const textWithoutType = ofType('text');

const readMark = closed({
  messaging_product: words('whatsapp'),
  status: words('read'),
  message_id: messageId,
  typing_indicator: maybe(closed({ type: words('text') })),
});

const marketing = closed(
  {
    ...common,
    type: words('template'),
    template,
    product_policy: maybe(words('CLOUD_API_FALLBACK', 'STRICT')),
    message_activity_sharing: maybe(flag),
    bid_spec: maybe(closed({ per_message_bid_multiplier: numeric(0, 100) })),
  },
  addressed,
);

/** The envelope of every body is asked for by name, in the provider's words. */
function speaksWhatsApp(body: unknown): asserts body is Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw unexpected('The body must be a JSON object.');
  if (!Object.hasOwn(body, 'messaging_product'))
    throw unexpected('The parameter messaging_product is required.');
}

export function checkMarketingMessage(given: unknown): Wire {
  const body = unfolded(given);
  marketing.judge(body, '');
  return body;
}

const foldable = [...messageTypes, 'context', 'typing_indicator', 'bid_spec'];

/** Objects may come as JSON text, as in a form they must. */
function unfolded(given: unknown): Record<string, unknown> {
  speaksWhatsApp(given);
  const body = { ...given };
  for (const name of foldable) {
    const value = body[name];
    if (typeof value === 'string' && /^\s*[[{]/.test(value)) body[name] = fromJson(value, name);
  }
  return body;
}

export function checkMessage(given: unknown): Wire {
  const body = unfolded(given);
  if (Object.hasOwn(body, 'status')) readMark.judge(body, '');
  else if (Object.hasOwn(body, 'type')) byType.judge(body, '');
  else textWithoutType.judge(body, '');
  return body;
}
