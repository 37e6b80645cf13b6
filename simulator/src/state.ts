// What survives a restart. Media bytes lie in a folder of their own next to the state file; without one they are kept in
// memory, the oldest giving way.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from './log.ts';
import { openStateFile, readTables } from './state-file.ts';
import { createWorld, emptyTables, sandboxCatalogId, type World } from './world.ts';

export type State = {
  world: World;
  saveBytes(mediaId: string, bytes: Buffer): Promise<void>;
  loadBytes(mediaId: string): Promise<Buffer | null>;
  dropBytes(mediaId: string): Promise<void>;
  /** Writes what is not written yet. */
  flush(): Promise<void>;
};

const mostBytesInMemory = 256 * 1024 * 1024;

export async function openState(file: string | undefined, log: Log): Promise<State> {
  const tables = file ? await readTables(file, emptyTables(), newerFacts) : emptyTables();
  const bytes = file ? bytesInFolder(`${file}.media`) : bytesInMemory();
  if (!file) return { world: createWorld(tables, () => {}), ...bytes, flush: async () => {} };

  const { changed, flush } = await openStateFile(file, tables, log);
  return { world: createWorld(tables, changed), ...bytes, flush };
}

/** Facts a file of an earlier version lacks. */
const newerFacts: Record<string, () => object> = {
  wabas: () => ({
    catalogIds: [sandboxCatalogId],
    products: [],
    primaryFundingId: null,
    otherAppIds: [],
    grant: 0,
  }),
  numbers: () => ({ newName: null, nameChangesMs: [], pinBlockedUntilMs: 0, codeSentMs: null }),
  templates: () => ({ sampleLeft: null, correctCategory: null }),
  flows: () => ({ updatedMs: 0 }),
};

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
