import pg from 'pg';
import type { Log } from '../observability/logging.ts';
import { withClient } from './pool.ts';

export type Teller = (channels: Iterable<string>) => void;

/**
 * Tells channels outside of the transactions that have something to tell: those that notify PostgreSQL lets commit only
 * one after another, each waiting for the disk. What gathers while one telling is under way is told together.
 */
export function createTeller(pool: pg.Pool, log: Log): Teller {
  const untold = new Set<string>();
  let telling = false;
  const tellAll = async () => {
    telling = true;
    while (untold.size > 0) {
      const channels = [...untold].map((channel) => `select pg_notify(${pg.escapeLiteral(channel)}, '')`);
      untold.clear();
      // Nothing is lost with it, so it need not reach the disk.
      const statements = ['set local synchronous_commit = off', ...channels].join('; ');
      await withClient(pool, (client) => client.query(statements)).catch((error) =>
        log.warn({ err: error }, 'could not tell other processes of a change'),
      );
    }
    telling = false;
  };
  return (channels) => {
    for (const channel of channels) untold.add(channel);
    if (!telling && untold.size > 0) void tellAll();
  };
}
