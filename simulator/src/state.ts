// What survives a restart, in one file: written whole, beside the old one, and put in its place. Media bytes lie in a
// folder of their own next to it; without a state file they are kept in memory, the oldest giving way.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Log } from './log.ts';
import { createWorld, emptyTables, sandboxCatalogId, type Tables, type World } from './world.ts';

export type State = {
  world: World;
  saveBytes(mediaId: string, bytes: Buffer): Promise<void>;
  loadBytes(mediaId: string): Promise<Buffer | null>;
  dropBytes(mediaId: string): Promise<void>;
  /** Writes what is not written yet. */
  flush(): Promise<void>;
};

const mostBytesInMemory = 256 * 1024 * 1024;
const writeAfterMs = 100;
const writeAgainMs = 1_000;

export async function openState(file: string | undefined, log: Log): Promise<State> {
  const tables = file ? await readTables(file) : emptyTables();
  const bytes = file ? bytesInFolder(`${file}.media`) : bytesInMemory();
  if (!file) return { world: createWorld(tables, () => {}), ...bytes, flush: async () => {} };

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
  const changed = () => writeAfter(writeAfterMs);
  const flush = async () => {
    if (timer) {
      clearTimeout(timer);
      await write();
    }
    await writing;
  };
  return { world: createWorld(tables, changed), ...bytes, flush };
}

const mapsAsEntries = (_key: string, value: unknown) => (value instanceof Map ? [...value] : value);

/** Facts a file of an earlier version lacks. */
const newerFacts: Record<string, () => object> = {
  wabas: () => ({ catalogIds: [sandboxCatalogId], products: [] }),
  numbers: () => ({ newName: null, nameChangesMs: [], pinBlockedUntilMs: 0 }),
  templates: () => ({ sampleLeft: null, correctCategory: null }),
  flows: () => ({ updatedMs: 0 }),
};

async function readTables(file: string): Promise<Tables> {
  const text = await readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  const tables = emptyTables();
  if (text === null) return tables;
  const stored = JSON.parse(text) as Record<string, [string, object][]>;
  for (const [name, table] of Object.entries(tables) as [string, Map<string, object>][]) {
    for (const [id, row] of stored[name] ?? []) table.set(id, { ...newerFacts[name]?.(), ...row });
  }
  return tables;
}

function bytesInFolder(folder: string) {
  return {
    async saveBytes(mediaId: string, bytes: Buffer) {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, mediaId), bytes);
    },
    loadBytes: (mediaId: string) => readFile(join(folder, mediaId)).catch(() => null),
    dropBytes: (mediaId: string) => rm(join(folder, mediaId), { force: true }),
  };
}

function bytesInMemory() {
  const kept = new Map<string, Buffer>();
  let size = 0;
  const drop = (mediaId: string) => {
    size -= kept.get(mediaId)?.length ?? 0;
    kept.delete(mediaId);
  };
  return {
    async saveBytes(mediaId: string, bytes: Buffer) {
      kept.set(mediaId, bytes);
      size += bytes.length;
      for (const [oldest] of kept) {
        if (size <= mostBytesInMemory || oldest === mediaId) break;
        drop(oldest);
      }
    },
    loadBytes: async (mediaId: string) => kept.get(mediaId) ?? null,
    dropBytes: async (mediaId: string) => drop(mediaId),
  };
}
