// Looking for a secret where it must not stand.
import type { TestApp } from './app.ts';

// By themselves, and neither within something longer such as an id nor as the fraction of a second.
const alone = (digits: string) => `(?<![\\w.])${digits}(?!\\w)`;

/** The tables in a row of which any of these digits stand by themselves. */
export async function tablesWith({ sql }: TestApp, ...digits: string[]): Promise<string[]> {
  const tables = await sql<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname in ('public', 'graphile_worker')`,
  );
  const pattern = digits.map(alone).join('|');
  const found: string[] = [];
  for (const { name } of tables)
    if ((await sql(`select from ${name} as one where one::text ~ $1 limit 1`, [pattern])).length > 0)
      found.push(name);
  return found;
}

/** Whether a text holds any of these digits by themselves. */
export const stands = (digits: string[], text: string): boolean =>
  new RegExp(digits.map(alone).join('|')).test(text);
