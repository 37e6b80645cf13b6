// Everything that any module keeps of people, told once by the composition: this module names no table of another.
import type { Copying, Store } from '../../platform/belongings.ts';

let known: Store[] = [];

export function knowStores(stores: Store[]): void {
  known = stores;
}

export const allStores = (): readonly Store[] => known;

export type CopiedStore = Store & { copy: Copying };

/** Those that a copy is made of, in its order. */
export const copiedStores = (provided: boolean): CopiedStore[] =>
  known.filter(
    (store): store is CopiedStore => store.copy !== undefined && (!provided || store.copy.provided === true),
  );
