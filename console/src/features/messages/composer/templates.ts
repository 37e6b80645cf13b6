// Which templates the composer can fill, and what is to be filled in.
import type { Template, TemplateComponent } from '@godwit/sdk';
import { blanksIn, filledIn } from '../../templates/texts.ts';

type Part = { type?: unknown; format?: unknown; text?: unknown; buttons?: unknown };

const kindOf = ({ type }: Part) => String(type).toLowerCase();

/** Only words are typed in: one that wants a file, a card or a button's address is sent by a program. */
export function isFillable({ components }: Template): boolean {
  return components.every((part: Part) => {
    if (kindOf(part) === 'header') return part.format === undefined || part.format === 'TEXT';
    if (kindOf(part) === 'buttons')
      return !JSON.stringify(part.buttons ?? []).includes('{{') && isPlain(part.buttons);
    return kindOf(part) === 'body' || kindOf(part) === 'footer';
  });
}

// Buttons that need nothing from whoever sends.
const isPlain = (buttons: unknown) =>
  Array.isArray(buttons) &&
  buttons.every(({ type }) => ['QUICK_REPLY', 'URL', 'PHONE_NUMBER'].includes(String(type)));

export type Blank = { part: 'header' | 'body'; name: string };

export const blanksOf = ({ components }: Template): Blank[] =>
  components.flatMap((component: Part) => {
    const part = kindOf(component);
    return part === 'header' || part === 'body'
      ? blanksIn(component.text).map((name) => ({ part, name }))
      : [];
  });

export const keyOf = ({ part, name }: Blank) => `${part} ${name}`;

/** The words of a template with what was filled in. */
export const shownText = ({ components }: Template, filled: Record<string, string>): string =>
  components
    .filter((component: Part) => kindOf(component) === 'body')
    .map(({ text }: Part) => filledIn(text, (name) => filled[keyOf({ part: 'body', name })]))
    .join('\n');

export function componentsOf(template: Template, filled: Record<string, string>): TemplateComponent[] {
  const blanks = blanksOf(template);
  const isNamed = template.parameterFormat === 'NAMED';
  return (['header', 'body'] as const).flatMap((type) => {
    const parameters = blanks
      .filter(({ part }) => part === type)
      .map((blank) => ({
        type: 'text' as const,
        text: filled[keyOf(blank)] ?? '',
        ...(isNamed && { parameterName: blank.name }),
      }));
    return parameters.length > 0 ? [{ type, parameters }] : [];
  });
}
