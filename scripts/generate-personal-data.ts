// Writes docs/generated/personal-data.md: which columns hold something of a person, and what becomes of it when a contact is erased.
import { readFile } from 'node:fs/promises';
import { type Holder, holdingOf } from '../server/src/main/personal-data.ts';
import { generated } from './generated-file.ts';

const schema = await readFile(new URL('../server/migrations/schema.sql', import.meta.url), 'utf8');
const tables = [...schema.matchAll(/^create table (\w+) \(\n(.*?)^\);/gms)].map(([, table, columns]) => ({
  table: table!,
  columns: [...columns!.matchAll(/^ {2}(\w+) (?:text|jsonb?|bytea)\b/gm)].map(([, column]) => column!),
}));

const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;

function section(of: Holder): string {
  const rows = tables.flatMap(({ table, columns }) => {
    const byErasure = Map.groupBy(
      columns.filter((column) => holdingOf(table, column)?.of === of),
      (column) => holdingOf(table, column)!.erasure,
    );
    return [...byErasure].map(([erasure, names]) => row(table, names.join(', '), erasure));
  });
  return [row('Table', 'Columns', 'When a contact is erased'), row('---', '---', '---'), ...rows].join('\n');
}

const text = [
  '# Where personal data lies',
  '<!-- Generated from server/src/main/personal-data.ts and the schema by "npm run generate". -->',
  'Every column of the types text, json, jsonb and bytea is classified; those that are not listed hold references, states, codes and the like. No column with something of a contact is sampled by PostgreSQL.',
  '## Of contacts',
  section('contact'),
  '## Of people who sign in',
  section('user'),
  '## Of the business',
  section('business'),
].join('\n\n');

await generated('docs/generated/personal-data.md', `${text}\n`);
