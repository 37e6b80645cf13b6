// Applies the SQL files of server/migrations in the order of their names, each once, forward only.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sha256Hex } from '../../hashing.ts';
import { type Connection, connect } from '../connect.ts';

const folder = fileURLToPath(new URL('../../../../migrations/', import.meta.url));
// Any number will do, as long as every process takes the same one.
const migrationLock = 4_201_001;

export type Migration = { name: string; text: string; checksum: string };
export type MigrationReport = { applied: string[]; total: number };

/** One after the other: hundreds of small files cost several times as much when each is asked for by way of a thread. */
export function readMigrations(): Migration[] {
  const names = readdirSync(folder).filter((name) => /^\d{4}_.*\.sql$/.test(name));
  return names.sort().map((name) => {
    const text = readFileSync(folder + name, 'utf8');
    return { name, text, checksum: sha256Hex(text) };
  });
}

export async function migrate(url: string, onApplied?: (name: string) => void): Promise<MigrationReport> {
  const client = await connect(url, { settings: '-c timezone=UTC -c lock_timeout=10s' });
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    const pending = await pendingMigrations(client);
    for (const migration of pending.migrations) {
      await apply(client, migration);
      onApplied?.(migration.name);
    }
    await migrateQueue(client, url);
    return { applied: pending.migrations.map(({ name }) => name), total: pending.total };
  } finally {
    await client.end();
  }
}

/** What a database still lacks; a file that changed after it was applied is an error. */
export async function pendingMigrations(
  client: Connection,
): Promise<{ migrations: Migration[]; total: number }> {
  await client.query(
    'create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
  );
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  );
  const applied = new Map(rows.map((row) => [row.name, row.checksum]));
  const all = readMigrations();
  for (const { name, checksum } of all) {
    const before = applied.get(name);
    if (before !== undefined && before !== checksum) {
      throw new Error(
        `${name} was changed after it was applied to this database. Add a new migration instead.`,
      );
    }
  }
  return { migrations: all.filter(({ name }) => !applied.has(name)), total: all.length };
}

async function apply(client: Connection, { name, text, checksum }: Migration): Promise<void> {
  // An index on a living table is built concurrently, which PostgreSQL allows only outside a transaction.
  const alone = text.startsWith('-- no transaction');
  try {
    if (!alone) await client.query('begin');
    await client.query(text);
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum]);
    if (!alone) await client.query('commit');
  } catch (error) {
    if (!alone) await client.query('rollback');
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** The job queue brings its own schema; it is asked only when that is missing or behind. */
async function migrateQueue(client: Connection, url: string): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(
    "select to_regclass('graphile_worker.migrations') is not null as found",
  );
  if (rows[0]?.found) {
    const { rows: heads } = await client.query<{ id: number }>(
      'select max(id) as id from graphile_worker.migrations',
    );
    if ((heads[0]?.id ?? 0) >= queueSchemaVersion) return;
  }
  const { runMigrations } = await import('graphile-worker');
  await runMigrations({ connectionString: url });
}

// The number of the newest migration inside the installed graphile-worker.
const queueSchemaVersion = 19;
