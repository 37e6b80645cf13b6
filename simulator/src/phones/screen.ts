// A message as a phone shows it: its words with the parameters filled in, and what can be pressed.
import type { Wire } from '../http/shape.ts';
import { componentOf, filledIn } from '../templates/template-parameters.ts';
import type { Template, TemplateComponent } from '../world.ts';

export type ScreenButton = {
  /** Its place in the message: `1`, or `0.1` on a card. */
  id: string;
  kind: 'REPLY' | 'LINK' | 'CALL' | 'CODE' | 'OTHER';
  title: string;
  /** What a press answers with; null for what answers nothing. */
  answer: { type: string; content: Wire } | null;
};
export type ScreenCard = { header: string | null; body: string | null; buttons: ScreenButton[] };
export type Screen = ScreenCard & { footer: string | null; cards: ScreenCard[] };

const nothing: Screen = { header: null, body: null, footer: null, buttons: [], cards: [] };
const lower = (value: unknown) => String(value ?? '').toLowerCase();

/** `template` is the one the message names, as it is now; null when it is gone. */
export function screenOf(type: string, content: Wire, template: Template | null): Screen {
  if (type === 'interactive') return interactiveScreen(content);
  if (type === 'template') return template ? templateScreen(template, content.components ?? []) : nothing;
  const { body, caption, text, emoji, name, filename } = content;
  const words = [body, caption, text, emoji, name, filename].find((one) => typeof one === 'string');
  return { ...nothing, body: words ?? null };
}

const replyButton = (id: string, reply: Wire, kind: 'button_reply' | 'list_reply'): ScreenButton => ({
  id,
  kind: 'REPLY',
  title: reply.title,
  answer: { type: 'interactive', content: { type: kind, [kind]: reply } },
});

function interactiveScreen({ header, body, footer, action, type, ...replied }: Wire): Screen {
  const reply = replied.button_reply ?? replied.list_reply ?? replied.nfm_reply;
  if (reply) return { ...nothing, body: reply.title ?? reply.body ?? null };
  const rows: Wire[] = (action?.sections ?? []).flatMap(({ rows: some = [] }: Wire) => some);
  return {
    header: header?.text ?? null,
    body: body?.text ?? null,
    footer: footer?.text ?? null,
    buttons: [
      ...(action?.buttons ?? []).map((button: Wire, i: number) =>
        replyButton(String(i), button.reply, 'button_reply'),
      ),
      ...rows.map((row, i) => replyButton(String(i), row, 'list_reply')),
      ...actionButton(type, action ?? {}),
    ],
    cards: (action?.cards ?? []).map(interactiveCard),
  };
}

/** The one button of a message that does something else than to answer. */
function actionButton(type: string, { parameters = {}, name }: Wire): ScreenButton[] {
  const title = parameters.display_text ?? parameters.flow_cta ?? name;
  if (title === undefined) return [];
  return [{ id: '0', kind: type === 'cta_url' ? 'LINK' : 'OTHER', title, answer: null }];
}

const interactiveCard = ({ body, action }: Wire, card: number): ScreenCard => ({
  header: null,
  body: body?.text ?? null,
  buttons: action.buttons
    ? action.buttons.map(({ quick_reply: reply }: Wire, i: number) =>
        replyButton(`${card}.${i}`, reply, 'button_reply'),
      )
    : actionButton('cta_url', action).map((button) => ({ ...button, id: `${card}.${button.id}` })),
});

function templateScreen({ components }: Template, given: Wire[]): Screen {
  const made: TemplateComponent[] = componentOf(components, 'carousel')?.cards ?? [];
  const cards: Wire[] = componentOf(given, 'carousel')?.cards ?? [];
  return {
    ...templatePart(components, given, ''),
    footer: componentOf(components, 'footer')?.text ?? null,
    cards: cards.map((card, i) =>
      // Cards of products have one model.
      templatePart((made[card.card_index] ?? made[0])!.components, card.components, `${i}.`),
    ),
  };
}

/** Header, body and buttons: of a template, or of one of its cards. */
function templatePart(components: TemplateComponent[], given: Wire[], at: string): ScreenCard {
  const text = (part: string) => {
    const wording = componentOf(components, part)?.text;
    return wording === undefined ? null : filledIn(wording, componentOf(given, part)?.parameters ?? []);
  };
  const buttons: TemplateComponent[] = componentOf(components, 'buttons')?.buttons ?? [];
  return {
    header: text('header'),
    body: text('body'),
    buttons: buttons.map((button, i) => templateButton(`${at}${i}`, button, payloadOf(given, i))),
  };
}

const payloadOf = (given: Wire[], index: number): string | undefined =>
  given.find((part) => lower(part.type) === 'button' && Number(part.index) === index)?.parameters?.[0]
    ?.payload;

const kinds: Record<string, ScreenButton['kind']> = {
  quick_reply: 'REPLY',
  url: 'LINK',
  phone_number: 'CALL',
  voice_call: 'CALL',
  copy_code: 'CODE',
  otp: 'CODE',
};

function templateButton(id: string, button: TemplateComponent, payload: string | undefined): ScreenButton {
  const kind = kinds[lower(button.type)] ?? 'OTHER';
  const title: string = button.text ?? '';
  const content = { payload: payload ?? title, text: title };
  return { id, kind, title, answer: kind === 'REPLY' ? { type: 'button', content } : null };
}
