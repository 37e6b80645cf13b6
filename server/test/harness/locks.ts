// Stops the service at a row or a table it needs, so that a test can let things happen in between.
import type { TestApp } from './app.ts';
import { ownerPool } from './postgres.ts';
import { until } from './until.ts';

/** Resolves once this many statements wait for a lock. */
export async function waitersAre(app: TestApp, number: number): Promise<void> {
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await until(`${number} statements wait`, async () => (await app.sql(waiting)).length >= number);
}

export const lockRows = (app: TestApp, tableAndWhere: string) =>
  hold(app, `select from ${tableAndWhere} for update`);

export const lockTable = (app: TestApp, table: string) => hold(app, `lock table ${table}`);

async function hold(app: TestApp, statement: string) {
  const pool = ownerPool(app.databaseUrl);
  const client = await pool.connect();
  await client.query('begin');
  await client.query(statement);
  return {
    waitersAre: (number: number) => waitersAre(app, number),
    async release(): Promise<void> {
      await client.query('commit');
      client.release();
      await pool.end();
    },
  };
}
