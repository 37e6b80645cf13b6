// Pressing a button answers a message: which one, when whoever lets a customer press it does not say.

import type { Wire } from '../http/shape.ts';
import type { Simulation } from '../simulation.ts';
import type { PhoneNumber } from '../world.ts';

type Item = Record<string, unknown>;

/** What the customer chose: the id of a button or row, or the payload of a template's quick reply. */
function choiceOf(type: string, content: Wire): string | null {
  if (type === 'button') return content.payload;
  const reply = content.button_reply ?? content.list_reply;
  return reply?.id ?? null;
}

const isReply = (type: string, content: Wire) =>
  type === 'button' ||
  (type === 'interactive' && ['button_reply', 'list_reply', 'nfm_reply'].includes(content.type));

/** The ids and payloads a message lets its reader choose from. */
function choicesIn(body: Wire): unknown[] {
  const { buttons = [], sections = [], cards = [] } = body.interactive?.action ?? {};
  const components: Wire[] = body.template?.components ?? [];
  const ofCards = components.flatMap(({ cards: all = [] }) => all.flatMap((card: Wire) => card.components));
  return [
    ...buttons.map((button: Wire) => button.reply?.id),
    ...sections.flatMap(({ rows = [] }: Wire) => rows).map((row: Wire) => row.id),
    ...cards.flatMap((card: Wire) => card.action.buttons ?? []).map((button: Wire) => button.quick_reply.id),
    ...[...components, ...ofCards]
      .flatMap(({ parameters = [] }) => parameters)
      .map((parameter: Wire) => parameter.payload),
  ];
}

/**
 * The context of a reply: the newest message to this person that offers the choice, else the newest of all; one that
 * nobody here sent when there is none, since a reply always answers something.
 */
export function contextOfReply(
  { records, random, timeline }: Simulation,
  number: PhoneNumber,
  waId: string,
  type: string,
  content: Wire,
): Item | undefined {
  if (!isReply(type, content)) return undefined;
  const choice = choiceOf(type, content);
  const sent = records.newest(1_000).filter((one) => one.phoneNumberId === number.id && one.waId === waId);
  const offered = sent.find(({ body }) => choicesIn(body).includes(choice)) ?? sent[0];
  return { from: number.number, id: offered?.id ?? random.messageId(number.number, timeline.nowMs()) };
}
