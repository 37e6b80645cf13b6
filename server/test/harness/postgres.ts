// One PostgreSQL for a whole test run, and a database of its own, cloned from a migrated template, for every file.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/db/setup/embedded-postgres.ts';
import { migrate, readMigrations } from '../../src/platform/db/setup/migrate.ts';
import { sha256Hex } from '../../src/platform/hashing.ts';

const folder = join(fileURLToPath(new URL('../../../', import.meta.url)), '.godwit');
/** The whole suite has a folder of its own, which is deleted with all its databases: dropping them one by one takes longer. */
export const runFolder = join(folder, process.env.TEST_WHOLE_SUITE ? 'test-all' : 'test');

// Nothing of a test run must survive a crash of the machine, so the disk need not be waited for.
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  log_checkpoints: 'off',
  // Databases that nobody needs any more would be looked at all the time, and plans would change at any moment.
  autovacuum: 'off',
  max_connections: '400',
};

export async function startTestPostgres(): Promise<EmbeddedPostgres & { template: string }> {
  const server = await startEmbeddedPostgres({ dataDir: runFolder, settings });
  const template = `template_${migrationsDigest()}`;
  const admin = await connect(server.url);
  try {
    await admin.query('select pg_advisory_lock(7001)');
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [template]);
    if (rowCount === 0) await makeTemplate(admin, server.url, template);
  } finally {
    await admin.end();
  }
  return { ...server, template };
}

/** What was made by these migrations can be used as long as they are the same. */
export const migrationsDigest = () =>
  sha256Hex(
    readMigrations()
      .map(({ checksum }) => checksum)
      .join(),
  ).slice(0, 12);

async function makeTemplate(admin: pg.Client, url: string, template: string): Promise<void> {
  // Built under another name, so that a half-made template is never cloned.
  const half = `${template}_half`;
  await admin.query(`drop database if exists ${half} with (force)`);
  await admin.query(`create database ${half}`);
  await migrate(inDatabase(url, half));
  await admin.query(`alter database ${half} rename to ${template}`);
}

export function inDatabase(url: string, name: string): string {
  return url.replace(/\/[a-z0-9_]+(\?|$)/, `/${name}$1`);
}

/** A fresh, migrated database, gone when the test ends. */
export async function cloneDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const url = process.env.TEST_DATABASE_URL;
  const template = process.env.TEST_DATABASE_TEMPLATE;
  if (!url || !template)
    throw new Error('Run tests with "npm run test:only -- <files>", which starts PostgreSQL.');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await withAdmin(url, (admin) =>
    admin.query(`create database ${name} template ${template} strategy file_copy`),
  );
  return {
    url: inDatabase(url, name),
    drop: () => withAdmin(url, (admin) => dropBeyondLimit(admin, name)),
  };
}

/** The database as it stands now, under another name: as a backup that is restored. Nobody may be connected to it. */
export async function copyDatabase(url: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const [, copied] = /\/([a-z0-9_]+)(\?|$)/.exec(url)!;
  await withAdmin(process.env.TEST_DATABASE_URL!, (admin) =>
    admin.query(`create database ${name} template ${copied} strategy file_copy`),
  );
  return inDatabase(url, name);
}

// As many as are kept until the end of the run: some 5 GB. All of them are, some 9 GB, where the disk has twice as much room left.
const mostKept = 250;
const ampleBytes = 20e9;

/**
 * Usually a database stays until the end of the run. A file system such as ext4 passes over every file deleted within the
 * last minutes before it makes a new one, and a database has a thousand files: dropping each at once took half of
 * PostgreSQL's time.
 */
async function dropBeyondLimit(admin: pg.Client, name: string): Promise<void> {
  if ((await freeBytes(admin)) > ampleBytes) return;
  if ((await testDatabases(admin)).length > mostKept) await dropDatabase(admin, name);
}

async function freeBytes(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ data_directory: string }>('show data_directory');
  const { bavail, bsize } = await statfs(rows[0]!.data_directory);
  return bavail * bsize;
}

async function testDatabases(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(
    "select datname as name from pg_database where starts_with(datname, 'test_')",
  );
  return rows.map(({ name }) => name);
}

/** Stops PostgreSQL without the databases that this run left, and those of one that was killed. */
export async function stopTestPostgres(server: EmbeddedPostgres, admin: pg.Client): Promise<void> {
  const dropsAll = Boolean(process.env.TEST_WHOLE_SUITE);
  if (!dropsAll) for (const name of await testDatabases(admin)) await dropDatabase(admin, name);
  await admin.end();
  await server.stop();
  const gone = dropsAll ? [server.location, runFolder] : [];
  for (const path of gone) removeAtOnce(path);
}

/** Nothing else happens meanwhile: hundreds of thousands of files take five times as long when each is asked for by way of a thread. */
export const removeAtOnce = (folder: string) =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });

/** PostgreSQL itself waits some seconds for closed connections to be gone; one that stays after that is ended by force. */
async function dropDatabase(admin: pg.Client, name: string): Promise<void> {
  await admin
    .query(`drop database ${name}`)
    .catch(() => admin.query(`drop database if exists ${name} with (force)`));
}

/** Work that no two processes of a run do at once; one that dies in it hinders nobody. */
export async function oneAtATime<T>(what: string, work: () => Promise<T>): Promise<T> {
  const admin = await connect(process.env.TEST_DATABASE_URL!);
  try {
    await admin.query('select pg_advisory_lock(hashtextextended($1, 0))', [what]);
    return await work();
  } finally {
    await admin.end();
  }
}

/** Connections with every right: for looking, and for breaking things on purpose. */
export function ownerPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on('error', () => {}); // the test may take the database away
  return pool;
}

async function withAdmin(url: string, work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = await connect(url);
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
