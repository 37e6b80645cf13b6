// A database that hangs (a stopped process, a lost network) answers nothing, not even when the limits it was given are
// over. So its silence is measured here: a connection that owes an answer for too long is given up, and whoever waits hears
// of a lost connection. Nothing is done per statement; connections are looked at a few times within the limit.
import type { Socket } from 'node:net';
import type pg from 'pg';
import type { Log } from '../observability/logging.ts';

export type Silence = {
  /** Watches over the connections of a pool from now on. */
  watch(pool: pg.Pool): void;
  /** This connection's statements may take so long until it is given back to its pool. */
  allow(client: pg.ClientBase, limitMs: number): void;
  /** How many connections were given up. */
  givenUp(): number;
  stop(): void;
};

type Inner = {
  connection: { stream: Socket };
  _activeQuery: unknown;
  _sentQueryQueue: unknown[];
  _queryQueue: unknown[];
};

type Watched = {
  pool: pg.Pool;
  inUse: boolean;
  bytesRead: number;
  /** How often in a row it was seen to owe an answer and to have sent nothing. */
  silentLooks: number;
  looks: number;
};

// Looks are counted and no clock is read: a process that was itself suspended has looked only once meanwhile.
const looksWithinLimit = 8;

export function watchSilence(limitMs: number, log: Log): Silence {
  const everyMs = limitMs / looksWithinLimit;
  const watched = new Map<pg.ClientBase, Watched>();
  let givenUp = 0;

  const giveUp = (client: pg.ClientBase) => {
    givenUp += 1;
    log.error({ part: 'database' }, 'PostgreSQL does not answer; the connection is given up');
    streamOf(client).destroy(unanswered());
    // Those at rest would most likely keep the next request waiting as long.
    const { pool } = watched.get(client)!;
    for (const [other, state] of watched)
      if (state.pool === pool && !state.inUse) streamOf(other).destroy(unanswered());
  };
  const look = () => {
    for (const [client, state] of watched) {
      const { bytesRead } = streamOf(client);
      const silent = owesAnswer(client) && bytesRead === state.bytesRead;
      state.bytesRead = bytesRead;
      state.silentLooks = silent ? state.silentLooks + 1 : 0;
      if (state.silentLooks === state.looks) giveUp(client);
    }
  };
  const timer = setInterval(look, everyMs).unref();

  return {
    watch(pool) {
      pool.on('connect', (client) => {
        const fresh = { pool, inUse: true, bytesRead: 0, silentLooks: 0, looks: looksWithinLimit };
        watched.set(client, fresh);
        client.once('end', () => watched.delete(client));
      });
      pool.on('remove', (client) => watched.delete(client));
      pool.on('acquire', (client) => Object.assign(watched.get(client) ?? {}, { inUse: true }));
      pool.on('release', (_error, client) =>
        Object.assign(watched.get(client) ?? {}, { inUse: false, looks: looksWithinLimit }),
      );
    },
    allow(client, longerMs) {
      const state = watched.get(client);
      if (state) state.looks = Math.max(state.looks, Math.ceil(longerMs / everyMs));
    },
    givenUp: () => givenUp,
    stop: () => clearInterval(timer),
  };
}

const inner = (client: pg.ClientBase) => client as unknown as Inner;
const streamOf = (client: pg.ClientBase) => inner(client).connection.stream;

function owesAnswer(client: pg.ClientBase): boolean {
  const { _activeQuery, _sentQueryQueue, _queryQueue } = inner(client);
  return Boolean(_activeQuery) || _sentQueryQueue.length > 0 || _queryQueue.length > 0;
}

const unanswered = () => Object.assign(new Error('PostgreSQL does not answer'), { code: 'ETIMEDOUT' });
