// Tables that survive a restart, in one file: written whole, beside the old one, and put in its place.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Log } from './log.ts';

export type StateFile = {
  /** The tables are not as they are written. */
  changed(): void;
  /** Writes what is not written yet. */
  flush(): Promise<void>;
};

const writeAfterMs = 100;
const writeAgainMs = 1_000;

export async function openStateFile(file: string, tables: object, log: Log): Promise<StateFile> {
  await mkdir(dirname(file), { recursive: true });
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  const write = () => {
    timer = null;
    const before = writing.catch(() => {});
    writing = before.then(async () => {
      await writeFile(`${file}.new`, JSON.stringify(tables, mapsAsEntries));
      await rename(`${file}.new`, file);
    });
    return writing;
  };
  /** A disk that is full for a moment costs a delay. */
  const writeAfter = (ms: number) => {
    timer ??= setTimeout(() => {
      write().catch((error: Error) => {
        log('warn', 'what it knows cannot be written down yet', { reason: error.message });
        writeAfter(writeAgainMs);
      });
    }, ms).unref();
  };
  return {
    changed: () => writeAfter(writeAfterMs),
    async flush() {
      if (timer) {
        clearTimeout(timer);
        await write();
      }
      await writing;
    },
  };
}

const mapsAsEntries = (_key: string, value: unknown) => (value instanceof Map ? [...value] : value);

/** Fills empty tables with what the file holds. `newerFacts`: what rows of an earlier version lack, by table. */
export async function readTables<T extends object>(
  file: string,
  tables: T,
  newerFacts: Record<string, () => object> = {},
): Promise<T> {
  const text = await readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return tables;
  const stored = JSON.parse(text) as Record<string, [string, object][]>;
  for (const [name, table] of Object.entries(tables) as [string, Map<string, object>][]) {
    for (const [id, row] of stored[name] ?? []) table.set(id, { ...newerFacts[name]?.(), ...row });
  }
  return tables;
}
