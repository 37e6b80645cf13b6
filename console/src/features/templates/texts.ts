// The blanks in a text: `{{1}}`, `{{name}}`.
const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

/** Each once, in the order they first appear. */
export const blanksIn = (text: unknown): string[] =>
  typeof text === 'string' ? [...new Set([...text.matchAll(placeholder)].map((match) => match[1]!))] : [];

/** What is filled in with nothing stays a blank. */
export const filledIn = (text: unknown, fill: (name: string) => string | undefined): string =>
  String(text ?? '').replaceAll(placeholder, (mark, name) => fill(name) || mark);
