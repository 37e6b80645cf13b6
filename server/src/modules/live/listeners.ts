// Who may hear of an event: whoever may read what it is about. An event is told of a resource, and the operations that read
// that resource say which scopes open it; where none does, the event says so itself.
import type { TSchema } from 'typebox';
import type { EventType } from '../../platform/events.ts';
import { nameOf } from '../../platform/http/input/schema.ts';
import { scopesOf } from '../../platform/http/operations/access.ts';
import type { Operation } from '../../platform/http/operations/operation.ts';

let scopesByType: ReadonlyMap<string, readonly string[]> = new Map();

/** Called once, when every module is known. */
export function knowListeners(types: readonly EventType[], operations: readonly Operation[]): void {
  scopesByType = new Map(types.map((type) => [type.name, scopesHearing(type, operations)]));
}

/** The scopes any one of which lets somebody hear of this type; none for a type that nobody knows. */
export const listenersOf = (type: string): readonly string[] => scopesByType.get(type) ?? [];

function scopesHearing({ schema, heardBy }: EventType, operations: readonly Operation[]): readonly string[] {
  if (heardBy) return heardBy;
  const reading = operations.filter((operation) => reads(operation, nameOf(schema)));
  return [...new Set(reading.flatMap(scopesOf))].sort();
}

/** The resource itself, or a list of such. */
function reads({ method, responses }: Operation, name: string | undefined): boolean {
  const answer: TSchema | null | undefined = responses[200];
  const answered = answer && nameOf(answer);
  return method === 'GET' && name !== undefined && (answered === name || answered === `${name}List`);
}
