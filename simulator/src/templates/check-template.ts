// A template as it is submitted. Errors carry the provider's subcodes and words for people.
import { GraphError } from '../errors.ts';
import {
  anyCaseWords,
  anyObject,
  byWord,
  closed,
  flag,
  list,
  maybe,
  type Shape,
  text,
  type Wire,
  whole,
} from '../http/shape.ts';
import { variablesOf } from './template-parameters.ts';

const subcodes = {
  tooLong: [2388040, 'Field too long'],
  header: [2388047, 'Header is badly formed'],
  body: [2388072, 'Body is badly formed'],
  footer: [2388073, 'Footer is badly formed'],
  tooManyVariables: [2388293, 'Too many variables for the length of the text'],
  edgeVariable: [2388299, 'Variable at the start or end'],
  settings: [2388077, 'Settings are not allowed'],
} as const;

export function refuseTemplate(kind: keyof typeof subcodes, message: string): GraphError {
  const [subcode, title] = subcodes[kind];
  return new GraphError(100, 'Invalid parameter', { subcode, userTitle: title, userMessage: message });
}

const words = (...allowed: string[]) => anyCaseWords(...allowed.map((word) => word.toLowerCase()));
const buttonText = text(1, 25);
const example = maybe(list(text(1, 2000), 1, 10));
const button = (type: string, fields: Record<string, Shape>) => closed({ type: words(type), ...fields });

const buttonShapes: Record<string, Shape> = {
  quick_reply: button('quick_reply', { text: buttonText }),
  url: button('url', { text: buttonText, url: text(1, 2000, /^https?:\/\//), example }),
  phone_number: button('phone_number', { text: buttonText, phone_number: text(1, 21) }),
  copy_code: button('copy_code', { text: maybe(buttonText), example: { judge() {}, optional: true } }),
  otp: button('otp', {
    otp_type: words('copy_code', 'one_tap', 'zero_tap'),
    text: maybe(buttonText),
    autofill_text: maybe(buttonText),
    zero_tap_terms_accepted: maybe(flag),
    supported_apps: maybe(list(closed({ package_name: text(1, 224), signature_hash: text(1, 64) }), 1, 5)),
  }),
  flow: button('flow', {
    text: buttonText,
    flow_id: maybe(text(1, 64)),
    flow_name: maybe(text(1, 200)),
    flow_json: maybe(text(1, 1_000_000)),
    flow_action: maybe(words('navigate', 'data_exchange')),
    navigate_screen: maybe(text(1, 256)),
  }),
  catalog: button('catalog', { text: maybe(buttonText) }),
  mpm: button('mpm', { text: maybe(buttonText) }),
  spm: button('spm', { text: maybe(buttonText) }),
  voice_call: button('voice_call', { text: buttonText, ttl_minutes: maybe(whole(1, 43_200)) }),
  request_contact_info: button('request_contact_info', { text: maybe(buttonText) }),
};

const header = closed({
  type: words('header'),
  format: words('text', 'image', 'video', 'document', 'location', 'product'),
  text: maybe(text(1, 1024)),
  example: maybe(anyObject),
});
const body = closed({
  type: words('body'),
  text: maybe(text(1, 4096)),
  example: maybe(anyObject),
  add_security_recommendation: maybe(flag),
});
const buttons = closed({ type: words('buttons'), buttons: list(byWord('type', buttonShapes, true), 1, 10) });

const componentShapes: Record<string, Shape> = {
  header,
  body,
  footer: closed({
    type: words('footer'),
    text: maybe(text(1, 1024)),
    code_expiration_minutes: maybe(whole(1, 90)),
  }),
  buttons,
  limited_time_offer: closed({
    type: words('limited_time_offer'),
    limited_time_offer: closed({ text: text(1, 16), has_expiration: maybe(flag) }),
  }),
  carousel: closed({
    type: words('carousel'),
    cards: list(closed({ components: list(byWord('type', { header, body, buttons }, true), 1, 3) }), 2, 10),
  }),
};

const componentList = list(byWord('type', componentShapes, true), 1, 10);
const lower = (value: unknown) => String(value ?? '').toLowerCase();

type Submitted = { category: string; named: boolean };

/** Throws what is wrong with the components of a template. */
export function checkComponents(components: Wire, { category, named }: Submitted): void {
  asSubmitted(() => componentList.judge(components, 'components'));
  const find = (type: string) => components.filter((one: Wire) => lower(one.type) === type);
  for (const type of Object.keys(componentShapes)) {
    if (find(type).length > 1) throw refuseTemplate('settings', `There are two components of type ${type}.`);
  }
  const [bodyPart] = find('body');
  if (!bodyPart) throw refuseTemplate('body', 'A template needs a body.');
  const [headerPart] = find('header');
  if (headerPart) checkHeader(headerPart, named);
  if (category === 'AUTHENTICATION') {
    checkAuthentication(bodyPart, find('buttons')[0], headerPart);
    return;
  }
  checkBody(bodyPart, named, find('limited_time_offer').length > 0 ? 600 : 1024);
  const [footer] = find('footer');
  if (footer && (!footer.text || footer.text.length > 60 || variablesOf(footer.text).length > 0))
    throw refuseTemplate('footer', 'The footer has 1 to 60 characters and no variables.');
  for (const part of find('buttons')) checkButtons(part.buttons);
  for (const { cards } of find('carousel')) checkCards(cards, named);
}

/** Shape errors of a submission are plain bad parameters, whatever code they would have in a message. */
function asSubmitted(judge: () => void): void {
  try {
    judge();
  } catch (error) {
    if (!(error instanceof GraphError) || error.code === 100) throw error;
    const tooLong = /at most \d+ characters/.test(error.details);
    throw refuseTemplate(tooLong ? 'tooLong' : 'settings', error.details);
  }
}

function checkAuthentication(body: Wire, buttons: Wire, header: Wire): void {
  if (body.text !== undefined || header)
    throw refuseTemplate('settings', 'An authentication template has no text and no header of its own.');
  if (!buttons || lower(buttons.buttons[0].type) !== 'otp')
    throw refuseTemplate('settings', 'An authentication template needs a button of type OTP.');
}

function checkHeader(header: Wire, named: boolean): void {
  const format = lower(header.format);
  if (format === 'text') {
    if (!header.text || header.text.length > 60)
      throw refuseTemplate('header', 'A header has 1 to 60 characters.');
    const variables = variablesOf(header.text);
    if (variables.length > 1) throw refuseTemplate('header', 'A header has at most one variable.');
    checkExamples('header', variables, header.example, named);
    return;
  }
  const needsHandle = ['image', 'video', 'document'].includes(format);
  if (needsHandle && !/^\d+::/.test(String(header.example?.header_handle?.[0] ?? '')))
    throw refuseTemplate('header', 'A header of media needs example.header_handle from a resumable upload.');
}

function checkBody(body: Wire, named: boolean, most: number): void {
  const { text: words = '' } = body;
  if (words === '') throw refuseTemplate('body', 'The body needs a text.');
  if (words.length > most) throw refuseTemplate('tooLong', `The body may have at most ${most} characters.`);
  const trimmed = words.trim();
  if (trimmed.startsWith('{{') || trimmed.endsWith('}}'))
    throw refuseTemplate('edgeVariable', 'A variable cannot be the first or last thing in the body.');
  const variables = variablesOf(words);
  const wordsBetween = words.replace(/\{\{[^{}]+\}\}/g, '').match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  if (wordsBetween <= variables.length)
    throw refuseTemplate('tooManyVariables', 'The body has too many variables for its length.');
  checkExamples('body', variables, body.example, named);
}

function checkExamples(where: 'header' | 'body', variables: string[], example: Wire, named: boolean): void {
  const form = named ? /^[a-z][a-z0-9_]*$/ : /^[1-9]\d*$/;
  const stray = variables.find((name) => !form.test(name));
  if (stray !== undefined) throw refuseTemplate(where, `{{${stray}}} is no ${named ? 'name' : 'number'}.`);
  if (!named && variables.some((name, i) => Number(name) !== i + 1))
    throw refuseTemplate(where, 'Variables are numbered from {{1}} on, without a gap.');
  if (variables.length === 0) return;
  const given = named
    ? example?.[`${where}_text_named_params`]?.map((one: Wire) => one.param_name)
    : where === 'body'
      ? example?.body_text?.[0]
      : example?.header_text;
  const complete = Array.isArray(given) && given.length === variables.length;
  if (!complete || (named && variables.some((name) => !given.includes(name))))
    throw refuseTemplate(where, `Every variable of the ${where} needs an example.`);
}

const mostOf: Record<string, number> = { quick_reply: 10, url: 2, phone_number: 1, copy_code: 1 };

function checkButtons(buttons: Wire[]): void {
  const kinds = buttons.map(({ type }) => lower(type));
  for (const [kind, most] of Object.entries(mostOf)) {
    if (kinds.filter((one) => one === kind).length > most)
      throw refuseTemplate('settings', `There may be at most ${most} buttons of type ${kind}.`);
  }
  const groups = kinds
    .map((kind) => kind === 'quick_reply')
    .filter((one, i, all) => i === 0 || one !== all[i - 1]);
  if (groups.filter(Boolean).length > 1 || groups.length > 2)
    throw refuseTemplate('settings', 'Quick replies must stand together.');
  for (const { type, url, example: shown, phone_number } of buttons) {
    if (lower(type) === 'phone_number' && !/^\+?\d{5,20}$/.test(phone_number))
      throw new GraphError(192, 'The phone number of a button is not valid.');
    if (lower(type) !== 'url') continue;
    const variables = variablesOf(url);
    if (variables.length > 1 || (variables.length === 1 && !/\{\{1\}\}$/.test(url)))
      throw refuseTemplate('settings', 'A URL has at most one variable, {{1}}, at its end.');
    if (variables.length === 1 && !shown)
      throw refuseTemplate('settings', 'A URL with a variable needs an example.');
  }
}

function checkCards(cards: Wire[], named: boolean): void {
  const makes = new Set(
    cards.map(({ components }) =>
      components
        .map(
          (one: Wire) =>
            `${lower(one.type)}/${lower(one.format)}/${(one.buttons ?? []).map((b: Wire) => lower(b.type))}`,
        )
        .join(' '),
    ),
  );
  if (makes.size > 1) throw refuseTemplate('settings', 'All cards must have the same make-up.');
  for (const { components } of cards) {
    for (const one of components) {
      if (lower(one.type) === 'header') checkHeader(one, named);
      if (lower(one.type) === 'body') checkBody(one, named, 160);
      if (lower(one.type) === 'buttons') checkButtons(one.buttons);
    }
  }
}
