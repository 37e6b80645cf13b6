// The events definitions may name, as the modules declare them. Which modules there are is known where they are put together.
import type { EventType } from '../../../platform/events.ts';
import { type Catalogue, readCatalogue } from './catalogue.ts';

let known: { catalogue: Catalogue; types: ReadonlyMap<string, EventType> } | null = null;

/** Told once, at the start, of what all modules declare. */
export function knowWorkflowEvents(types: EventType[]): void {
  known = { catalogue: readCatalogue(types), types: new Map(types.map((type) => [type.name, type])) };
}

export const knownCatalogue = (): Catalogue => known!.catalogue;

/** The event of this name in the log. */
export const knownEvent = (name: string): EventType => known!.types.get(name)!;
