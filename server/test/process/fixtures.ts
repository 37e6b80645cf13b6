// What several process tests stand on.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { openCore } from '../../src/main/process/core.ts';
import { type Bootstrapped, bootstrap } from '../../src/main/process/demo.ts';
import { readConfig } from '../../src/main/settings.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import { generateMasterKey } from '../../src/platform/sealing.ts';
import { patience } from '../harness/app.ts';
import type { Lifetime } from '../harness/lifetime.ts';
import { cloneDatabase } from '../harness/postgres.ts';
import { atEnd, dataFolder, type Environment } from './godwit.ts';

/** For what the tests of a suite share. To be called in the suite itself: inside a hook `after` would mean the hook. */
export type Given = Environment & { DATABASE_URL: string; DATA_DIR: string; MASTER_KEY: string };

/** The environment of processes that share one fresh database. */
export async function freshDatabase(lifetime: Lifetime): Promise<Given> {
  const DATA_DIR = await dataFolder(lifetime);
  const { url, drop } = await cloneDatabase();
  atEnd(lifetime, drop);
  return { DATABASE_URL: url, DATA_DIR, MASTER_KEY: generateMasterKey() };
}

/** A connection with the owner's rights: for looking, and for breaking things on purpose. */
export async function ownerOf(lifetime: Lifetime, { DATABASE_URL }: Given): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: DATABASE_URL });
  client.on('error', () => {}); // the test may take the database away
  await client.connect();
  atEnd(lifetime, () => client.end());
  return client;
}

export type { Bootstrapped };

/** What the command `bootstrap` makes, made in this process: the start of another costs more than all the rest. */
export async function bootstrapped(env: Given): Promise<Bootstrapped> {
  const config = readConfig(env);
  const log = silentLog;
  const { database } = await openCore(config, env.DATABASE_URL, log, patience);
  const names = { organizationName: 'My organization', accountName: 'My account' };
  try {
    return await bootstrap({ database, clock: systemClock, log }, { ...names, region: config.region });
  } finally {
    await database.close();
  }
}

/** A Node of the system that is older than the one this project runs on; null when there is none. */
export async function olderNode(): Promise<string | null> {
  const run = promisify(execFile);
  for (const path of ['/usr/bin/node', '/usr/local/bin/node', '/opt/homebrew/bin/node']) {
    const version = await run(path, ['--version']).catch(() => null);
    if (version && Number(/^v(\d+)/.exec(version.stdout)?.[1]) < 24) return path;
  }
  return null;
}
