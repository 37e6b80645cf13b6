// A person is erased store by store and page by page: each page with everything that tells of it, in one transaction.
import type { Person, Store } from './belongings.ts';
import type { TenantTx } from './db/database.ts';

/** Where to go on: which of the stores, and where in it. */
export type Place = { store: number; after: string | null };
export const firstPlace: Place = { store: 0, after: null };

/** How many rows were changed, by the names of their stores. */
export type Counts = Record<string, number>;

export const addCounts = (one: Counts, other: Counts): Counts => {
  const sum = { ...one };
  for (const [name, rows] of Object.entries(other)) if (rows > 0) sum[name] = (sum[name] ?? 0) + rows;
  return sum;
};

/** Erases the next page; null is where everything has been looked at. */
export async function erasePage(
  t: TenantTx,
  stores: readonly Store[],
  person: Person,
  { store: at, after }: Place,
  limit: number,
): Promise<{ counts: Counts; next: Place | null }> {
  const store = stores[at];
  if (!store) return { counts: {}, next: null };
  if (!store.erase) return erasePage(t, stores, person, { store: at + 1, after: null }, limit);
  const { rows, next, resources = [] } = await store.erase(t, person, { after, limit });
  const counts = addCounts({ [store.name]: rows }, await forgetAll(t, stores, resources));
  return { counts, next: next === null ? { store: at + 1, after: null } : { store: at, after: next } };
}

/** From the highest module down: what it finds is told of by those below it. */
async function forgetAll(t: TenantTx, stores: readonly Store[], found: readonly string[]): Promise<Counts> {
  if (found.length === 0) return {};
  const resources = [...found];
  const counts: Counts = {};
  for (const { name, forget } of stores.toReversed()) {
    if (!forget) continue;
    const forgotten = await forget(t, resources);
    counts[name] = forgotten.rows;
    resources.push(...(forgotten.resources ?? []));
  }
  return counts;
}
