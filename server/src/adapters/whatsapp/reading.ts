// Reads what the provider wrote without trusting its shape: whatever is not as expected is absent.

export type Fields = Record<string, unknown>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? storable(value) : null;

/** Ids are text; a few fields write them as numbers. */
export const idOf = (value: unknown): string | null =>
  typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : textOf(value);

export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

// From the year in which the provider's network began to the last that RFC 3339 can write; outside them is no time.
const earliestSeconds = Date.UTC(2009, 0) / 1000;
const latestSeconds = 253_402_300_799;

/** Seconds since 1970, as a number or as text. */
export function instantOf(value: unknown): Date | null {
  const seconds = numberOf(value);
  return seconds !== null && seconds >= earliestSeconds && seconds <= latestSeconds
    ? new Date(seconds * 1000)
    : null;
}

export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** PostgreSQL keeps neither NUL nor half a character. */
const storable = (text: string) => (unstorable.test(text) ? text.replaceAll('\0', '').toWellFormed() : text);
const unstorable = /\0|[\ud800-\udfff]/;
