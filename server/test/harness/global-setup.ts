import pg from 'pg';
import { startTestPostgres } from './postgres.ts';

let server: Awaited<ReturnType<typeof startTestPostgres>>;

export async function globalSetup(): Promise<void> {
  server = await startTestPostgres();
  process.env.TEST_DATABASE_URL = server.url;
  process.env.TEST_DATABASE_TEMPLATE = server.template;
}

export async function globalTeardown(): Promise<void> {
  if (!(await isUsedByOthers())) await server.stop();
}

/** Two test runs of one checkout share the server; the last one stops it. */
async function isUsedByOthers(): Promise<boolean> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const { rowCount } = await client.query(
    "select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  await client.end();
  return (rowCount ?? 0) > 0;
}
