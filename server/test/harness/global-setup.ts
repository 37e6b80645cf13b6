import pg from 'pg';
import { startTestPostgres, stopTestPostgres } from './postgres.ts';

let server: Awaited<ReturnType<typeof startTestPostgres>>;
// Held for the whole run: it shows other runs of this checkout that the server is still needed.
let presence: pg.Client;

export async function globalSetup(): Promise<void> {
  server = await startTestPostgres();
  presence = new pg.Client({ connectionString: server.url });
  presence.on('error', () => {});
  await presence.connect();
  process.env.TEST_DATABASE_URL = server.url;
  process.env.TEST_DATABASE_TEMPLATE = server.template;
}

export async function globalTeardown(): Promise<void> {
  const { rowCount } = await presence.query(
    "select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  const isLast = rowCount === 0;
  if (isLast) await stopTestPostgres(server, presence);
  else await presence.end();
}
