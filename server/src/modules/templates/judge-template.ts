// What the provider would refuse in a new template, found before it is asked: which parts go together, how long they are,
// which variables they use and whether each has an example. Pure. Paths are those of the request.
import type { ErrorDetail } from '../../platform/errors/errors.ts';
import { type ParameterFormat, variablesOf } from './components.ts';
import type { TemplateCategory } from './find-template.ts';
import { judgeButtons } from './judge-buttons.ts';
import type { TemplatePart } from './schema.ts';

export type TemplateDraft = {
  category: TemplateCategory;
  parameterFormat: ParameterFormat;
  components: readonly TemplatePart[];
  messageSendTtlSeconds?: number | null;
};

type Fault = ErrorDetail;
type Placed = { part: TemplatePart; at: string };

export function judgeTemplate(draft: TemplateDraft): Fault[] {
  const placed = draft.components.map((part, i) => ({ part, at: `components[${i}]` }));
  const find = (type: string) => placed.find(({ part }) => part.type === type);
  const body = find('BODY');
  return [
    ...repeatedParts(placed),
    ...placed.flatMap(strayFields),
    ...(body ? judgeBody(draft, body, find('LIMITED_TIME_OFFER')) : [missing('components', 'a BODY')]),
    ...judgeHeader(draft, find('HEADER')),
    ...judgeFooter(draft, find('FOOTER')),
    ...judgeOffer(draft, find('LIMITED_TIME_OFFER')),
    ...judgeButtons(draft.category, find('BUTTONS')),
    ...judgeTtl(draft),
  ];
}

const missing = (path: string, what: string): Fault => ({ path, issue: `must have ${what}` });
const required = (path: string): Fault => ({ path, issue: 'is required' });

function repeatedParts(placed: Placed[]): Fault[] {
  const seen = new Set<string>();
  return placed.flatMap(({ part: { type }, at }) => {
    if (seen.has(type)) return [{ path: `${at}.type`, issue: `repeats the ${type}` }];
    seen.add(type);
    return [];
  });
}

const fieldsOf: Record<TemplatePart['type'], readonly string[]> = {
  HEADER: ['type', 'format', 'text', 'example'],
  BODY: ['type', 'text', 'example', 'addSecurityRecommendation'],
  FOOTER: ['type', 'text', 'codeExpirationMinutes'],
  BUTTONS: ['type', 'buttons'],
  LIMITED_TIME_OFFER: ['type', 'limitedTimeOffer'],
};

function strayFields({ part, at }: Placed): Fault[] {
  return Object.keys(part)
    .filter((field) => !fieldsOf[part.type].includes(field))
    .map((field) => ({ path: `${at}.${field}`, issue: `does not belong to a ${part.type}` }));
}

const maxBody = 1024;
const maxBodyOfOffer = 600;

function judgeBody(draft: TemplateDraft, { part, at }: Placed, offer: Placed | undefined): Fault[] {
  if (draft.category === 'AUTHENTICATION') {
    return part.text === undefined
      ? []
      : [{ path: `${at}.text`, issue: 'is written by the provider for AUTHENTICATION' }];
  }
  const { text } = part;
  if (text === undefined) return [required(`${at}.text`)];
  const limit = offer ? maxBodyOfOffer : maxBody;
  const faults: Fault[] = [];
  if (text.length > limit) faults.push({ path: `${at}.text`, issue: `must be at most ${limit} characters` });
  if (part.addSecurityRecommendation !== undefined) {
    faults.push({ path: `${at}.addSecurityRecommendation`, issue: 'belongs to AUTHENTICATION' });
  }
  if (/^\s*\{\{/.test(text) || /\}\}\s*$/.test(text)) {
    faults.push({ path: `${at}.text`, issue: 'must neither begin nor end with a variable' });
  }
  const { bodyText, bodyTextNamedParams } = part.example ?? {};
  const given = { positional: bodyText?.[0], named: bodyTextNamedParams };
  return [
    ...faults,
    ...judgeVariables(draft, text, given, { at, positional: 'bodyText', named: 'bodyTextNamedParams' }),
  ];
}

const maxHeader = 60;
const maxFooter = 60;
const mediaFormats = new Set(['IMAGE', 'VIDEO', 'DOCUMENT']);

function judgeHeader(draft: TemplateDraft, header: Placed | undefined): Fault[] {
  if (!header) return [];
  const { part, at } = header;
  if (draft.category === 'AUTHENTICATION') return [{ path: at, issue: 'does not belong to AUTHENTICATION' }];
  if (part.format === undefined) return [required(`${at}.format`)];
  if (part.format !== 'TEXT') return judgeOtherHeader(part, at);
  const { text } = part;
  if (text === undefined) return [required(`${at}.text`)];
  const faults: Fault[] = [];
  if (text.length > maxHeader)
    faults.push({ path: `${at}.text`, issue: `must be at most ${maxHeader} characters` });
  if (variablesOf(text).length > 1)
    faults.push({ path: `${at}.text`, issue: 'must have at most one variable' });
  const { headerText, headerTextNamedParams } = part.example ?? {};
  const given = { positional: headerText, named: headerTextNamedParams };
  const names = { at, positional: 'headerText', named: 'headerTextNamedParams' };
  return [...faults, ...judgeVariables(draft, text, given, names)];
}

function judgeOtherHeader(part: TemplatePart, at: string): Fault[] {
  const faults: Fault[] =
    part.text === undefined ? [] : [{ path: `${at}.text`, issue: 'belongs to a TEXT header' }];
  if (mediaFormats.has(part.format!) && !part.example?.headerHandle) {
    faults.push({
      path: `${at}.example.headerHandle`,
      issue: 'is required: the handle of an uploaded sample',
    });
  }
  return faults;
}

function judgeFooter(draft: TemplateDraft, footer: Placed | undefined): Fault[] {
  if (!footer) return [];
  const { part, at } = footer;
  if (draft.category === 'AUTHENTICATION') {
    const faults = part.codeExpirationMinutes === undefined ? [required(`${at}.codeExpirationMinutes`)] : [];
    return part.text === undefined
      ? faults
      : [...faults, { path: `${at}.text`, issue: 'is written by the provider for AUTHENTICATION' }];
  }
  const faults: Fault[] = [];
  if (part.codeExpirationMinutes !== undefined) {
    faults.push({ path: `${at}.codeExpirationMinutes`, issue: 'belongs to AUTHENTICATION' });
  }
  if (part.text === undefined) return [...faults, required(`${at}.text`)];
  if (part.text.length > maxFooter) {
    faults.push({ path: `${at}.text`, issue: `must be at most ${maxFooter} characters` });
  }
  if (variablesOf(part.text).length > 0) faults.push({ path: `${at}.text`, issue: 'must have no variable' });
  return faults;
}

function judgeOffer(draft: TemplateDraft, offer: Placed | undefined): Fault[] {
  if (!offer) return [];
  if (draft.category !== 'MARKETING') return [{ path: offer.at, issue: 'belongs to MARKETING' }];
  return offer.part.limitedTimeOffer ? [] : [required(`${offer.at}.limitedTimeOffer`)];
}

const ttlRanges: Record<TemplateCategory, readonly [number, number]> = {
  AUTHENTICATION: [30, 900],
  UTILITY: [30, 43_200],
  MARKETING: [43_200, 2_592_000],
};

/** -1 asks for 30 days; marketing has that anyway. */
function judgeTtl({ category, messageSendTtlSeconds: ttl }: TemplateDraft): Fault[] {
  if (ttl === undefined || ttl === null) return [];
  const [least, most] = ttlRanges[category];
  if ((ttl >= least && ttl <= most) || (ttl === -1 && category !== 'MARKETING')) return [];
  return [{ path: 'messageSendTtlSeconds', issue: `must be from ${least} to ${most} for ${category}` }];
}

type Examples = {
  positional: readonly string[] | undefined;
  named: readonly { paramName: string; example: string }[] | undefined;
};
type Names = { at: string; positional: string; named: string };

const namedForm = /^[a-z][a-z0-9_]{0,127}$/;

function judgeVariables(draft: TemplateDraft, text: string, given: Examples, names: Names): Fault[] {
  const variables = variablesOf(text);
  const stray = /\{\{(?![^{}]*\}\})|(?<!\{\{[^{}]*)\}\}/.test(text);
  const faults: Fault[] = stray
    ? [{ path: `${names.at}.text`, issue: 'has braces that are no variable' }]
    : [];
  return draft.parameterFormat === 'NAMED'
    ? [...faults, ...judgeNamed(variables, given, names)]
    : [...faults, ...judgePositional(variables, given, names)];
}

function judgePositional(
  variables: readonly string[],
  given: Examples,
  { at, positional, named }: Names,
): Fault[] {
  const wanted = variables.map((_, i) => String(i + 1));
  const inOrder = [...variables].sort((a, b) => Number(a) - Number(b)).join() === wanted.join();
  if (!inOrder)
    return [{ path: `${at}.text`, issue: 'must number its variables {{1}}, {{2}} and so on, without a gap' }];
  if (given.named) return [{ path: `${at}.example.${named}`, issue: 'belongs to parameterFormat NAMED' }];
  const examples = given.positional?.length ?? 0;
  if (examples === variables.length) return [];
  const issue = `must have ${variables.length} examples, one a variable, has ${examples}`;
  return [{ path: `${at}.example.${positional}`, issue }];
}

function judgeNamed(
  variables: readonly string[],
  given: Examples,
  { at, positional, named }: Names,
): Fault[] {
  const odd = variables.filter((name) => !namedForm.test(name));
  if (odd.length > 0) {
    const issue = `must name its variables with a-z, 0-9 and _, beginning with a letter, not ${odd.join(', ')}`;
    return [{ path: `${at}.text`, issue }];
  }
  if (given.positional)
    return [{ path: `${at}.example.${positional}`, issue: 'belongs to parameterFormat POSITIONAL' }];
  const shown = (given.named ?? []).map(({ paramName }) => paramName);
  const path = `${at}.example.${named}`;
  return [
    ...variables
      .filter((name) => !shown.includes(name))
      .map((name) => ({ path, issue: `must have an example of ${name}` })),
    ...shown
      .filter((name, i) => !variables.includes(name) || shown.indexOf(name) !== i)
      .map((name) => ({ path, issue: `has an example of ${name} too many` })),
  ];
}
