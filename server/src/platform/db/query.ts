// How SQL is written: Kysely builds or templates it, and only an open connection of `database.ts` can run it.
import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import type { DB } from './types.generated.ts';

export { sql };

/** Builds typed queries; it holds no connection. */
export const db = new Kysely<DB>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (of) => new PostgresIntrospector(of),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

export type Sql = RawBuilder<unknown>;
export type Query<T = unknown> = Compilable<T> | RawBuilder<T>;

export function compileQuery(query: Query): CompiledQuery {
  return (query as RawBuilder<unknown>).compile(db);
}

/** Statements of one text share a name, so that each connection parses and plans them once. */
export function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known) return known;
  // Text is written by us and finite; the bound only keeps a mistake from growing every connection's memory.
  if (names.size >= 2_000) return undefined;
  const name = `g${names.size}`;
  names.set(text, name);
  return name;
}

const names = new Map<string, string>();
const passing = new WeakSet<object>();

/** For a statement whose text follows what a caller asked: planned for this once, so that no caller uses up the names. */
export function passingQuery(query: Sql): Sql {
  passing.add(query);
  return query;
}

export const isPassing = (query: Query): boolean => passing.has(query);

/**
 * An array for PostgreSQL of what needs no care: numbers, SIDs, instants, hexadecimal. The driver would look through each
 * element for what must be escaped, which for thousands a second costs more than all else about them. What somebody else
 * chose the text of is given as a JavaScript array instead.
 */
export function plainArray(elements: (string | number | null)[]): string {
  if (/["\\]/.test(elements.join(''))) throw new Error('not an array of plain elements');
  const quoted = elements.map((element) =>
    typeof element === 'string' ? `"${element}"` : (element ?? 'NULL'),
  );
  return `{${quoted.join(',')}}`;
}
