// The same filters asked of one value in memory: a patch picks some of an attribute's values by them.
import type { Attribute } from './attributes.ts';
import type { Comparison, Filter, FilterValue } from './filter.ts';
import { partOf } from './filter-sql.ts';
import { badRequest } from './scim-error.ts';

export type Value = Record<string, unknown>;

export function matches(attribute: Attribute, value: Value, filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
      return matches(attribute, value, filter.left) && matches(attribute, value, filter.right);
    case 'or':
      return matches(attribute, value, filter.left) || matches(attribute, value, filter.right);
    case 'not':
      return !matches(attribute, value, filter.filter);
    case 'some':
      throw badRequest('invalidPath', 'A value has no values of its own.');
    case 'present': {
      const held = value[partOf(attribute, filter.path).name];
      return held !== undefined && held !== '';
    }
    case 'compare': {
      const part = partOf(attribute, filter.path);
      return holds(value[part.name], filter.operator, filter.value, part.caseExact ?? false);
    }
  }
}

function holds(held: unknown, operator: Comparison, given: FilterValue, caseExact: boolean): boolean {
  if (given === null) return operator === 'eq' ? held === undefined : operator === 'ne' && held !== undefined;
  if (typeof held !== typeof given) return operator === 'ne';
  const [left, right] =
    typeof held === 'string' && !caseExact
      ? [held.toLowerCase(), String(given).toLowerCase()]
      : [held, given];
  if (operator === 'eq') return left === right;
  if (operator === 'ne') return left !== right;
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  return textHolds[operator](left, right);
}

const textHolds: Record<Exclude<Comparison, 'eq' | 'ne'>, (left: string, right: string) => boolean> = {
  co: (left, right) => left.includes(right),
  sw: (left, right) => left.startsWith(right),
  ew: (left, right) => left.endsWith(right),
  gt: (left, right) => left > right,
  ge: (left, right) => left >= right,
  lt: (left, right) => left < right,
  le: (left, right) => left <= right,
};
