// Files on their way: written to this machine's disk as their bytes come, hashed and counted, before anybody keeps them.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export type SpooledFile = { path: string; sizeBytes: number; sha256: string };

export type SpoolWriter = {
  write(chunk: Uint8Array): Promise<void>;
  /** Flushed to the disk before it counts as written: what is moved to its place later is whole, also after a crash. */
  end(): Promise<SpooledFile>;
  /** Gives up and removes the file. */
  discard(): Promise<void>;
};

export type Spool = {
  open(): Promise<SpoolWriter>;
  /** Takes all of a stream, or leaves nothing behind. */
  fill(source: AsyncIterable<Uint8Array>): Promise<SpooledFile>;
  /** Removes what a crash left behind. */
  sweep(olderThan: Date): Promise<void>;
};

export function createSpool(folder: string): Spool {
  const openWriter = async () => {
    await mkdir(folder, { recursive: true });
    return writerTo(join(folder, randomUUID()));
  };
  return {
    open: openWriter,
    async fill(source) {
      const writer = await openWriter();
      try {
        for await (const chunk of source) await writer.write(chunk);
        return await writer.end();
      } catch (error) {
        await writer.discard();
        throw error;
      }
    },
    async sweep(olderThan) {
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name);
        const found = await stat(path).catch(() => null);
        if (found && found.mtime < olderThan) await rm(path, { force: true });
      }
    },
  };
}

async function writerTo(path: string): Promise<SpoolWriter> {
  const file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let closed = false;
  const close = async () => {
    if (!closed) await file.close();
    closed = true;
  };
  return {
    async write(chunk) {
      sizeBytes += chunk.length;
      hash.update(chunk);
      await file.appendFile(chunk);
    },
    async end() {
      await file.sync();
      await close();
      return { path, sizeBytes, sha256: hash.digest('hex') };
    },
    async discard() {
      await close();
      await rm(path, { force: true });
    },
  };
}
