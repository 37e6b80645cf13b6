import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../platform/config.ts';
import type { Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { createSealer, generateMasterKey, parseMasterKeys, type Sealer } from '../../platform/sealing.ts';

/** The configured key, or one made once and kept beside the data. */
export async function openSealer(masterKey: string | null, dataDir: string): Promise<Sealer> {
  if (masterKey === null) {
    // `wx` lets exactly one of several starting processes make the key.
    await writeFile(keyFile(dataDir), `${generateMasterKey()}\n`, { flag: 'wx', mode: 0o600 }).catch(
      (error) => {
        if (error.code !== 'EEXIST') throw error;
      },
    );
  }
  return existingSealer(masterKey, dataDir);
}

/** The same without making a key: for commands that only look. */
export async function existingSealer(masterKey: string | null, dataDir: string): Promise<Sealer> {
  if (masterKey !== null) return createSealer(parseMasterKeys(masterKey));
  const text = await readFile(keyFile(dataDir), 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    throw new ConfigError(
      `There is no master key in ${dataDir} yet. Start the service first, or set DATA_DIR or MASTER_KEY to those of the one that runs.`,
    );
  });
  return createSealer(parseMasterKeys(text.trim()));
}

const keyFile = (dataDir: string) => join(dataDir, 'master.key');

const context = 'master-key-proof';

/** Stops the start when the key does not fit the database: everything sealed in it would be unreadable. */
export async function proveMasterKey(database: Database, sealer: Sealer): Promise<void> {
  const proof = await database.system(async (s) => {
    await s.run(sql`
      insert into settings (name, value) values (${context}, ${sealer.seal(context, context)})
      on conflict (name) do nothing`);
    return s.one<{ value: Buffer }>(sql`select value from settings where name = ${context}`);
  });
  try {
    sealer.open(proof.value, context);
  } catch {
    throw new ConfigError(
      'MASTER_KEY does not fit this database: what is sealed in it was sealed with another key. ' +
        'Set MASTER_KEY to that key, or restore the file master.key that belongs to this database.',
    );
  }
}
