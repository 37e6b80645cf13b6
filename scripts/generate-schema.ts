// Writes what follows from the migrations: the TypeScript types of every table, and server/migrations/schema.sql, the
// whole schema on one page for people. With --check it changes nothing and fails when they are not current.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { inDatabase, startTestPostgres } from '../server/test/harness/postgres.ts';
import { generated } from './generated-file.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const server = await startTestPostgres();
const url = inDatabase(server.url, server.template);
const wanted = {
  'server/src/platform/db/types.generated.ts': await generateTypes(url),
  'server/migrations/schema.sql': await dumpSchema(url),
};
if (server.started) await server.stop();

for (const [path, text] of Object.entries(wanted)) await generated(path, text);

async function generateTypes(databaseUrl: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'godwit-types-'));
  const out = join(folder, 'types.ts');
  const client = join(root, 'node_modules/kysely-codegen/dist/cli/bin.js');
  const flags = ['--dialect', 'postgres', '--default-schema', 'public', '--out-file', out];
  await promisify(execFile)(
    process.execPath,
    [
      client,
      '--url',
      databaseUrl,
      '--exclude-pattern',
      'graphile_worker.*',
      '--log-level',
      'error',
      ...flags,
    ],
    { cwd: folder },
  );
  const text = await readFile(out, 'utf8');
  await rm(folder, { recursive: true });
  // Our connections read instants as the wire writes them, as text.
  return text.replace('Timestamp = ColumnType<Date,', 'Timestamp = ColumnType<string,');
}

async function dumpSchema(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const read = async (text: string) =>
    (await client.query<{ line: string }>(text)).rows.map(({ line }) => line);
  const tables = await client.query<{ name: string; oid: number }>(
    `select c.relname as name, c.oid from pg_class c where c.relnamespace = 'public'::regnamespace
       and c.relkind in ('r', 'p') order by 1`,
  );
  const parts = [
    '-- The schema as the migrations leave it. Generated: run "npm run generate" after adding a migration.',
  ];
  for (const { name, oid } of tables.rows) {
    const columns = await read(`select '  ' || quote_ident(attname) || ' ' || format_type(atttypid, atttypmod)
      || case when attnotnull then ' not null' else '' end
      || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as line
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where attrelid = ${oid} and attnum > 0 and not attisdropped order by attnum`);
    const constraints =
      await read(`select '  constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid)
      as line from pg_constraint where conrelid = ${oid} and contype <> 'n' order by contype desc, conname`);
    const others = await read(`
      select pg_get_indexdef(indexrelid) || ';' as line from pg_index where indrelid = ${oid} and not exists
        (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))
      union all select pg_get_triggerdef(oid) || ';' from pg_trigger where tgrelid = ${oid} and not tgisinternal
      union all select 'create policy ' || polname || ' to ' || array_to_string(array(select rolname from pg_roles
        where oid = any (polroles) order by 1), ', ') || coalesce(' using ' || pg_get_expr(polqual, polrelid), '')
        || coalesce(' with check ' || pg_get_expr(polwithcheck, polrelid), '') || ';' from pg_policy
        where polrelid = ${oid}
      union all select 'grant ' || lower(string_agg(privilege_type, ', ' order by privilege_type)) || ' to ' || grantee
        || ';' from information_schema.role_table_grants where table_schema = 'public' and table_name = '${name}'
        and grantee in ('godwit_tenant', 'godwit_system', 'godwit_search', 'godwit_ledger') group by grantee
      order by 1`);
    parts.push(
      [`create table ${name} (`, [...columns, ...constraints].join(',\n'), ');', ...others].join('\n'),
    );
  }
  // What an extension brings is its own affair; that it is there is ours.
  const extensions = await read(
    `select 'create extension ' || extname || ';' as line from pg_extension where extname <> 'plpgsql' order by 1`,
  );
  const functions = await read(`select pg_get_functiondef(oid) || ';' as line from pg_proc
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
    order by proname`);
  await client.end();
  const [title, ...tableParts] = parts;
  const head = extensions.length > 0 ? [title, extensions.join('\n')] : [title];
  return `${[...head, ...tableParts, ...functions.map((text) => text.trim())].join('\n\n')}\n`;
}
