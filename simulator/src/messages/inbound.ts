// What customers do: they write, send files, press buttons, order, change numbers, take messages back.
import { createHash } from 'node:crypto';
import { ControlProblem } from '../control/control-problem.ts';
import { errorItem } from '../errors.ts';
import { normalise, type Person } from '../numbers/people.ts';
import type { Simulation } from '../simulation.ts';
import { type PhoneNumber, sandboxCatalogId, type Waba } from '../world.ts';
import { contextOfReply } from './replies.ts';
import { contactItem } from './statuses.ts';

type Item = Record<string, unknown>;

export type InboundInput = {
  /** The customer's digits. */
  from: string;
  /** The business: a phone number id or the digits of its number. */
  to: string;
  type?: string;
  /** For text, and for the caption of media. */
  text?: string;
  /** The object of the type, in the wire's own form; what is left out is filled in. */
  content?: Item;
  /** The customer's name and username; remembered. */
  name?: string;
  username?: string;
  hidesNumber?: boolean;
  /** The message it answers, forwards or comes from. */
  context?: Item;
  /** From a click-to-WhatsApp ad: opens the free entry point once answered. */
  referral?: Item;
  id?: string;
};

const tinyFiles: Record<string, { mime: string; bytes: Buffer }> = {
  image: {
    mime: 'image/png',
    bytes: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  },
  sticker: {
    mime: 'image/webp',
    bytes: Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64'),
  },
  video: { mime: 'video/mp4', bytes: Buffer.from('0000001866747970697361360000020069736f366d703432', 'hex') },
  audio: { mime: 'audio/ogg; codecs=opus', bytes: Buffer.from('OggS\0\x02 a voice message', 'latin1') },
  document: { mime: 'application/pdf', bytes: Buffer.from('%PDF-1.4\n%%EOF\n') },
};

type Situation = {
  simulation: Simulation;
  waba: Waba;
  number: PhoneNumber;
  person: Person;
  input: InboundInput;
};
type Content = (situation: Situation) => Item | Promise<Item>;

const media =
  (kind: string, more: (input: InboundInput) => Item): Content =>
  async ({ simulation, number, input }) => {
    const { mime_type, base64, ...given } = (input.content ?? {}) as Item & {
      mime_type?: string;
      base64?: string;
    };
    const file = tinyFiles[kind]!;
    const bytes = base64 === undefined ? file.bytes : Buffer.from(base64, 'base64');
    const stored = await receiveFile(simulation, number, mime_type ?? file.mime, bytes);
    return { ...stored, ...more(input), ...given };
  };

const captioned = ({ text }: InboundInput): Item => (text === undefined ? {} : { caption: text });

/** The content of each type, filled in where nothing was given. */
const contents: Record<string, Content> = {
  text: ({ input }) => ({ body: input.text ?? 'Hello', ...input.content }),
  image: media('image', captioned),
  video: media('video', captioned),
  document: media('document', (input) => ({ ...captioned(input), filename: 'document.pdf' })),
  audio: media('audio', () => ({ voice: true })),
  sticker: media('sticker', () => ({ animated: false })),
  location: ({ input }) => ({
    latitude: 45.764,
    longitude: 4.8357,
    name: 'Depot',
    address: 'Lyon',
    ...input.content,
  }),
  reaction: ({ input }) => ({
    message_id: input.context?.id ?? 'wamid.UNKNOWN',
    emoji: '👍',
    ...input.content,
  }),
  button: ({ input }) => ({
    payload: input.text ?? 'Confirm',
    text: input.text ?? 'Confirm',
    ...input.content,
  }),
  interactive: ({ input }) =>
    input.content ?? { type: 'button_reply', button_reply: { id: 'am', title: input.text ?? 'Morning' } },
  order: ({ input }) => ({
    catalog_id: sandboxCatalogId,
    text: input.text ?? '',
    product_items: [{ product_retailer_id: 'sku-17', quantity: 1, item_price: 9.5, currency: 'EUR' }],
    ...input.content,
  }),
  system: ({ person, input }) => ({
    body: `${person.name} changed their number`,
    wa_id: person.waId,
    type: 'user_changed_number',
    ...input.content,
  }),
  edit: ({ input }) => ({
    original_message_id: input.context?.id ?? 'wamid.UNKNOWN',
    message: { type: 'text', text: { body: input.text ?? 'Hello again' } },
    ...input.content,
  }),
  revoke: ({ input }) => ({ original_message_id: input.context?.id ?? 'wamid.UNKNOWN', ...input.content }),
  unsupported: ({ input }) => ({ type: 'poll', ...input.content }),
};
export const inboundTypes = [...Object.keys(contents), 'contacts'];

const someContacts = (name: string) => [
  {
    name: { formatted_name: name, first_name: name },
    phones: [{ phone: '+33612003499', type: 'CELL', wa_id: '33612003499' }],
    origin: 'other',
  },
];

/** Lets a customer send something; answers the id of the message. */
export async function receiveInbound(
  simulation: Simulation,
  input: InboundInput,
): Promise<{ id: string; mediaId?: string }> {
  const { people, timeline, random, records } = simulation;
  const { number, waba } = businessOf(simulation, input.to);
  const from = normalise(String(input.from ?? '').replace(/[+\s()-]/g, ''));
  if (!/^[1-9]\d{6,14}$/.test(from)) throw new ControlProblem('"from" must be the digits of a phone number.');
  const type = input.type ?? 'text';
  if (!inboundTypes.includes(type)) {
    throw new ControlProblem(`There is no inbound type "${type}"; there are ${inboundTypes.join(', ')}.`);
  }
  const { name, username, hidesNumber } = input;
  const told = Object.entries({ name, username, hidesNumber }).filter(([, value]) => value !== undefined);
  if (told.length > 0) people.describe(from, Object.fromEntries(told));
  const person = people.byPhone(waba.businessId, from);
  const situation = { simulation, waba, number, person, input };
  const content =
    type === 'contacts' ? (input.content ?? someContacts(person.name)) : await contents[type]!(situation);
  const nowMs = timeline.nowMs();
  const id = input.id ?? random.messageId(from, nowMs);
  if (number.blocked.includes(from) || number.blocked.includes(person.userId)) return { id };

  const context = input.context
    ? { from: number.number, ...input.context }
    : contextOfReply(simulation, number, from, type, content);
  const answers = typeof context?.id === 'string' ? context.id : null;
  const written = { id, wabaId: waba.id, phoneNumberId: number.id, waId: from, type, content, answers };
  records.written.add({ ...written, after: records.messages.total(), atMs: nowMs });
  if (type !== 'system') people.heardFrom(number.id, from, nowMs, input.referral !== undefined);
  simulation.notify({
    wabaId: waba.id,
    field: 'messages',
    kind: 'messages',
    number,
    item: {
      ...(!person.hidesNumber && { from: person.waId }),
      from_user_id: person.userId,
      id,
      timestamp: String(Math.floor(nowMs / 1000)),
      type,
      ...(context && { context }),
      ...(input.referral && { referral: input.referral }),
      ...(type === 'unsupported' && {
        errors: [errorItem(131051, 'This kind of message cannot be received.')],
      }),
      [type]: content,
    },
    contact: type === 'system' ? undefined : contactItem(person, true),
  });
  const { id: mediaId } = content as { id?: string };
  return { id, ...(Object.hasOwn(tinyFiles, type) && { mediaId }) };
}

/** The number with this id or these digits. */
export function businessOf({ world }: Simulation, to: unknown): { number: PhoneNumber; waba: Waba } {
  const digits = String(to ?? '').replace(/[+\s()-]/g, '');
  const number =
    world.numbers.get(digits) ??
    [...world.numbers.values()].find((one) => one.number === digits && one.status !== 'MIGRATED');
  if (!number) {
    throw new ControlProblem(
      `No phone number "${to}" is known here. A number is known once its access token was used for a first call.`,
    );
  }
  return { number, waba: world.wabas.get(number.wabaId)! };
}

async function receiveFile(simulation: Simulation, number: PhoneNumber, mimeType: string, bytes: Buffer) {
  const { world, state, random, timeline } = simulation;
  const id = random.id();
  const digest = createHash('sha256').update(bytes).digest();
  world.media.set(id, {
    id,
    phoneNumberId: number.id,
    mimeType,
    sha256: digest.toString('hex'),
    fileSize: bytes.length,
    createdMs: timeline.nowMs(),
    inbound: true,
  });
  world.changed();
  await state.saveBytes(id, bytes);
  return { id, mime_type: mimeType, sha256: digest.toString('base64') };
}
