// Statements on one connection: one by one, several in one write, several in one round trip.
import type { Writable } from 'node:stream';
import type pg from 'pg';
import type { Queries } from './database.ts';
import { compileQuery, isPassing, type Sql, statementName } from './query.ts';
import type { Silence } from './silence.ts';
import { type Inside, type Outcome, runStatement } from './statement.ts';
import { types } from './values.ts';

type Client = pg.PoolClient;

/** `insideOf` tells for each statement which tenant it enters, if any; it is asked when the statement leaves. */
export function queriesOn(
  client: Client,
  silence: Silence | null,
  insideOf: (query: Sql) => Inside | null = () => null,
): Queries {
  const many = async (query: Sql) => (await submit(client, query, insideOf(query))).rows;
  return {
    many: many as Queries['many'],
    one: (async (query: Sql) => {
      const rows = await many(query);
      if (rows.length !== 1) throw new Error(`expected one row, got ${rows.length}`);
      return rows[0];
    }) as Queries['one'],
    maybe: (async (query: Sql) => (await many(query))[0]) as Queries['maybe'],
    run: async (query) => (await submit(client, query, insideOf(query))).count,
    async takesUpTo(seconds) {
      if (!silence) throw new Error('only a transaction may take longer, and this is a read');
      silence.allow(client, seconds * 1_000 + graceMs);
      await client.query(`set local statement_timeout = '${Math.ceil(seconds)}s'`);
    },
  };
}

// PostgreSQL is given a moment to end by itself what takes too long.
const graceMs = 3_000;

export async function submit(client: Client, query: Sql, inside: Inside | null = null): Promise<Outcome> {
  const { text, values } = compileQuery(query);
  const name = isPassing(query) ? undefined : statementName(text);
  try {
    return await runStatement(client, { name, text, values, types, inside });
  } catch (error) {
    // What failed leads to whoever asked, and not to the socket the failure came in by.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

/**
 * What is submitted before `submitAll` returns leaves in one write: a system call costs as much as a small statement.
 * Work that has begun but waits for an answer goes on afterwards as usual.
 */
export function inOneWrite<const T>(client: Client, submitAll: () => T): T {
  const stream = streamOf(client);
  stream.cork();
  try {
    return submitAll();
  } finally {
    stream.uncork();
  }
}

const streamOf = (client: Client): Writable =>
  (client as unknown as { connection: { stream: Writable } }).connection.stream;

const gathering = new WeakSet<Writable>();

/** The same for what is submitted until no promise that is settled has anything left to do. */
export function inOneWriteUntilIdle(client: Client): void {
  const stream = streamOf(client);
  if (gathering.has(stream)) return;
  gathering.add(stream);
  stream.cork();
  process.nextTick(() => {
    gathering.delete(stream);
    stream.uncork();
  });
}

/** Waits for statements that left together. All are awaited, and the first failure is the one that explains the others. */
export async function settleAll<T>(promises: Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
