// Puts values where an action names them.
import { fillText } from '../../../platform/wording/insertions.ts';
import { isObject, isRef } from '../definition/predicates.ts';

export type Lookup = (path: string) => unknown;

/** A value as it is written, or what stands at its path; null where there is nothing. */
export function fillValue(value: unknown, lookup: Lookup): unknown {
  if (isRef(value)) return lookup(value.path) ?? null;
  return typeof value === 'string' ? fillText(value, lookup) : value;
}

/** Every text in a value; names stay as they are. */
export function fillTexts(value: unknown, lookup: Lookup): unknown {
  if (typeof value === 'string') return fillText(value, lookup);
  if (Array.isArray(value)) return value.map((member) => fillTexts(member, lookup));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillTexts(member, lookup)]));
}
