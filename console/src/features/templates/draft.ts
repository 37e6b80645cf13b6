// A template while somebody writes it, and the parts it becomes. What the form has no field for stays as it was.
import type { Template, TemplateButton, TemplatePart } from '@godwit/sdk';
import { categories } from './filters.ts';
import { examplesOf, kindOf, type Part } from './shown-as.ts';
import { blanksIn } from './texts.ts';

export const headerFormats = ['', 'TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION', 'PRODUCT'] as const;
export const buttonTypes = ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE'] as const;

export type Draft = {
  name: string;
  language: string;
  wabaSid: string;
  category: (typeof categories)[number];
  format: (typeof headerFormats)[number];
  header: string;
  /** Of an uploaded sample. */
  handle: string;
  body: string;
  footer: string;
  /** By part and name of the blank. */
  examples: Record<string, string>;
  buttons: TemplateButton[];
  /** Of a template that carries a code. */
  warns: boolean;
  minutes: string;
  others: TemplatePart[];
};

export const exampleKey = (part: 'header' | 'body', name: string) => `${part} ${name}`;

export const emptyDraft: Draft = {
  name: '',
  language: '',
  wabaSid: '',
  category: 'UTILITY',
  format: '',
  header: '',
  handle: '',
  body: '',
  footer: '',
  examples: {},
  buttons: [],
  warns: true,
  minutes: '',
  others: [],
};

export function draftOf({ components, category, ...rest }: Template): Draft {
  const find = (kind: string): Part => components.find((part) => kindOf(part) === kind) ?? {};
  const [header, body, footer] = [find('HEADER'), find('BODY'), find('FOOTER')];
  const examples = (part: 'header' | 'body', given: Part) =>
    Object.entries(examplesOf(given)).map(([name, value]) => [exampleKey(part, name), value]);
  const { headerHandle } = (header.example ?? {}) as { headerHandle?: string[] };
  return {
    name: rest.name,
    language: rest.language,
    wabaSid: rest.wabaSid,
    category: categories.find((one) => one === category) ?? 'UTILITY',
    format: headerFormats.find((one) => one === String(header.format ?? (header.text ? 'TEXT' : ''))) ?? '',
    header: String(header.text ?? ''),
    handle: headerHandle?.[0] ?? '',
    body: String(body.text ?? ''),
    footer: String(footer.text ?? ''),
    examples: Object.fromEntries([...examples('header', header), ...examples('body', body)]),
    buttons: (find('BUTTONS').buttons ?? []) as TemplateButton[],
    warns: body.addSecurityRecommendation === true,
    minutes: String(footer.codeExpirationMinutes ?? ''),
    others: components.filter(
      (part) => !['HEADER', 'BODY', 'FOOTER', 'BUTTONS'].includes(kindOf(part)),
    ) as TemplatePart[],
  };
}

/** Blanks have names once one of them does. */
export const isNamed = ({ header, body }: Draft) =>
  [...blanksIn(header), ...blanksIn(body)].some((name) => !/^\d+$/.test(name));

export function partsOf(draft: Draft, named = isNamed(draft)): TemplatePart[] {
  const { format, footer, buttons, others } = draft;
  if (draft.category === 'AUTHENTICATION') return codeParts(draft);
  const parts: (TemplatePart | false)[] = [
    format !== '' && headerPart(draft, named),
    {
      type: 'BODY',
      text: draft.body,
      ...given('body', draft, named, (values) => ({ bodyText: [values] }), 'bodyTextNamedParams'),
    },
    footer !== '' && { type: 'FOOTER', text: footer },
    buttons.length > 0 && { type: 'BUTTONS', buttons },
    ...others,
  ];
  return parts.filter((part) => part !== false);
}

function headerPart(draft: Draft, named: boolean): TemplatePart {
  const { format, header, handle } = draft;
  const part = { type: 'HEADER' as const, format: format || undefined };
  if (format !== 'TEXT') return { ...part, ...(handle && { example: { headerHandle: [handle] } }) };
  return {
    ...part,
    text: header,
    ...given('header', draft, named, (values) => ({ headerText: values }), 'headerTextNamedParams'),
  };
}

/** The examples of the blanks of a part; nothing where it has none. */
function given(
  part: 'header' | 'body',
  draft: Draft,
  named: boolean,
  inOrder: (values: string[]) => TemplatePart['example'],
  byName: 'bodyTextNamedParams' | 'headerTextNamedParams',
): Pick<TemplatePart, 'example'> {
  const blanks = blanksIn(draft[part]);
  if (blanks.length === 0) return {};
  const exampleOf = (name: string) => draft.examples[exampleKey(part, name)] ?? '';
  if (!named) return { example: inOrder(blanks.toSorted((a, b) => Number(a) - Number(b)).map(exampleOf)) };
  return { example: { [byName]: blanks.map((name) => ({ paramName: name, example: exampleOf(name) })) } };
}

/** The provider writes the words around a code itself. */
function codeParts({ warns, minutes, buttons }: Draft): TemplatePart[] {
  const code = buttons.find(({ type }) => type === 'OTP') ?? { type: 'OTP', otpType: 'COPY_CODE' };
  const parts: (TemplatePart | false)[] = [
    { type: 'BODY', ...(warns && { addSecurityRecommendation: true }) },
    minutes !== '' && { type: 'FOOTER', codeExpirationMinutes: Number(minutes) },
    { type: 'BUTTONS', buttons: [code] },
  ];
  return parts.filter((part) => part !== false);
}
