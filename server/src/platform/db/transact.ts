// Transactions and reads inside a tenant, and transactions of the system: begun, worked in, ended.
import type pg from 'pg';
import { ApiError } from '../errors/errors.ts';
import { everybody, type KeptFacts, type KeptStore, type Version, type Versions } from '../kept-store.ts';
import type { Site } from '../ports.ts';
import type { Sealer } from '../sealing.ts';
import {
  type Entrant,
  type Flush,
  OwnTransactionNeeded,
  type RequestContext,
  type Share,
  type SystemTx,
  type Tenant,
  type TenantTx,
  type TurnEnd,
  type Turns,
  type WriteOptions,
} from './database.ts';
import { isConnectionLoss, StaleCredential } from './failures.ts';
import { askedBy, createMerger, type Merger } from './merge.ts';
import { withClient } from './pool.ts';
import { sql } from './query.ts';
import type { Readers } from './readers.ts';
import type { Silence } from './silence.ts';
import type { Outcome } from './statement.ts';
import { inOneWrite, queriesOn, settleAll, submit } from './submit.ts';
import type { Teller } from './tell.ts';

type Client = pg.PoolClient;

export type Place = {
  pool: pg.Pool;
  readers: Readers;
  sealer: Sealer;
  site: () => Site;
  teller: Teller;
  silence: Silence;
  kept: KeptStore;
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
  kept: KeptFacts | null;
  /** The version of credentials that every statement of a read is to find. */
  asOf?: string | undefined;
  /** Of a transaction that is shared by accounts. */
  merger?: Merger | null;
  /** Tells of one turn in a shared transaction that nothing may be asked any more. */
  isOver?: () => boolean;
};

function tenantTx(entry: Entry): TenantTx {
  const { client, sealer, site, tenant, requestContext, gathered, silence, kept, asOf, merger } = entry;
  const { isOver } = entry;
  const untilCommit = (what: string): Gathered => {
    if (!gathered) throw new Error(`"${what}" needs a transaction, and this is a read`);
    return gathered;
  };
  const { accountSid } = tenant;
  const inside = gathered ? null : { ...tenant, asOf };
  const queries =
    merger?.queriesOf(accountSid, isOver) ?? queriesOn(client, gathered && silence, () => inside);
  // Field by field: spread objects and getters in it would make it twenty times as dear, on every request.
  const t: TenantTx = {
    accountSid,
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
    kept,
    shared: Boolean(merger),
    merged:
      merger?.merged(accountSid, isOver) ??
      ((statement, items) =>
        items.length === 0 ? Promise.resolve([]) : statement(t, askedBy(accountSid, items))),
    atCommit(flush, item) {
      const { flushes } = untilCommit(flush.name);
      const items = flushes.get(flush as Flush<unknown>);
      if (items) items.push(item);
      else flushes.set(flush as Flush<unknown>, [item]);
    },
    tell: (channel) => void untilCommit(channel).channels.add(channel),
    outwait: (sid) => void untilCommit(sid).outwaited.add(sid),
  };
  return t;
}

/** What a transaction owes when it ends: rows to write with it, channels to tell and resources to wait for after it. */
type Gathered = { flushes: Map<Flush<unknown>, unknown[]>; channels: Set<string>; outwaited: Set<string> };

const nothingGathered = (): Gathered => ({ flushes: new Map(), channels: new Set(), outwaited: new Set() });

function addTo(all: Gathered, { flushes, channels, outwaited }: Gathered): void {
  for (const [flush, items] of flushes) all.flushes.set(flush, [...(all.flushes.get(flush) ?? []), ...items]);
  for (const channel of channels) all.channels.add(channel);
  for (const sid of outwaited) all.outwaited.add(sid);
}

/**
 * A turn of one request among several of its account. A refusal, or the need for a transaction of its own, ends that turn
 * alone as long as it has changed nothing; what it gathered is dropped. Anything else ends the transaction.
 */
async function takeTurn<T>(
  account: Entry & { gathered: Gathered; merger: Merger },
  requestContext: RequestContext,
  work: (t: TenantTx) => Promise<T>,
): Promise<TurnEnd<T>> {
  const { merger, tenant } = account;
  const gathered = nothingGathered();
  const writes = merger.writesOf(tenant.accountSid);
  let over = false;
  try {
    const result = await work(tenantTx({ ...account, requestContext, gathered, isOver: () => over }));
    addTo(account.gathered, gathered);
    return { result };
  } catch (error) {
    // Whatever of it still goes on beside what failed is stopped here, and cannot write into what the others commit.
    over = true;
    if (error instanceof OwnTransactionNeeded) return { error };
    if (error instanceof ApiError && merger.writesOf(tenant.accountSid) === writes) return { error };
    throw error;
  }
}

const accountForm = /^AC[0-9A-HJKMNP-TV-Z]{26}$/;

/** How the work of one account ended; what it outwaits is for after the commit. */
export type End<T> = { result: T | OwnTransactionNeeded; outwaited: Set<string> };

/** One transaction for one account, or for several of one environment, each with work of its own. */
export async function writeOnce<T>(
  { pool, sealer, site, teller, silence, kept: store }: Place,
  entrants: Entrant[],
  work: (t: TenantTx, turns: Turns) => Promise<T>,
  options: WriteOptions & { shared?: boolean },
): Promise<End<T>[]> {
  const entering = entranceOf(entrants, options);
  const { usesKeptFacts = false, readsVersions = usesKeptFacts, asOf } = options;
  return withClient(pool, async (client) => {
    const [{ tenant, requestContext }] = entrants as [Entrant];
    const scope = {
      accounts: accountsIn(entrants),
      livemode: tenant.livemode,
      now: requestContext.now,
    };
    const merger = options.shared ? createMerger(client, silence, scope) : null;
    const enter = (entrant: Entrant, versions: Promise<Versions> | null) => {
      const gathered = nothingGathered();
      const kept = usesKeptFacts ? { store, versions: versions! } : null;
      const entry = { client, sealer, site, ...entrant, gathered, silence, kept };
      const turns: Turns = {
        versions,
        take: (requestContext, work) => takeTurn({ ...entry, merger: merger! }, requestContext, work),
      };
      return { t: tenantTx({ ...entry, merger }), turns, gathered };
    };
    try {
      const [begun, parts, working] = inOneWrite(client, () => {
        const begun = client.query(entering);
        const versions =
          readsVersions || asOf !== undefined ? versionsNow(client, accountsIn(entrants)) : null;
        const parts = entrants.map((entrant) => enter(entrant, versions));
        const worked = parts.map(({ t, turns }) =>
          asOf === undefined ? work(t, turns) : unlessStale(versions!, t, asOf, work(t, turns)),
        );
        return [begun, parts, worked];
      });
      begun.catch(() => {}); // reported below, once the work that relies on it has failed too
      const results = await allEnds(working).finally(() => merger?.quiet());
      await begun;
      const lasting = parts.filter((_, at) => !(results[at] instanceof OwnTransactionNeeded));
      await commit(client, lasting, merger);
      teller(new Set(lasting.flatMap(({ gathered }) => [...gathered.channels])));
      return parts.map(({ gathered }, at) => ({ result: results[at]!, outwaited: gathered.outwaited }));
    } catch (error) {
      if (!isConnectionLoss(error)) await client.query('rollback');
      throw error;
    }
  });
}

function entranceOf(entrants: Entrant[], options: WriteOptions): string {
  const { keepsPlans, usesKeptFacts, locksWithinMs, readsOnly } = options;
  const accounts = accountsIn(entrants);
  const [livemode, ...others] = new Set(entrants.map(({ tenant }) => tenant.livemode));
  if (livemode === undefined || others.length > 0) throw new Error('not of one environment');
  if (new Set(accounts).size < accounts.length) throw new Error('an account comes twice');
  // The text goes into the statement itself, so its form is checked again here.
  if (!accounts.every((sid) => accountForm.test(sid))) throw new Error('not an account SID');
  const plans = keepsPlans ? '; set local plan_cache_mode = force_generic_plan' : '';
  const facts = usesKeptFacts ? "; set local app.uses_kept_facts = 'true'" : '';
  const locks = locksWithinMs === undefined ? '' : `; set local lock_timeout = ${locksWithinMs}`;
  const place = `set local app.accounts = '${accounts}'; set local app.livemode = '${livemode}'`;
  const begin = readsOnly ? 'begin isolation level repeatable read, read only' : 'begin';
  return `${begin}; ${place}${plans}${facts}${locks}`;
}

const accountsIn = (entrants: Entrant[]) => entrants.map(({ tenant }) => tenant.accountSid);

/** Leaves before all other statements: what they read is then never older than the version it is kept under. */
function versionsNow(client: Client, accountSids: string[]): Promise<Versions> {
  const versions = queriesOn(client, null)
    .many<Version & { scope: string }>(sql`
      select scope, facts, credentials from fact_versions where scope = any (${[...accountSids, everybody]}::text[])`)
    .then((rows) => new Map(rows.map((row) => [row.scope, row])));
  versions.catch(() => {}); // whoever asks for one hears of it
  return versions;
}

/** Nobody hears how the work ended who would not have been let in to it. */
async function unlessStale<T>(
  versions: Promise<Versions>,
  { accountSid }: Tenant,
  asOf: string,
  working: Promise<T>,
): Promise<T> {
  const [read, worked] = await Promise.allSettled([versions, working]);
  if (read.status === 'fulfilled' && read.value.get(accountSid)?.credentials !== asOf)
    throw new StaleCredential();
  if (worked.status === 'rejected') throw worked.reason;
  if (read.status === 'rejected') throw read.reason;
  return worked.value;
}

/** Waits for all, so that nobody uses the connection any more; the first failure is the one that explains the others. */
async function allEnds<T>(working: Promise<T>[]): Promise<(T | OwnTransactionNeeded)[]> {
  const failures: unknown[] = [];
  const ends = await Promise.all(
    working.map((one) =>
      one.catch((error: unknown) => {
        if (!(error instanceof OwnTransactionNeeded)) failures.push(error);
        return error as OwnTransactionNeeded;
      }),
    ),
  );
  if (failures.length > 0) throw failures[0];
  return ends;
}

type Part = { t: TenantTx; gathered: Gathered };

async function commit(client: Client, parts: Part[], merger: Merger | null): Promise<void> {
  const results = await settleAll<Outcome | pg.QueryResult>(
    inOneWrite(client, () => [
      ...sharesOf(parts).flatMap(([flush, shares]) =>
        flush.write(shares).map((query) => submit(client, query, merger?.intoAll())),
      ),
      client.query('commit'),
    ]),
  );
  if ((results.at(-1) as pg.QueryResult).command !== 'COMMIT')
    throw new Error('the transaction was rolled back by PostgreSQL');
}

/** Flushes by name, and within each the accounts by SID: one order for all transactions. */
function sharesOf(parts: Part[]): [Flush<unknown>, Share<unknown>[]][] {
  const shares = new Map<Flush<unknown>, Share<unknown>[]>();
  const ordered =
    parts.length > 1 ? parts.toSorted((a, b) => (a.t.accountSid < b.t.accountSid ? -1 : 1)) : parts;
  for (const { t, gathered } of ordered) {
    for (const [flush, items] of gathered.flushes) {
      const known = shares.get(flush);
      if (known) known.push({ t, items });
      else shares.set(flush, [{ t, items }]);
    }
  }
  return [...shares].sort(([a], [b]) => (a.name < b.name ? -1 : 1));
}

export async function readOnce<T>(
  { readers, sealer, site, silence }: Place,
  tenant: Tenant,
  requestContext: RequestContext,
  work: (t: TenantTx) => Promise<T>,
  { asOf }: Pick<WriteOptions, 'asOf'>,
): Promise<T> {
  const entry = { sealer, site, tenant, requestContext, gathered: null, silence, kept: null, asOf };
  return readers((client) => work(tenantTx({ client, ...entry })));
}

export async function systemOnce<T>(
  pool: pg.Pool,
  silence: Silence,
  work: (s: SystemTx) => Promise<T>,
): Promise<T> {
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
