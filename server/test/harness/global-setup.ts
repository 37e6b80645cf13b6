import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { removeAtOnce, startTestPostgres, stopTestPostgres } from './postgres.ts';

let server: Awaited<ReturnType<typeof startTestPostgres>>;
// Held for the whole run: it shows other runs of this checkout that the server is still needed.
let presence: pg.Client;
// Of the whole suite, whose data folders are deleted together at its end: a file system such as ext4 passes over every file deleted
// within the last minutes before it makes a new one, and a cluster has more than two thousand.
let dataFolders: string | undefined;

export async function globalSetup(): Promise<void> {
  server = await startTestPostgres();
  presence = new pg.Client({ connectionString: server.url });
  presence.on('error', () => {});
  await presence.connect();
  process.env.TEST_DATABASE_URL = server.url;
  process.env.TEST_DATABASE_TEMPLATE = server.template;
  if (!process.env.TEST_WHOLE_SUITE) return;
  dataFolders = await mkdtemp(join(tmpdir(), 'godwit-tests-'));
  await chmod(dataFolders, 0o755);
  process.env.TEST_DATA_FOLDERS = dataFolders;
}

export async function globalTeardown(): Promise<void> {
  if (dataFolders) removeAtOnce(dataFolders);
  const { rowCount } = await presence.query(
    "select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  const isLast = rowCount === 0;
  if (isLast) await stopTestPostgres(server, presence);
  else await presence.end();
}
