// The only way to PostgreSQL. Work runs inside one account and environment (`TenantTx`), or, in few named places, as
// the system (`SystemTx`). Row security in the database repeats what the code filters.

import type { ApiError } from '../errors/errors.ts';
import type { KeptFacts, KeptStore, Versions } from '../kept-store.ts';
import type { Log } from '../observability/logging.ts';
import type { Site } from '../ports.ts';
import type { Principal } from '../principal.ts';
import type { Sealer } from '../sealing.ts';
import type { Listen } from './listen.ts';
import type { Sql } from './query.ts';

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

/** What one account of a transaction gathered for a flush. */
export type Share<Item> = { t: TenantTx; items: Item[] };

/**
 * Something gathered during a transaction and written just before it commits, for all its accounts at once. The shares come
 * in the order of their accounts.
 */
export type Flush<Item> = {
  /** Flushes run in the order of their names: one order for all transactions, so that their locks cannot cross. */
  name: string;
  write(shares: Share<Item>[]): Sql[];
};

/** An item of the account that brought it. */
export type Asked<Item> = { accountSid: string; item: Item };

export type MergedQueries = Queries & { livemode: boolean; now: Date };

/**
 * A statement that serves several accounts of one transaction; each row says whose it is. It is known by the function itself,
 * which is therefore made once, and it finds rows by their whole key: account, environment and what else tells them apart.
 */
export type Merged<Item, Row extends { accountSid: string }> = (
  queries: MergedQueries,
  asked: readonly Asked<Item>[],
) => Promise<Row[]>;

/** Who asks, and when: what a transaction runs under. */
export type RequestContext = { principal: Principal; now: Date; requestId: string; log: Log };

export type TenantTx = Tenant &
  RequestContext &
  Queries & {
    sealer: Sealer;
    site: Site;
    /** What is kept of facts that rarely change; null where they are read anew, such as where they may be changed. */
    kept: KeptFacts | null;
    /** Whether the transaction also serves other accounts, which must not be kept waiting. */
    shared: boolean;
    /** Runs the statement for what all accounts of the transaction ask of it at this moment; answers with this one's rows. */
    merged<Item, Row extends { accountSid: string }>(
      statement: Merged<Item, Row>,
      items: readonly Item[],
    ): Promise<Row[]>;
    /** The SID of the person whose second factor opened the way here, which a key may have presented; null for none. */
    steppedUpBy: string | null;
    /** Gathers an item for `flush`; reads have no commit and refuse it. */
    atCommit<Item>(flush: Flush<Item>, item: Item): void;
    /**
     * Tells whoever listens on a channel, once this has committed; what follows a space is told with it. A telling may be
     * lost: listeners also look by themselves.
     */
    tell(channel: string): void;
    /**
     * What this transaction decides about a resource must hold once whoever asked is answered: after the commit, what is
     * already under way with it outside of transactions is waited for, briefly.
     */
    outwait(sid: string): void;
  };

export type SystemTx = Queries;

/**
 * Thrown by the work of an account that would keep the others of a shared transaction waiting, before it has written
 * anything: the others go on, and it is done again in a transaction of its own.
 */
export class OwnTransactionNeeded extends Error {}

/** For work that takes locks somebody may hold for long. */
export function needsOwnTransaction(t: TenantTx): void {
  if (t.shared) throw new OwnTransactionNeeded();
}

/** How one turn in a shared transaction ended: an error is that of its request alone, for which nothing was changed. */
export type TurnEnd<T> = { result: T } | { error: ApiError | OwnTransactionNeeded };

/** For requests of one account that follow each other in a shared transaction, each with its own end. */
export type Turns = {
  /** What the transaction has found its accounts' facts and credentials to be as of; null where it did not look. */
  versions: Promise<Versions> | null;
  /** Runs work under the request's own context. Only the next statement of the account may follow its end. */
  take<T>(requestContext: RequestContext, work: (t: TenantTx) => Promise<T>): Promise<TurnEnd<T>>;
};

/** An account's part in a transaction of several. */
export type Entrant = { tenant: Tenant; requestContext: RequestContext };

export type WriteOptions = {
  /**
   * For the same few statements a thousand times a second: each keeps one plan, whatever it is asked with. Left alone,
   * PostgreSQL plans those that take lists anew every time, at more than it takes to run them.
   */
  keepsPlans?: boolean;
  /** The version of credentials by which whoever asks is known; with any other the work is undone and fails as stale. */
  asOf?: string;
  /** Judges by facts that are kept in the process, and changes none of them: the database refuses that. */
  usesKeptFacts?: boolean;
  /** Reads the versions of its accounts with its begin, for whoever takes turns in it. */
  readsVersions?: boolean;
  /** Fails where a lock is not to be had within so long, instead of the usual patience. */
  locksWithinMs?: number;
  /** PostgreSQL lets it read, all at one moment, and refuses whatever would write, what is gathered for its commit included. */
  readsOnly?: boolean;
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
  /**
   * One transaction for several accounts of one environment, which sees those and no others. Tells how the work of each ended,
   * in order: with its result, or that it needs a transaction of its own and has written nothing. Any other failure of one
   * fails all.
   */
  writeTogether<T>(
    entrants: Entrant[],
    work: (t: TenantTx, turns: Turns) => Promise<T>,
    options?: WriteOptions,
  ): Promise<(T | OwnTransactionNeeded)[]>;
  /** Statements inside one tenant without a transaction: each sees what was committed when it began. */
  read<T>(
    tenant: Tenant,
    requestContext: RequestContext,
    work: (t: TenantTx) => Promise<T>,
    options?: Pick<WriteOptions, 'asOf'>,
  ): Promise<T>;
  system<T>(work: (s: SystemTx) => Promise<T>): Promise<T>;
  /** One statement of the system that needs no transaction, in one round trip. */
  ask<Row>(question: Sql): Promise<Row[]>;
  /** As `TenantTx.tell`, for what has committed already. */
  tell(channel: string): void;
  /** While this answers true no other process is told anything: there is none, as far as this one knows. */
  isAloneWhile(isAlone: () => boolean): void;
  /** Hears what is told, here or in other processes; `onLost` tells that something may have been missed. */
  listen: Listen;
  stats(): { total: number; idle: number; waiting: number };
  /** Facts kept in this process: how often each was at hand, and how much they take. */
  kept(): Pick<KeptStore, 'uses' | 'bytes'>;
  /** How many connections were given up because PostgreSQL did not answer on them. */
  givenUp(): number;
  close(): Promise<void>;
};
