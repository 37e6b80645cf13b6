// The phones of customers, as far as they talk with given numbers: what they show, and the press of a button. Everything is
// taken from the records, so a phone remembers what those do.
import { wrong } from '../control/control-http.ts';
import type { Wire } from '../http/shape.ts';
import { receiveInbound } from '../messages/inbound.ts';
import { normalise } from '../numbers/people.ts';
import type { AcceptedMessage, WrittenMessage } from '../record.ts';
import type { Simulation } from '../simulation.ts';
import { type Screen, type ScreenButton, screenOf } from './screen.ts';

type Button = Omit<ScreenButton, 'answer'>;
type Card = { header: string | null; body: string | null; buttons: Button[] };
export type PhoneMessage = Card & {
  id: string;
  phoneNumberId: string;
  writtenBy: 'CUSTOMER' | 'BUSINESS';
  /** What the business calls it. */
  opaque: string | null;
  type: string;
  /** How far it came; null for what the customer wrote. */
  state: string | null;
  answers: string | null;
  atMs: number;
  footer: string | null;
  cards: Card[];
};
export type Phone = { waId: string; name: string; lastMs: number; phoneNumberIds: string[] };
export type PhoneScreen = {
  waId: string;
  name: string | null;
  /** The numbers whose marketing messages are not wanted. */
  stopped: string[];
  /** The newest first. */
  messages: PhoneMessage[];
};

const digitsOf = (from: unknown): string => {
  const digits = normalise(String(from ?? '').replace(/[+\s()-]/g, ''));
  if (!/^[1-9]\d{6,14}$/.test(digits)) throw wrong('"from" must be the digits of a phone number.');
  return digits;
};

function idsOf({ numbers }: Wire): Set<string> {
  if (!Array.isArray(numbers) || numbers.some((id) => typeof id !== 'string'))
    throw wrong('"numbers" must be a list of ids of phone numbers.');
  return new Set(numbers);
}

const keptIn = <T>(ring: { page(after: number, limit: number): { items: T[] } }) =>
  ring.page(0, Number.MAX_SAFE_INTEGER).items;

const isAfter = ({ after }: Wire, waId: string, lastMs: number) =>
  after === undefined || lastMs < after.lastMs || (lastMs === after.lastMs && waId > after.waId);

const limitOf = ({ limit }: Wire) => (Number.isInteger(limit) ? Math.min(Math.max(limit, 1), 101) : 50);

/** Those that talked with one of the numbers, the newest talk first; `after` is the last of the page before. */
export function listPhones(simulation: Simulation, body: Wire): { data: Phone[] } {
  const { records, people, world } = simulation;
  const ids = idsOf(body);
  const found = new Map<string, { lastMs: number; numbers: Set<string> }>();
  for (const { waId, phoneNumberId, atMs } of [...keptIn(records.messages), ...keptIn(records.written)]) {
    if (waId === '' || !ids.has(phoneNumberId)) continue;
    const known = found.get(waId) ?? { lastMs: 0, numbers: new Set<string>() };
    known.lastMs = Math.max(known.lastMs, atMs);
    known.numbers.add(phoneNumberId);
    found.set(waId, known);
  }
  const businessOf = (id: string) => world.wabas.get(world.numbers.get(id)?.wabaId ?? '')?.businessId ?? '';
  const newest = [...found]
    .filter(([waId, { lastMs }]) => isAfter(body, waId, lastMs))
    .sort(([a, { lastMs: aMs }], [b, { lastMs: bMs }]) => bMs - aMs || (a < b ? -1 : 1));
  return {
    data: newest.slice(0, limitOf(body)).map(([waId, { lastMs, numbers }]) => {
      const phoneNumberIds = [...numbers];
      return {
        waId,
        name: people.byPhone(businessOf(phoneNumberIds[0]!), waId).name,
        lastMs,
        phoneNumberIds,
      };
    }),
  };
}

export function readPhone(simulation: Simulation, body: Wire): PhoneScreen {
  const { records, people, world } = simulation;
  const [waId, ids] = [digitsOf(body.from), idsOf(body)];
  const isOurs = (one: { waId: string; phoneNumberId: string }) =>
    one.waId === waId && ids.has(one.phoneNumberId);
  // A message that was written twice under one id is one on the phone.
  const written = new Map(
    keptIn(records.written)
      .filter(isOurs)
      .map((one) => [one.id, one]),
  );
  const shown = [
    ...keptIn(records.messages)
      .filter(isOurs)
      .map((one) => ({ place: one.sequence, message: sentMessage(simulation, one) })),
    ...[...written.values()].map((one) => ({ place: one.after + 0.5, message: writtenMessage(one) })),
  ];
  const inOrder = shown.sort((a, b) => a.place - b.place).map(({ message }) => message);
  const known = [...ids].flatMap((id) => world.numbers.get(id) ?? []);
  const businesses = known.map(({ id, wabaId }) => ({ id, businessId: world.wabas.get(wabaId)!.businessId }));
  return {
    waId,
    name: businesses[0] ? people.byPhone(businesses[0].businessId, waId).name : null,
    stopped: businesses
      .filter(({ businessId }) => people.refusesMarketing(businessId, waId))
      .map(({ id }) => id),
    messages: inOrder.reverse().slice(0, limitOf(body)),
  };
}

type Pressed = { pressed: { id: string } } | { refused: 'message' | 'button' | 'answer' };

/** The customer presses a button of a message they have; what cannot be pressed is told apart. */
export async function pressButton(simulation: Simulation, body: Wire): Promise<Pressed> {
  const { records, world } = simulation;
  const [waId, ids] = [digitsOf(body.from), idsOf(body)];
  const message = records.find(String(body.messageId));
  if (!message || message.waId !== waId || !ids.has(message.phoneNumberId)) return { refused: 'message' };
  const { buttons, cards } = screenOfSent(simulation, message);
  const button = [...buttons, ...cards.flatMap((card) => card.buttons)].find(({ id }) => id === body.button);
  if (!button) return { refused: 'button' };
  if (!button.answer) return { refused: 'answer' };
  const pressed = await receiveInbound(simulation, {
    from: waId,
    to: message.phoneNumberId,
    ...button.answer,
    context: { from: world.numbers.get(message.phoneNumberId)?.number, id: message.id },
    ...(typeof body.id === 'string' && { id: body.id }),
  });
  return { pressed: { id: pressed.id } };
}

function screenOfSent({ world }: Simulation, { type, body, wabaId }: AcceptedMessage): Screen {
  const content = body[type] ?? {};
  const template =
    type === 'template' ? (world.findTemplate(wabaId, content.name, content.language.code) ?? null) : null;
  return screenOf(type, content, template);
}

function sentMessage(simulation: Simulation, message: AcceptedMessage): PhoneMessage {
  const { id, phoneNumberId, opaque, type, atMs, body } = message;
  const answers: string | null = body.context?.message_id ?? null;
  return {
    ...{ id, phoneNumberId, writtenBy: 'BUSINESS', opaque, type, state: stateOf(message), answers, atMs },
    ...onScreen(screenOfSent(simulation, message)),
  };
}

function writtenMessage({ id, phoneNumberId, type, content, answers, atMs }: WrittenMessage): PhoneMessage {
  return {
    ...{ id, phoneNumberId, writtenBy: 'CUSTOMER', opaque: null, type, state: null, answers, atMs },
    ...onScreen(screenOf(type, content, null)),
  };
}

const onScreen = ({ buttons, cards, ...screen }: Screen) => ({
  ...screen,
  buttons: buttons.map(withoutAnswer),
  cards: cards.map((card) => ({ ...card, buttons: card.buttons.map(withoutAnswer) })),
});
const withoutAnswer = ({ answer: _, ...button }: ScreenButton): Button => button;

// In whatever order they were told, the furthest counts.
const course = ['failed', 'played', 'read', 'delivered', 'sent'];

function stateOf({ events, droppedMs }: AcceptedMessage): string {
  if (droppedMs !== null) return 'DROPPED';
  const reached = course.find((status) => events.some((event) => event.status === status));
  return (reached ?? 'accepted').toUpperCase();
}
