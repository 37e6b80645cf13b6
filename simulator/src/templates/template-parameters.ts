// The parameters of a template message against the template: how many, of which kind, in which place.
import { GraphError } from '../errors.ts';
import type { Wire } from '../http/shape.ts';
import type { Template, TemplateComponent } from '../world.ts';

const count = (details: string) => new GraphError(132000, details);
const kind = (details: string) => new GraphError(132012, details);
const unfit = (details: string) => new GraphError(132018, details);

const lower = (value: unknown) => String(value ?? '').toLowerCase();
/** Of a template, or of what is given for one. */
export const componentOf = (components: TemplateComponent[], type: string): TemplateComponent | undefined =>
  components.find((component) => lower(component.type) === type);

export const variablesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(/\{\{\s*([^{}]+?)\s*\}\}/g)].map((match) => match[1]!)),
];

export function checkTemplateParameters(template: Template, given: Wire[], nowMs: number): void {
  const places = new Set<string>();
  for (const { type, index } of given) {
    const place = `${lower(type)}/${index ?? ''}`;
    if (places.has(place)) throw unfit(`There are two components for ${place}.`);
    places.add(place);
  }
  const { components } = template;
  const named = template.parameterFormat === 'NAMED';
  checkTop(components, given, named, template.category === 'AUTHENTICATION');
  checkButtons(componentOf(components, 'buttons')?.buttons ?? [], buttonsOf(given));
  checkOffer(componentOf(components, 'limited_time_offer'), componentOf(given, 'limited_time_offer'), nowMs);
  checkTapTarget(components, componentOf(given, 'tap_target_configuration'));
  checkCarousel(componentOf(components, 'carousel'), componentOf(given, 'carousel'), named);
}

const buttonsOf = (given: Wire[]): Wire[] => given.filter((part) => lower(part.type) === 'button');

/** Header and body: of a template, or of one of its cards. */
function checkTop(components: TemplateComponent[], given: Wire[], named: boolean, isCode: boolean): void {
  checkHeader(componentOf(components, 'header'), componentOf(given, 'header')?.parameters ?? [], named);
  const body = componentOf(components, 'body');
  const values: Wire[] = componentOf(given, 'body')?.parameters ?? [];
  if (isCode) checkCode(values);
  else checkTexts('body', body?.text ?? '', values, named);
}

function checkHeader(header: TemplateComponent | undefined, values: Wire[], named: boolean): void {
  const format = lower(header?.format);
  if (format === '' || format === 'text') {
    checkTexts('header', header?.text ?? '', values, named);
    return;
  }
  // A header of media is filled at every send: the example given at creation is never shown.
  if (values.length !== 1)
    throw kind(`header: expected one ${format}, received ${values.length} parameters.`);
  if (lower(values[0].type) !== format)
    throw kind(`header: format mismatch, expected ${format}, received ${lower(values[0].type)}.`);
}

function checkTexts(where: string, text: string, values: Wire[], named: boolean): void {
  const variables = variablesOf(text);
  if (values.length !== variables.length)
    throw count(
      `${where}: number of localizable_params (${values.length}) does not match the expected number of params (${variables.length}).`,
    );
  for (const [i, value] of values.entries()) {
    const type = lower(value.type);
    const allowed = where === 'body' ? ['text', 'currency', 'date_time'] : ['text'];
    if (!allowed.includes(type)) throw kind(`${where}: parameter ${i + 1} cannot be of type ${type}.`);
    if (named && !variables.includes(value.parameter_name))
      throw kind(`${where}: parameter ${i + 1} needs one of the names ${variables.join(', ')}.`);
    if (!named && value.parameter_name !== undefined)
      throw kind(`${where}: the template's parameters have no names.`);
  }
  if (named && new Set(values.map((value) => value.parameter_name)).size < values.length)
    throw kind(`${where}: a parameter is named twice.`);
  checkWording(where, text, values);
}

const shownText = (value: Wire): string =>
  value.text ?? value.currency?.fallback_value ?? value.date_time?.fallback_value ?? '';

/** The wording with its values in place: by name where they have names, else in their order. */
export function filledIn(text: string, values: Wire[]): string {
  const variables = variablesOf(text);
  return text.replace(/\{\{\s*([^{}]+?)\s*\}\}/g, (place, name) => {
    const value = values.find(({ parameter_name: its }) => its === name) ?? values[variables.indexOf(name)];
    return value ? shownText(value) : place;
  });
}

function checkWording(where: string, text: string, values: Wire[]): void {
  for (const value of values) {
    if (/[\n\t]| {5,}/.test(shownText(value)))
      throw new GraphError(
        132007,
        `${where}: a value cannot have new lines, tabs or more than 4 spaces in a row.`,
      );
  }
  const length =
    text.replace(/\{\{[^{}]+\}\}/g, '').length + values.reduce((sum, v) => sum + shownText(v).length, 0);
  const most = where === 'body' ? 1024 : 60;
  if (length > most)
    throw new GraphError(
      132005,
      `${where}: the text with its values has ${length} characters, ${most} are allowed.`,
    );
}

function checkCode(values: Wire[]): void {
  if (values.length !== 1)
    throw count(`body: an authentication template takes the code alone, not ${values.length} parameters.`);
  if (lower(values[0].type) !== 'text') throw kind('body: the code must be of type text.');
  if (values[0].text.length > 15) throw unfit('body: a code may have at most 15 characters.');
}

type ButtonRule = { subType: string; parameter: string; required: boolean };

/** What a button of the template takes at send time; null for one that takes nothing. */
function ruleOf(button: TemplateComponent): ButtonRule | null {
  const rule = (subType: string, parameter: string, required: boolean) => ({ subType, parameter, required });
  switch (lower(button.type)) {
    case 'quick_reply':
      return rule('quick_reply', 'payload', false);
    case 'url':
      return variablesOf(button.url ?? '').length > 0 ? rule('url', 'text', true) : null;
    case 'otp':
      return rule('url', 'text', true);
    case 'copy_code':
      return rule('copy_code', 'coupon_code', true);
    case 'flow':
      return rule('flow', 'action', false);
    case 'catalog':
      return rule('catalog', 'action', false);
    case 'mpm':
      return rule('mpm', 'action', true);
    case 'voice_call':
      return rule('voice_call', 'ttl_minutes', false);
    default:
      return null;
  }
}

function checkButtons(buttons: TemplateComponent[], given: Wire[]): void {
  for (const part of given) {
    const button = buttons[Number(part.index)];
    if (!button) throw unfit(`buttons: the template has no button at index ${part.index}.`);
    checkButton(button, part);
  }
  for (const [i, button] of buttons.entries()) {
    const present = given.some((part) => Number(part.index) === i);
    if (ruleOf(button)?.required && !present)
      throw count(`buttons: the ${lower(button.type)} button at index ${i} requires a parameter.`);
  }
}

function checkButton(button: TemplateComponent, part: Wire): void {
  const where = `buttons: the button at index ${part.index}`;
  const rule = ruleOf(button);
  if (!rule) throw unfit(`${where} takes no parameters.`);
  if (lower(part.sub_type) !== rule.subType) throw kind(`${where} is of sub_type ${rule.subType}.`);
  const values: Wire[] = part.parameters ?? [];
  if (values.length > 1 || (rule.required && values.length === 0))
    throw count(`${where} takes one parameter, not ${values.length}.`);
  for (const value of values) {
    if (lower(value.type) !== rule.parameter)
      throw kind(`${where} takes a parameter of type ${rule.parameter}.`);
  }
  if (rule.subType === 'mpm') checkProducts(values[0].action, where);
}

function checkProducts(action: Wire, where: string): void {
  const products = (action.sections ?? []).flatMap((section: Wire) => section.product_items);
  if (products.length === 0 || !action.thumbnail_product_retailer_id)
    throw unfit(`${where} needs a thumbnail and sections of products.`);
  if (products.length > 30) throw unfit(`${where} may have at most 30 products in total.`);
}

function checkOffer(offer: TemplateComponent | undefined, part: Wire, nowMs: number): void {
  if (!part) {
    if (offer?.limited_time_offer?.has_expiration)
      throw count('limited_time_offer: the template requires the time at which the offer ends.');
    return;
  }
  if (!offer) throw unfit('limited_time_offer: the template has no offer.');
  const [value] = part.parameters;
  if (part.parameters.length !== 1) throw count('limited_time_offer takes one parameter.');
  if (lower(value.type) !== 'limited_time_offer')
    throw kind('limited_time_offer takes the time at which the offer ends.');
  if (value.limited_time_offer.expiration_time_ms <= nowMs)
    throw unfit('limited_time_offer: the offer has ended.');
}

function checkTapTarget(components: TemplateComponent[], part: Wire): void {
  if (!part) return;
  if (part.parameters.length !== 1) throw count('tap_target_configuration takes one parameter.');
  if (lower(part.parameters[0].type) !== 'tap_target_configuration')
    throw kind('tap_target_configuration takes a parameter of its own type.');
  const buttons: TemplateComponent[] = componentOf(components, 'buttons')?.buttons ?? [];
  if (!buttons.some((button) => lower(button.type) === 'url'))
    throw unfit('tap_target_configuration: the template has no URL button.');
}

function checkCarousel(carousel: TemplateComponent | undefined, part: Wire, named: boolean): void {
  if (!carousel) {
    if (part) throw unfit('carousel: the template has no cards.');
    return;
  }
  const made: TemplateComponent[] = carousel.cards;
  const cards: Wire[] = part?.cards ?? [];
  // Product cards are chosen at send time; media cards are those of the template.
  const ofProducts = lower(componentOf(made[0]!.components, 'header')?.format) === 'product';
  if (ofProducts ? cards.length < 2 : cards.length !== made.length)
    throw count(`carousel: ${cards.length} cards do not match the template's ${made.length}.`);
  if (new Set(cards.map((card) => card.card_index)).size < cards.length)
    throw unfit('carousel: a card_index is given twice.');
  for (const card of cards) {
    const model = made[ofProducts ? 0 : card.card_index];
    if (!model) throw unfit(`carousel: the template has no card ${card.card_index}.`);
    checkTop(model.components, card.components, named, false);
    checkButtons(componentOf(model.components, 'buttons')?.buttons ?? [], buttonsOf(card.components));
  }
}
