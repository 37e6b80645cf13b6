// The only way to PostgreSQL. Work runs inside one account and environment (`TenantTx`), or, in few named places, as
// the system (`SystemTx`). Row security in the database repeats what the code filters.
import { randomInt } from 'node:crypto';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ApiError } from '../errors/errors.ts';
import type { Log } from '../observability/logging.ts';
import type { Site } from '../ports.ts';
import type { Principal } from '../principal.ts';
import type { Sealer } from '../sealing.ts';
import { outliveLoss } from './outlive-loss.ts';
import { compileQuery, isPassing, type Sql, statementName } from './query.ts';
import { createReaders, type Readers } from './readers.ts';
import { type Silence, watchSilence } from './silence.ts';
import { type Outcome, prepareEntering, runStatement, type Types } from './statement.ts';

export type Tenant = { accountSid: string; livemode: boolean };

export type Queries = {
  /** The only row; anything else is a bug. */
  one<Row>(query: Sql): Promise<Row>;
  maybe<Row>(query: Sql): Promise<Row | undefined>;
  many<Row>(query: Sql): Promise<Row[]>;
  /** Runs a statement and tells how many rows it touched. */
  run(query: Sql): Promise<number>;
  /** Lets the statements of this transaction take longer than usual. */
  takesUpTo(seconds: number): Promise<void>;
};

/** Something gathered during a transaction and written in one statement just before it commits. */
export type Flush<Item> = {
  /** Flushes run in the order of their names: one order for all transactions, so that their locks cannot cross. */
  name: string;
  write(t: TenantTx, items: Item[]): Sql[];
};

/** Who asks, and when: what a transaction runs under. */
export type RequestContext = { principal: Principal; now: Date; requestId: string; log: Log };

export type TenantTx = Tenant &
  RequestContext &
  Queries & {
    sealer: Sealer;
    site: Site;
    /** The SID of the person whose second factor opened the way here, which a key may have presented; null for none. */
    steppedUpBy: string | null;
    /** Gathers an item for `flush`; reads have no commit and refuse it. */
    atCommit<Item>(flush: Flush<Item>, item: Item): void;
    /** Tells whoever listens on a channel, once this has committed. A telling may be lost: listeners also look by themselves. */
    tell(channel: string): void;
    /**
     * What this transaction decides about a resource must hold once whoever asked is answered: after the commit, what is
     * already under way with it outside of transactions is waited for, briefly.
     */
    outwait(sid: string): void;
  };

export type SystemTx = Queries;

export type WriteOptions = {
  /**
   * For the same few statements a thousand times a second: each keeps one plan, whatever it is asked with. Left alone,
   * PostgreSQL plans those that take lists anew every time, at more than it takes to run them.
   */
  keepsPlans?: boolean;
  /** Nobody is told the end of this, so nothing under way is waited for. */
  answersNobody?: boolean;
};

/** Waits until what was under way with these resources when it is called is over, or can no longer have an effect. */
export type Outwait = (
  database: Database,
  tenant: Tenant,
  requestContext: RequestContext,
  sids: string[],
) => Promise<void>;

export type Database = {
  /** One transaction inside one tenant. Serialization failures and deadlocks are tried again. */
  write<T>(
    tenant: Tenant,
    requestContext: RequestContext,
    work: (t: TenantTx) => Promise<T>,
    options?: WriteOptions,
  ): Promise<T>;
  /** Statements inside one tenant without a transaction: each sees what was committed when it began. */
  read<T>(tenant: Tenant, requestContext: RequestContext, work: (t: TenantTx) => Promise<T>): Promise<T>;
  system<T>(work: (s: SystemTx) => Promise<T>): Promise<T>;
  /** A connection of its own that hears notifications; `onLost` tells that some may have been missed. */
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onLost: () => void,
  ): Promise<() => Promise<void>>;
  stats(): { total: number; idle: number; waiting: number };
  /** How many connections were given up because PostgreSQL did not answer on them. */
  givenUp(): number;
  close(): Promise<void>;
};

/**
 * How long work may wait for a connection, for a lock and for the end of a statement, all of which PostgreSQL itself keeps
 * to; and for an answer of any kind, in case it does not.
 */
export type Patience = { connectionMs: number; lockMs: number; statementMs: number; answerMs: number };

export const usualPatience: Patience = {
  connectionMs: 1_000,
  lockMs: 2_000,
  statementMs: 5_000,
  answerMs: 8_000,
};

type DatabaseOptions = {
  url: string;
  sealer: Sealer;
  site: () => Site;
  maxConnections?: number | undefined;
  patience?: Patience | undefined;
  outwait?: Outwait;
  log: Log;
};

export function openDatabase(options: DatabaseOptions): Database {
  const { url, sealer, site, maxConnections = 20, patience = usualPatience, outwait, log } = options;
  const silence = watchSilence(patience.answerMs, log);
  const pool = (role: string, max: number) => {
    const opened = openPool({ url, role, max, patience, log });
    silence.watch(opened);
    return opened;
  };
  const tenantPool = pool('godwit_tenant', maxConnections);
  tenantPool.on('connect', prepareEntering);
  const systemPool = pool('godwit_system', Math.max(4, Math.ceil(maxConnections / 4)));
  const readers = createReaders(tenantPool, {
    most: Math.ceil(maxConnections / 2),
    isLoss: isConnectionLoss,
  });
  const teller = createTeller(systemPool, log);
  const place: Place = { pool: tenantPool, readers, sealer, site, teller, silence };
  const database: Database = {
    async write(tenant, requestContext, work, options = {}) {
      const { result, outwaited } = await retrying(() =>
        writeOnce(place, tenant, requestContext, work, options),
      );
      if (outwait && outwaited.size > 0 && !options.answersNobody) {
        // It is committed, whatever becomes of the wait.
        await outwait(database, tenant, requestContext, [...outwaited]).catch((error) =>
          log.warn({ err: error }, 'could not wait for what was under way'),
        );
      }
      return result;
    },
    read: (tenant, requestContext, work) => readOnce(place, tenant, requestContext, work),
    system: (work) => retrying(() => systemOnce(systemPool, silence, work)),
    listen: (channel, onNotify, onLost) => listenOn(url, channel, onNotify, onLost, log),
    stats: () => ({
      total: tenantPool.totalCount + systemPool.totalCount,
      idle: tenantPool.idleCount + systemPool.idleCount,
      waiting: tenantPool.waitingCount + systemPool.waitingCount,
    }),
    givenUp: silence.givenUp,
    close: async () => {
      await Promise.all([tenantPool.end(), systemPool.end()]);
      silence.stop();
    },
  };
  return database;
}

// Rows carry instants as the wire writes them. The session's time zone is UTC, so the text only changes its dress:
// "2026-08-21 10:00:00.5+00" becomes "2026-08-21T10:00:00.500Z".
const readInstant = (text: string) =>
  `${text.slice(0, 10)}T${text.slice(11, 19)}.${(text.slice(20).match(/^\d{1,3}/)?.[0] ?? '').padEnd(3, '0')}Z`;

const types: Types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.TIMESTAMPTZ ? readInstant : pg.types.getTypeParser(oid, format),
};

const sessionOptions = (role: string, { statementMs, lockMs }: Patience = usualPatience) =>
  [
    `role=${role}`,
    'timezone=UTC',
    `statement_timeout=${statementMs}`,
    `lock_timeout=${lockMs}`,
    'idle_in_transaction_session_timeout=10s',
    // A plan made while a table was small would go on reading all of it when it has grown, until statistics catch up.
    'enable_seqscan=off',
  ]
    .map((setting) => `-c ${setting}`)
    .join(' ');

/** A connection at rest whose other end has gone without a word is found out by the system. */
export const noticesDeadPeers = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

type PoolOptions = { url: string; role: string; max: number; patience: Patience; log: Log };

function openPool({ url, role, max, patience, log }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    // Statements of one flight leave together and are answered together: begin, work and commit need not each wait.
    pipeline: true,
    options: sessionOptions(role, patience),
    connectionTimeoutMillis: patience.connectionMs,
    idleTimeoutMillis: 60_000,
    types: types as pg.CustomTypesConfig,
    ...noticesDeadPeers,
  } as pg.PoolConfig);
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  outliveLoss(pool);
  return pool;
}

type Client = pg.PoolClient;

function queriesOn(client: Client, silence: Silence | null, inside: Tenant | null = null): Queries {
  const many = async (query: Sql) => (await submit(client, query, inside)).rows;
  return {
    many: many as Queries['many'],
    one: (async (query: Sql) => {
      const rows = await many(query);
      if (rows.length !== 1) throw new Error(`expected one row, got ${rows.length}`);
      return rows[0];
    }) as Queries['one'],
    maybe: (async (query: Sql) => (await many(query))[0]) as Queries['maybe'],
    run: async (query) => (await submit(client, query, inside)).count,
    async takesUpTo(seconds) {
      if (!silence) throw new Error('only a transaction may take longer, and this is a read');
      silence.allow(client, seconds * 1_000 + graceMs);
      await client.query(`set local statement_timeout = '${Math.ceil(seconds)}s'`);
    },
  };
}

// PostgreSQL is given a moment to end by itself what takes too long.
const graceMs = 3_000;

async function submit(client: Client, query: Sql, inside: Tenant | null = null): Promise<Outcome> {
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
function inOneWrite<const T>(client: Client, submitAll: () => T): T {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  try {
    return submitAll();
  } finally {
    stream.uncork();
  }
}

/** Sends statements in one flight. All are awaited, and the first failure is the one that explains the others. */
async function flight<T>(promises: Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

async function withClient<T>(pool: pg.Pool, work: (client: Client) => Promise<T>): Promise<T> {
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

type Teller = (channels: Iterable<string>) => void;

/**
 * Tells channels outside of the transactions that have something to tell: those that notify PostgreSQL lets commit only
 * one after another, each waiting for the disk. What gathers while one telling is under way is told together.
 */
function createTeller(pool: pg.Pool, log: Log): Teller {
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

type Place = {
  pool: pg.Pool;
  readers: Readers;
  sealer: Sealer;
  site: () => Site;
  teller: Teller;
  silence: Silence;
};
type Entry = {
  client: Client;
  sealer: Sealer;
  site: () => Site;
  tenant: Tenant;
  requestContext: RequestContext;
  /** What is owed when the transaction ends; a read has none, and each of its statements enters the tenant by itself. */
  gathered: Gathered | null;
  silence: Silence;
};

function tenantTx({ client, sealer, site, tenant, requestContext, gathered, silence }: Entry): TenantTx {
  const untilCommit = (what: string): Gathered => {
    if (!gathered) throw new Error(`"${what}" needs a transaction, and this is a read`);
    return gathered;
  };
  const queries = queriesOn(client, gathered && silence, gathered ? null : tenant);
  // Field by field: spread objects and getters in it would make it twenty times as dear, on every request.
  return {
    accountSid: tenant.accountSid,
    livemode: tenant.livemode,
    principal: requestContext.principal,
    now: requestContext.now,
    requestId: requestContext.requestId,
    log: requestContext.log,
    many: queries.many,
    one: queries.one,
    maybe: queries.maybe,
    run: queries.run,
    takesUpTo: queries.takesUpTo,
    sealer,
    steppedUpBy: null,
    site: site(),
    atCommit(flush, item) {
      const { flushes } = untilCommit(flush.name);
      const items = flushes.get(flush as Flush<unknown>);
      if (items) items.push(item);
      else flushes.set(flush as Flush<unknown>, [item]);
    },
    tell: (channel) => void untilCommit(channel).channels.add(channel),
    outwait: (sid) => void untilCommit(sid).outwaited.add(sid),
  };
}

/** What a transaction owes when it ends: rows to write with it, channels to tell and resources to wait for after it. */
type Gathered = { flushes: Map<Flush<unknown>, unknown[]>; channels: Set<string>; outwaited: Set<string> };

const accountForm = /^AC[0-9A-HJKMNP-TV-Z]{26}$/;

async function writeOnce<T>(
  { pool, sealer, site, teller, silence }: Place,
  tenant: Tenant,
  requestContext: RequestContext,
  work: (t: TenantTx) => Promise<T>,
  { keepsPlans = false }: WriteOptions,
): Promise<{ result: T; outwaited: Set<string> }> {
  // The text goes into the statement itself, so its form is checked again here.
  if (!accountForm.test(tenant.accountSid)) throw new Error('not an account SID');
  return withClient(pool, async (client) => {
    const gathered: Gathered = { flushes: new Map(), channels: new Set(), outwaited: new Set() };
    const t = tenantTx({ client, sealer, site, tenant, requestContext, gathered, silence });
    try {
      const [begun, working] = inOneWrite(client, () => [
        client.query(
          `begin; set local app.accounts = '${tenant.accountSid}'; set local app.livemode = '${tenant.livemode}'${
            keepsPlans ? '; set local plan_cache_mode = force_generic_plan' : ''
          }`,
        ),
        work(t),
      ]);
      begun.catch(() => {}); // reported below, once the work that relies on it has failed too
      const result = await working;
      await begun;
      await commit(client, t, gathered);
      teller(gathered.channels);
      return { result, outwaited: gathered.outwaited };
    } catch (error) {
      if (!isConnectionLoss(error)) await client.query('rollback');
      throw error;
    }
  });
}

async function commit(client: Client, t: TenantTx, gathered: Gathered): Promise<void> {
  const flushes = [...gathered.flushes].sort(([a], [b]) => (a.name < b.name ? -1 : 1));
  const results = await flight<Outcome | pg.QueryResult>(
    inOneWrite(client, () => [
      ...flushes.flatMap(([flush, items]) => flush.write(t, items).map((query) => submit(client, query))),
      client.query('commit'),
    ]),
  );
  if ((results.at(-1) as pg.QueryResult).command !== 'COMMIT')
    throw new Error('the transaction was rolled back by PostgreSQL');
}

async function readOnce<T>(
  { readers, sealer, site, silence }: Place,
  tenant: Tenant,
  requestContext: RequestContext,
  work: (t: TenantTx) => Promise<T>,
): Promise<T> {
  const entry = { sealer, site, tenant, requestContext, gathered: null, silence };
  return readers((client) => work(tenantTx({ client, ...entry })));
}

async function systemOnce<T>(pool: pg.Pool, silence: Silence, work: (s: SystemTx) => Promise<T>): Promise<T> {
  return withClient(pool, async (client) => {
    const begun = client.query('begin');
    begun.catch(() => {});
    try {
      const result = await work(queriesOn(client, silence));
      await begun;
      await client.query('commit');
      return result;
    } catch (error) {
      if (!isConnectionLoss(error)) await client.query('rollback');
      throw error;
    }
  });
}

const mayRunAgain = new Set(['40001', '40P01']);

/** For work that touches only the database: a serialization failure or deadlock is tried again, up to 5 times. */
async function retrying<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!mayRunAgain.has(codeOf(error)) || tries === 5) throw error;
      await sleep(randomInt(5, 20) * tries);
    }
  }
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** True when the connection itself failed, so that nobody can say what the last statement did. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(08|57P0)/.test(code) || /^E[A-Z]+$/.test(code)) return true;
  const message = error instanceof Error ? error.message : '';
  return /Connection terminated|connection error|timeout exceeded|Client was closed/i.test(message);
}

/** What a failure of the database means on the wire; null when it is a bug of ours. */
export function databaseFailure(error: unknown): ApiError | null {
  const passing = /^(40001|40P01|55P03|53|57|08)/.test(codeOf(error)) || isConnectionLoss(error);
  return passing ? new ApiError('INTERNAL_TEMPORARY_ERROR', { cause: error }) : null;
}

/**
 * For the start of a process, which rather waits than fails: a connection that was not to be had in time is asked for
 * again. One that is refused is refused at once.
 */
export async function untilReached<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const late = error instanceof Error && /connection timeout|timeout exceeded/.test(error.message);
      if (!late || tries === mostTriesAtStart) throw error;
    }
  }
}

const mostTriesAtStart = 15;

export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const found = error as { code?: string; constraint?: string } | null;
  return found?.code === '23505' && (constraint === undefined || found.constraint === constraint);
}

// Long enough for a busy machine. Who listens tries again, and nobody waits for it.
export const connectLimitMs = 15_000;

async function listenOn(
  url: string,
  channel: string,
  onNotify: (payload: string) => void,
  onLost: () => void,
  log: Log,
): Promise<() => Promise<void>> {
  let closing = false;
  let client: pg.Client | null = null;
  const connect = async () => {
    const next = new pg.Client({
      connectionString: url,
      options: sessionOptions('godwit_system'),
      connectionTimeoutMillis: connectLimitMs,
      ...noticesDeadPeers,
    });
    next.on('notification', (message) => onNotify(message.payload ?? ''));
    next.on('error', () => {});
    try {
      await next.connect();
      await next.query(`listen ${next.escapeIdentifier(channel)}`);
    } catch (error) {
      void next.end().catch(() => {});
      throw error;
    }
    // Only a connection that stood can be lost. One that never did ends too, and whoever opened it tries again:
    // were both to try, the tries would double with every failure.
    next.on('end', () => {
      if (closing) return;
      onLost();
      void reconnect();
    });
    client = next;
    if (closing) await next.end();
  };
  const reconnect = async () => {
    for (let waitMs = 50; !closing; waitMs = Math.min(waitMs * 2, 2_000)) {
      await sleep(waitMs);
      try {
        await connect();
        onLost(); // what was announced while nobody listened is unknown
        return;
      } catch (error) {
        log.warn({ err: error }, 'cannot listen to the database yet');
      }
    }
  };
  await connect();
  return async () => {
    closing = true;
    await client?.end();
  };
}
