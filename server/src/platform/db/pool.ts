// Connections: how they are opened, what their sessions are set to, how long they wait, and when they are closed.
import pg from 'pg';
import type { Log } from '../observability/logging.ts';
import { isConnectionLoss } from './failures.ts';
import { outliveLoss } from './outlive-loss.ts';
import { types } from './values.ts';

/**
 * How long work may wait for a connection, for a lock and for the end of a statement, and how long a transaction may rest between
 * two statements, all of which PostgreSQL itself keeps to; and for an answer of any kind, in case it does not.
 */
export type Patience = {
  connectionMs: number;
  lockMs: number;
  statementMs: number;
  idleMs: number;
  answerMs: number;
};

export const usualPatience: Patience = {
  connectionMs: 1_000,
  lockMs: 2_000,
  statementMs: 5_000,
  idleMs: 10_000,
  answerMs: 8_000,
};

export const sessionOptions = (role: string, { statementMs, lockMs, idleMs }: Patience = usualPatience) =>
  [
    `role=${role}`,
    'timezone=UTC',
    `statement_timeout=${statementMs}`,
    `lock_timeout=${lockMs}`,
    `idle_in_transaction_session_timeout=${idleMs}`,
    // A plan made while a table was small would go on reading all of it when it has grown, until statistics catch up.
    'enable_seqscan=off',
  ]
    .map((setting) => `-c ${setting}`)
    .join(' ');

/** How long a connection rests before it is closed: longer than a minute, since that is how often crons come back for it. */
export const restingMs = 90_000;

/** A connection at rest whose other end has gone without a word is found out by the system. */
export const noticesDeadPeers = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

type PoolOptions = { url: string; role: string; max: number; patience: Patience; log: Log };

export function openPool({ url, role, max, patience, log }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    // Statements of one round trip leave together and are answered together: begin, work and commit need not each wait.
    pipeline: true,
    options: sessionOptions(role, patience),
    connectionTimeoutMillis: patience.connectionMs,
    idleTimeoutMillis: restingMs,
    types: types as pg.CustomTypesConfig,
    ...noticesDeadPeers,
  } as pg.PoolConfig);
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  outliveLoss(pool);
  return pool;
}

// Long enough for a busy machine. Who listens tries again, and nobody waits for it.
export const connectLimitMs = 15_000;

export async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    // A connection in doubt is closed: what an interrupted statement left on it must not meet the next request.
    if (isConnectionLoss(error)) broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}
