// Facts that rarely change, kept in the process. Each belongs to a scope (an account, or everybody) and is good exactly as long
// as the version of its scope, which the database changes with every change of what the fact is read from.

/** What is kept of one scope as of one version. A new version begins with nothing. */
export type Shelf = {
  readonly scope: string;
  /** Undefined for a scope without one, of which nothing is kept. */
  readonly version: string | undefined;
  readonly facts: Map<string, unknown>;
  bytes: number;
};

/** How often each fact was at hand, and how often it had to be read. */
export type Uses = { hits: number; misses: number };

export type KeptStore = {
  shelf(scope: string, version: string | undefined): Shelf;
  keep(shelf: Shelf, key: string, value: unknown): void;
  count(fact: string, hits: number, misses: number): void;
  uses(): ReadonlyMap<string, Readonly<Uses>>;
  bytes(): number;
};

/** What an account's facts, and its credentials, are as of. */
export type Version = { facts: string; credentials: string };
/** By scope, as one transaction has read them. */
export type Versions = ReadonlyMap<string, Version>;

/** What one transaction may use: what is kept as of the versions it has read itself. */
export type KeptFacts = { store: KeptStore; versions: Promise<Versions> };

/** The scope of what is the same for everybody. */
export const everybody = '*';

export type Bounds = { shelves: number; bytes: number };
const usualBounds: Bounds = { shelves: 20_000, bytes: 32 * 1024 * 1024 };
// No account takes more than its part, whatever names it asks for that do not exist.
const mostPart = 1 / 16;

export function createKeptStore(bounds: Bounds = usualBounds): KeptStore {
  // In the order of their last use: a map keeps the order of insertion.
  const shelves = new Map<string, Shelf>();
  const uses = new Map<string, Uses>();
  let bytes = 0;
  const drop = (shelf: Shelf) => {
    if (shelves.get(shelf.scope) !== shelf) return;
    shelves.delete(shelf.scope);
    bytes -= shelf.bytes;
  };
  const makeRoom = () => {
    for (const shelf of shelves.values()) {
      if (bytes <= bounds.bytes && shelves.size <= bounds.shelves) return;
      drop(shelf);
    }
  };
  return {
    shelf(scope, version) {
      const known = shelves.get(scope);
      // Taken out either way: to be put behind the others, or because it is of another version.
      if (known) drop(known);
      const shelf =
        known && known.version === version ? known : { scope, version, facts: new Map(), bytes: 0 };
      if (version === undefined) return shelf;
      shelves.set(scope, shelf);
      bytes += shelf.bytes;
      makeRoom();
      return shelf;
    },
    keep(shelf, key, value) {
      const size = sizeOf(key, value);
      // A shelf that made room for others, or for a newer version, takes nothing more.
      if (shelves.get(shelf.scope) !== shelf || shelf.facts.has(key)) return;
      if (shelf.bytes + size > bounds.bytes * mostPart) return drop(shelf);
      shelf.facts.set(key, freeze(value));
      shelf.bytes += size;
      bytes += size;
      makeRoom();
    },
    count(fact, hits, misses) {
      const counted = uses.get(fact);
      if (!counted) return void uses.set(fact, { hits, misses });
      counted.hits += hits;
      counted.misses += misses;
    },
    uses: () => uses,
    bytes: () => bytes,
  };
}

// About what a text of two bytes a letter takes; it need only grow with what is kept.
const sizeOf = (key: string, value: unknown) => 200 + 2 * (key.length + (JSON.stringify(value)?.length ?? 0));

/** What many transactions use, none may change. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}
