// Addresses: paths with values in them, and queries.

/** As RFC 3986 says, so that what is signed is what is sent. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

/** `~` at the beginning of a path stands for the account of the client. */
export const ownAccount = '~';

/**
 * A path with its values encoded. One that is missing or empty, or that would lead up the path, is refused: `get('')` must not
 * become `list()`, nor `delete('..')` something else.
 */
export function at(texts: TemplateStringsArray, ...values: string[]): string {
  return texts.reduce((path, text, index) => path + segment(values[index - 1]) + text);
}

function segment(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || /^\.{0,2}$/.test(text))
    throw new TypeError(`${JSON.stringify(value)} cannot stand in a path: give the SID or id of a resource.`);
  return encoded(text);
}

export type Query = Record<string, string | number | boolean | Date | null | undefined>;

/** What is undefined or null is left out. */
export const queryPairs = (query: object = {}): [string, string][] =>
  Object.entries(query as Query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, value instanceof Date ? value.toISOString() : String(value)]);

export const written = (pairs: [string, string][]): string =>
  pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
