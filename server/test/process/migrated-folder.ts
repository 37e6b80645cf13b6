// Data folders whose database has its schema already. Making a cluster and applying every migration is most of what a first start costs:
// where a test is about something else it is done once a run, and the files are copied.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '../../src/platform/db/setup/embedded-postgres.ts';
import { migrate } from '../../src/platform/db/setup/migrate.ts';
import type { Lifetime } from '../harness/lifetime.ts';
import { migrationsDigest, oneAtATime, runFolder } from '../harness/postgres.ts';
import { dataFolder } from './godwit.ts';

/** Of one run, or of all that have the same migrations; never started itself, and never changed. */
const kept = () => join(runFolder, `migrated-${migrationsDigest()}`);
const cluster = 'postgres';
const password = 'postgres.password';

/** As `dataFolder` makes it, with a database of its own that has the newest schema and nothing else: its first start makes the demo. */
export async function migratedFolder(lifetime: Lifetime): Promise<string> {
  const folder = await dataFolder(lifetime);
  // Where no test run would remove what is kept, the first start makes everything.
  if (!process.env.TEST_DATABASE_URL) return folder;
  const isMade = await oneAtATime('migrated folder', async () => !existsSync(kept()) && (await make(folder)));
  if (!isMade) await copy(kept(), folder);
  return folder;
}

async function make(folder: string): Promise<true> {
  // Nothing of it must survive a crash of the machine.
  const server = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: 'off' } });
  await migrate(server.url).finally(() => server.stop());
  // A cluster that had to be put elsewhere is only linked to, and two must never share one.
  if (server.location !== join(folder, cluster)) return true;
  // Copied beside and renamed, so that half a copy is never used.
  const half = `${kept()}-half`;
  await rm(half, { recursive: true, force: true });
  await mkdir(half);
  await copy(folder, half);
  await rename(half, kept());
  return true;
}

/** With its owner, who is not root where root runs the tests. */
async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', join(from, cluster), join(from, password), to]);
}
