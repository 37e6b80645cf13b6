// The parts of a template as a phone would show them, each blank with the example that was given for it.
import type { SandboxPhoneButton } from '@godwit/sdk';
import type { ShownMessage } from '../sandbox-phones/bubble.tsx';
import { filledIn } from './texts.ts';

export type Part = Record<string, unknown>;
type Card = ShownMessage['cards'][number];
/** What stands where nobody here knows the text: for a picture, and for what the provider writes itself. */
export type StandIns = {
  formats: Readonly<Record<string, string>>;
  code: string;
  expires(minutes: string): string;
};

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null;
const partsIn = (value: unknown): Part[] => (Array.isArray(value) ? value.filter(isPart) : []);
export const kindOf = ({ type }: Part) => String(type).toUpperCase();

/** What was synchronised may hold anything; whatever is no text is left out. */
export function shownAs(components: readonly Part[], standIns: StandIns): ShownMessage {
  const carousel = components.find((part) => kindOf(part) === 'CAROUSEL');
  const offer = components.find((part) => kindOf(part) === 'LIMITED_TIME_OFFER')?.limitedTimeOffer;
  const { header, body, footer, buttons } = sideOf(components, standIns);
  return {
    writtenBy: 'BUSINESS',
    type: 'template',
    state: null,
    header: [header, isPart(offer) && offer.text].filter((line) => line).join('\n') || null,
    body,
    footer,
    buttons,
    cards: partsIn(carousel?.cards).map((card) => sideOf(partsIn(card.components), standIns)),
  };
}

function sideOf(components: readonly Part[], standIns: StandIns): Card & { footer: string | null } {
  const find = (kind: string) => components.find((part) => kindOf(part) === kind);
  const [header, body, footer] = [find('HEADER'), find('BODY'), find('FOOTER')];
  const minutes = footer?.codeExpirationMinutes;
  return {
    header: header ? headerOf(header, standIns) : null,
    // One without a text is written by the provider, around a code; one that is empty is still to be written.
    body: body ? (body.text === undefined ? standIns.code : textOf(body)) : null,
    footer: footer ? textOf(footer) || (minutes ? standIns.expires(String(minutes)) : null) : null,
    buttons: partsIn(find('BUTTONS')?.buttons).map(buttonOf),
  };
}

const headerOf = (part: Part, { formats }: StandIns) => {
  const format = String(part.format ?? 'TEXT');
  return format === 'TEXT' ? textOf(part) : (formats[format] ?? format);
};

function textOf(part: Part): string {
  const examples = examplesOf(part);
  return filledIn(part.text, (name) => examples[name]);
}

/** The example of each blank of a part, by its name. */
export function examplesOf({ example }: Part): Record<string, string> {
  if (!isPart(example)) return {};
  const { bodyText, headerText, bodyTextNamedParams, headerTextNamedParams } = example;
  const inOrder = Array.isArray(bodyText) ? bodyText[0] : headerText;
  const named = partsIn(bodyTextNamedParams ?? headerTextNamedParams);
  return Object.fromEntries([
    ...(Array.isArray(inOrder) ? inOrder : []).map((value, at) => [String(at + 1), String(value)]),
    ...named.map(({ paramName, example: value }) => [String(paramName), String(value)]),
  ]);
}

const kinds: Record<string, SandboxPhoneButton['kind']> = {
  QUICK_REPLY: 'REPLY',
  URL: 'LINK',
  PHONE_NUMBER: 'CALL',
  COPY_CODE: 'CODE',
  OTP: 'CODE',
};

const buttonOf = (button: Part, at: number): SandboxPhoneButton => ({
  id: String(at),
  kind: kinds[kindOf(button)] ?? 'OTHER',
  title: String(button.text ?? kindOf(button)),
});
