// Every event the service sends, as the modules declare them. Which modules there are is known where they are put together.
import { invalid } from '../../../platform/errors/errors.ts';
import type { EventType } from '../../../platform/events.ts';

const known = new Map<string, EventType>();

/** Told once, at the start, of what all modules declare. */
export function knowEventTypes(types: EventType[]): void {
  for (const type of types) known.set(type.name, type);
}

export const eventTypes = (): EventType[] => [...known.values()];

export function requireEventType(path: string, name: string): EventType {
  const type = known.get(name);
  if (type) return type;
  throw invalid({ path, issue: 'is not an event type; GET …/webhook-event-types lists them' });
}
