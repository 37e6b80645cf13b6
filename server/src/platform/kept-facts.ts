// How a module declares a fact that is kept, and how it is asked for.
import type { TenantTx } from './db/database.ts';
import { everybody } from './kept-store.ts';

/**
 * Something read from rows that rarely change. Its tables have triggers that change the version of its scope
 * (`keep_fact_version` in migrations), on every column it reads: a test compares the two.
 */
export type Fact<Item, Value> = {
  name: string;
  of: 'account' | 'everybody';
  /** Tells items apart. */
  key(item: Item): string;
  /** The values of these items in order; undefined for one there is none of. */
  load(t: TenantTx, items: readonly Item[]): Promise<(Value | undefined)[]>;
};

// biome-ignore lint/suspicious/noExplicitAny: facts of every kind stand in one list
const declared: Fact<any, any>[] = [];

/** All there are, for the test that compares what they read with the triggers. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export const declaredFacts = (): readonly Fact<any, any>[] => declared;

export function declareFact<Item, Value>(fact: Fact<Item, Value>): Fact<Item, Value> {
  declared.push(fact);
  return fact;
}

/**
 * The values of these items in order. What is kept is used only under the version this transaction has read; what is not at
 * hand is read now, after the version: kept under it, a fact may be newer than its version says, and is then read again, but
 * never older. A transaction that may itself change facts reads them all.
 */
export async function factsOf<Item, Value>(
  t: TenantTx,
  fact: Fact<Item, Value>,
  items: readonly Item[],
): Promise<(Value | undefined)[]> {
  if (items.length === 0) return [];
  if (!t.kept) return fact.load(t, items);
  const { store, versions } = t.kept;
  const scope = fact.of === 'everybody' ? everybody : t.accountSid;
  const shelf = store.shelf(scope, (await versions).get(scope)?.facts);
  const keys = items.map((item) => `${fact.name} ${t.livemode} ${fact.key(item)}`);
  const missing = keys.flatMap((key, at) => (shelf.facts.has(key) ? [] : [at]));
  store.count(fact.name, items.length - missing.length, missing.length);
  const read =
    missing.length > 0
      ? await fact.load(
          t,
          missing.map((at) => items[at]!),
        )
      : [];
  const values = keys.map((key) => shelf.facts.get(key) as Value | undefined);
  for (const [place, at] of missing.entries()) {
    values[at] = read[place];
    store.keep(shelf, keys[at]!, read[place]);
  }
  return values;
}

/** Rows in the order of the keys they were asked for by. */
export function inOrder<Row>(
  keys: readonly string[],
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): (Row | undefined)[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return keys.map((key) => byKey.get(key));
}

/** The only value of a fact that has one for each account and environment, or one for everybody. */
export async function factOf<Value>(t: TenantTx, fact: Fact<null, Value>): Promise<Value | undefined> {
  return (await factsOf(t, fact, [null]))[0];
}
