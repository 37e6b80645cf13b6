import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdingOf, holdings } from '../src/main/personal-data.ts';
import { startTestApp } from './harness/app.ts';

type Column = { table: string; column: string; type: string; target: number | null };

test('every text, json and bytea column says whether it holds something of a person, and none of a contact is sampled', async (context) => {
  const app = await startTestApp(context);
  const columns = await app.sql<Column>(
    `select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type, a.attstattarget as target
       from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
        and a.atttypid in ('text'::regtype, 'text[]'::regtype, 'json'::regtype, 'json[]'::regtype, 'jsonb'::regtype,
          'jsonb[]'::regtype, 'bytea'::regtype, 'bytea[]'::regtype) order by 1, 2`,
  );
  const named = ({ table, column }: Column) => `${table}.${column}`;
  const unknown = columns.filter(({ table, column }) => holdingOf(table, column) === undefined);
  assert.deepEqual(unknown.map(named), [], 'classify them in server/src/main/personal-data.ts');

  const existing = new Set(columns.map(named));
  const tables = new Set(columns.map(({ table }) => table));
  const gone = Object.entries(holdings)
    .filter(([table]) => tables.has(table))
    .flatMap(([table, held]) => Object.keys(held).map((column) => `${table}.${column}`))
    .filter((column) => !existing.has(column));
  assert.deepEqual(gone, [], 'these columns are gone');

  // Of json, which knows no order, PostgreSQL keeps no values anyway.
  const sampled = columns.filter(
    ({ table, column, type, target }) =>
      holdingOf(table, column)?.of === 'contact' && type !== 'json' && type !== 'json[]' && target !== 0,
  );
  assert.deepEqual(sampled.map(named), [], 'call without_samples for them in a migration');
});
