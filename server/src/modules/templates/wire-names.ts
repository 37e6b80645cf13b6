// The provider writes its fields with underscores, this API in camel case. Only names change; values stay as they are.

const toSnake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const toCamel = (name: string) =>
  name.replaceAll(/_([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase());

function rename(value: unknown, as: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, as));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [as(name), rename(item, as)]));
}

export const toWire = <T>(value: unknown): T => rename(value, toSnake) as T;
export const fromWire = <T>(value: unknown): T => rename(value, toCamel) as T;
