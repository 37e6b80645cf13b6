// Reads share connections once these run short. Each of their statements stands by itself, so those of several reads may
// follow each other on one connection: asked and answered in fewer, larger pieces, they cost PostgreSQL about half.
import type { Writable } from 'node:stream';
import type pg from 'pg';

type Reader = { client: pg.PoolClient; users: number; heardMs: number; lost: Error | undefined };

// More than this wait for a connection, as everybody does when there is none.
const mostUsers = 32;

// One that was not heard of for longer works at something long, and nobody else should wait behind it.
const quietMs = 25;

export type Readers = <T>(work: (client: pg.PoolClient) => Promise<T>) => Promise<T>;

/** `most` bounds how many connections reads may take, so that some are left for writes. */
export function createReaders(
  pool: pg.Pool,
  { most, isLoss }: { most: number; isLoss(error: unknown): boolean },
): Readers {
  const readers = new Set<Reader>();
  const joinable = () => {
    const nowMs = performance.now();
    let least: Reader | undefined;
    for (const reader of readers) {
      if (reader.users >= mostUsers || nowMs - reader.heardMs > quietMs) continue;
      if (!least || reader.users < least.users) least = reader;
    }
    return least;
  };
  const hasRoom = () =>
    readers.size < most &&
    (pool.idleCount > 0 || pool.totalCount < pool.options.max) &&
    pool.waitingCount === 0;
  const enter = async (): Promise<Reader> => {
    const known = hasRoom() ? undefined : joinable();
    if (known) {
      known.users += 1;
      return known;
    }
    const reader = { client: await pool.connect(), users: 1, heardMs: performance.now(), lost: undefined };
    readers.add(reader);
    return reader;
  };
  const leave = (reader: Reader) => {
    reader.heardMs = performance.now();
    reader.users -= 1;
    // A connection in doubt takes nobody in any more.
    if (reader.users === 0 || reader.lost) readers.delete(reader);
    if (reader.users === 0) reader.client.release(reader.lost);
  };
  return async (work) => {
    const reader = await enter();
    gatherWrites(reader.client);
    try {
      return await work(reader.client);
    } catch (error) {
      if (isLoss(error)) reader.lost = error as Error;
      throw error;
    } finally {
      leave(reader);
    }
  };
}

const gathering = new WeakSet<Writable>();

/** What is asked in one turn of the event loop leaves in one write: a system call costs as much as a small statement. */
function gatherWrites(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  if (gathering.has(stream)) return;
  gathering.add(stream);
  stream.cork();
  setImmediate(() => {
    gathering.delete(stream);
    stream.uncork();
  });
}
