import pg from 'pg';
import type { Log } from '../observability/logging.ts';
import { outliveLoss } from './outlive-loss.ts';
import { connectLimitMs, noticesDeadPeers, restingMs } from './pool.ts';
import { watchSilence } from './silence.ts';

/**
 * Connections with the rights of the URL's own user, for the job queue. The queue forgets its own pool before the last
 * connection of it has closed; a database that stops in between would then end the process with an error nobody hears.
 */
export function openOwnerPool(url: string, max: number, answerMs: number, log: Log): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectLimitMs,
    idleTimeoutMillis: restingMs,
    ...noticesDeadPeers,
  });
  watchSilence(answerMs, log).watch(pool); // its timer holds no process
  pool.on('error', ({ message }) => log.warn({ reason: message }, 'a connection of the job queue was lost'));
  outliveLoss(pool);
  return pool;
}
