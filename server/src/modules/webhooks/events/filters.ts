// What an endpoint subscribes to: exact names, `prefix.*`, or `*`. The same rule stands in the database as
// webhook_subscribes, where events meet endpoints; here it serves those who only know the catalogue.
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import { eventTypes } from './catalogue.ts';

export function matchesFilter(filter: string, type: string): boolean {
  if (filter === '*' || filter === type) return true;
  return filter.endsWith('.*') && type.startsWith(filter.slice(0, -1));
}

/** Filters that match nothing known today. Types are added over time, so they are accepted and pointed out. */
export function filterWarnings(filters: string[]): ErrorDetail[] {
  return filters.flatMap((filter, i) =>
    eventTypes().some(({ name }) => matchesFilter(filter, name))
      ? []
      : [{ path: `eventFilters[${i}]`, issue: 'matches no event type known today' }],
  );
}
