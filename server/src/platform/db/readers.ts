// Reads share connections once these run short. Each of their statements stands by itself, so those of several reads may
// follow each other on one connection: asked and answered in fewer, larger pieces, they cost PostgreSQL about half.
import type { Writable } from 'node:stream';
import type pg from 'pg';

type Reader = {
  client: Promise<pg.PoolClient>;
  users: number;
  /** When it last answered somebody; nobody knows what one works at that never did. */
  heardMs: number;
  opening: boolean;
  lost: Error | undefined;
};

// One that was not heard of for longer works at something long. Nobody waits behind it while others answer, and not many do
// when none does: the rest wait for a connection, and give up when there is none to be had in time.
const quietMs = 10;
const mostBehindQuiet = 8;

export type Readers = <T>(work: (client: pg.PoolClient) => Promise<T>) => Promise<T>;

/** `most` bounds how many connections reads take as long as they can share, so that the others are left for writes. */
export function createReaders(
  pool: pg.Pool,
  { most, isLoss }: { most: number; isLoss(error: unknown): boolean },
): Readers {
  const readers = new Set<Reader>();
  const hasRoom = () => readers.size < most && (pool.idleCount > 0 || pool.totalCount < pool.options.max);
  return async (work) => {
    const known = hasRoom() ? undefined : bestOf(readers);
    const reader = known ?? openReader(pool, readers);
    reader.users += 1;
    try {
      const client = await reader.client;
      gatherWrites(client);
      return await work(client);
    } catch (error) {
      if (isLoss(error)) reader.lost = error as Error;
      throw error;
    } finally {
      leave(reader, readers);
    }
  };
}

function openReader(pool: pg.Pool, readers: Set<Reader>): Reader {
  const client = pool.connect();
  const reader: Reader = { client, users: 0, heardMs: 0, opening: true, lost: undefined };
  readers.add(reader);
  const opened = () => {
    reader.opening = false;
  };
  client.then(opened, opened);
  return reader;
}

function bestOf(readers: Set<Reader>): Reader | undefined {
  const nowMs = performance.now();
  let answering: Reader | undefined;
  let quiet: Reader | undefined;
  for (const reader of readers) {
    if (reader.opening || nowMs - reader.heardMs <= quietMs) {
      if (!answering || reader.users < answering.users) answering = reader;
    } else if (reader.users < (quiet?.users ?? mostBehindQuiet)) quiet = reader;
  }
  return answering ?? quiet;
}

function leave(reader: Reader, readers: Set<Reader>): void {
  reader.heardMs = performance.now();
  reader.users -= 1;
  // A connection in doubt takes nobody in any more.
  if (reader.users === 0 || reader.lost) readers.delete(reader);
  if (reader.users > 0) return;
  void reader.client.then(
    (client) => client.release(reader.lost),
    () => {}, // there was none to be had, which everybody who waited for it has heard
  );
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
