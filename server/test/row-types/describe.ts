// What PostgreSQL says of a statement: the columns of its result, their types, and whether they can be null.
import type pg from 'pg';
import { types } from '../../src/platform/db/values.ts';
import { isNode, parseTree, type Tree, type TreeNode } from './node-tree.ts';
import { type Catalogue, nullableColumns } from './nullable.ts';

/** What a value becomes in a row. */
export type Kind = 'string' | 'number' | 'boolean' | 'Buffer' | 'Date' | 'anything' | { arrayOf: Kind };
export type Column = { name: string; type: string; kind: Kind; nullable: boolean | null };

export type Describe = (text: string) => Promise<Column[]>;

/** `alwaysSet` are columns that nobody leaves empty although the schema lets them. */
export async function describing(client: pg.Client, alwaysSet: string[] = []): Promise<Describe> {
  const catalogue = await readCatalogue(client, alwaysSet);
  const kinds = await readKinds(client);
  let count = 0;
  return async (text) => {
    count += 1;
    const name = `described_${count}`;
    await client.query(`prepare ${name} as ${text}`);
    const [prepared] = (
      await client.query<{ parameters: string; results: string[] }>(
        `select array_to_string(parameter_types, ', ') as parameters, result_types::oid[]::text[] as results
           from pg_prepared_statements where name = '${name}'`,
      )
    ).rows;
    // A function keeps what PostgreSQL understood of its statement.
    await client.query(
      `create function pg_temp.${name}(${prepared!.parameters}) returns setof record begin atomic ${text}; end`,
    );
    const { rows } = await client.query<{ body: string }>(
      `select prosqlbody::text as body from pg_proc where proname = '${name}'`,
    );
    const statement = firstQuery(parseTree(rows[0]!.body))!;
    const nullable = nullableColumns(statement, catalogue);
    return [...nullable].map(([column, isNullable], index) => {
      const type = kinds.get(prepared!.results[index]!)!;
      return { name: column, type: type.name, kind: type.kind, nullable: isNullable };
    });
  };
}

function firstQuery(tree: Tree): TreeNode | undefined {
  if (isNode(tree)) return tree;
  return Array.isArray(tree) ? tree.map(firstQuery).find((found) => found !== undefined) : undefined;
}

// Strict ones that answer null for some that is not.
const partial =
  /^(jsonb?_(object_field|array_element|extract_path)|array_(length|lower|upper|position|ndims)|substring|regexp_|nullif|to_reg|json.*_path|lower$|upper$|obj_description|col_description|bit_count$|split)/;

async function readCatalogue(client: pg.Client, alwaysSet: string[]): Promise<Catalogue> {
  const columns = await client.query<{ key: string }>(
    `select attrelid || ' ' || attnum as key from pg_attribute
      where attnum > 0 and (attnotnull or attrelid::regclass || '.' || attname = any ($1))`,
    [alwaysSet],
  );
  const functions = await client.query<{ oid: string; name: string; text: boolean }>(
    `select oid::text, proname as name, proargtypes[0] in ('text'::regtype, 'varchar'::regtype) as text
       from pg_proc where proisstrict and prokind = 'f' and provolatile <> 'v' and not proretset and prolang in
         (select oid from pg_language where lanname in ('internal', 'c'))`,
  );
  const counts = await client.query<{ oid: string }>(`select oid::text from pg_proc where proname = 'count'`);
  const notNull = new Set(columns.rows.map(({ key }) => key));
  // "lower" and "upper" of a range may have no answer; of a text they have.
  const total = functions.rows.filter(
    ({ name, text }) => !partial.test(name) || (text && /^(low|upp)er$/.test(name)),
  );
  const totals = new Set(total.map(({ oid }) => oid));
  const counting = new Set(counts.rows.map(({ oid }) => oid));
  return {
    isNotNull: (table, column) => notNull.has(`${table} ${column}`),
    isTotal: (fn) => totals.has(fn),
    isCount: (aggregate) => counting.has(aggregate),
  };
}

type TypeRow = { oid: string; name: string; category: string; element: string | null };

const samples: Record<string, string> = {
  bool: 't',
  bytea: '\\x00',
  timestamptz: '2026-08-21 10:00:00+00',
  timestamp: '2026-08-21 10:00:00',
  date: '2026-08-21',
};

/** What our readers make of each type, by letting them read one. */
async function readKinds(client: pg.Client): Promise<Map<string, { name: string; kind: Kind }>> {
  const { rows } = await client.query<TypeRow>(
    `select t.oid::text, t.typname as name, t.typcategory as category, e.typname as element
       from pg_type t left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'`,
  );
  const known = new Map(rows.map((row) => [row.name, row]));
  return new Map(rows.map((row) => [row.oid, { name: row.name, kind: kindOf(row, known) }]));
}

function kindOf({ oid, name, category, element }: TypeRow, known: Map<string, TypeRow>): Kind {
  if (/^jsonb?$/.test(name)) return 'anything';
  const read = types.getTypeParser(Number(oid), 'text');
  const sample = (of: { name: string; category: string }) =>
    samples[of.name] ?? (of.category === 'N' ? '1' : 'x');
  if (element !== null) {
    if (/^jsonb?$/.test(element)) return Array.isArray(read('{}')) ? { arrayOf: 'anything' } : 'string';
    const list = read(`{"${sample(known.get(element)!).replaceAll('\\', '\\\\')}"}`);
    return Array.isArray(list) ? { arrayOf: kindOfValue(list[0]) } : 'string';
  }
  try {
    return kindOfValue(read(sample({ name, category })));
  } catch {
    return 'anything';
  }
}

function kindOfValue(value: unknown): Kind {
  if (Buffer.isBuffer(value)) return 'Buffer';
  if (value instanceof Date) return 'Date';
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return typeof value as Kind;
  return 'anything';
}
