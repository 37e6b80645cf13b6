// Writes what follows from the migrations: server/migrations/schema.sql, the whole schema on one page for people. With
// --check it changes nothing and fails when that is not current.
import pg from 'pg';
import { inDatabase, startTestPostgres } from '../server/test/harness/postgres.ts';
import { generated } from './generated-file.ts';

const server = await startTestPostgres();
const schema = await dumpSchema(inDatabase(server.url, server.template));
if (server.started) await server.stop();

await generated('server/migrations/schema.sql', schema);

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
