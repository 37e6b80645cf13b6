// Transactions and reads inside a tenant, and transactions of the system: begun, worked in, ended.
import type pg from 'pg';
import { everybody, type KeptFacts, type KeptStore, type Version, type Versions } from '../kept-store.ts';
import type { Site } from '../ports.ts';
import type { Sealer } from '../sealing.ts';
import type { Flush, RequestContext, SystemTx, Tenant, TenantTx, WriteOptions } from './database.ts';
import { isConnectionLoss, StaleCredential } from './failures.ts';
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
};

function tenantTx(entry: Entry): TenantTx {
  const { client, sealer, site, tenant, requestContext, gathered, silence, kept, asOf } = entry;
  const untilCommit = (what: string): Gathered => {
    if (!gathered) throw new Error(`"${what}" needs a transaction, and this is a read`);
    return gathered;
  };
  const queries = queriesOn(client, gathered && silence, gathered ? null : { ...tenant, asOf });
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
    kept,
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

export async function writeOnce<T>(
  { pool, sealer, site, teller, silence, kept: store }: Place,
  tenant: Tenant,
  requestContext: RequestContext,
  work: (t: TenantTx) => Promise<T>,
  { keepsPlans = false, usesKeptFacts = false, asOf }: WriteOptions,
): Promise<{ result: T; outwaited: Set<string> }> {
  // The text goes into the statement itself, so its form is checked again here.
  if (!accountForm.test(tenant.accountSid)) throw new Error('not an account SID');
  return withClient(pool, async (client) => {
    const gathered: Gathered = { flushes: new Map(), channels: new Set(), outwaited: new Set() };
    let t: TenantTx;
    try {
      const [begun, working] = inOneWrite(client, () => {
        const begun = client.query(
          `begin; set local app.accounts = '${tenant.accountSid}'; set local app.livemode = '${tenant.livemode}'${
            keepsPlans ? '; set local plan_cache_mode = force_generic_plan' : ''
          }${usesKeptFacts ? "; set local app.uses_kept_facts = 'true'" : ''}`,
        );
        const versions =
          usesKeptFacts || asOf !== undefined ? versionsNow(client, [tenant.accountSid]) : null;
        const kept = usesKeptFacts ? { store, versions: versions! } : null;
        t = tenantTx({ client, sealer, site, tenant, requestContext, gathered, silence, kept });
        const working = work(t);
        return [begun, asOf === undefined ? working : unlessStale(versions!, tenant, asOf, working)];
      });
      begun.catch(() => {}); // reported below, once the work that relies on it has failed too
      const result = await working;
      await begun;
      await commit(client, t!, gathered);
      teller(gathered.channels);
      return { result, outwaited: gathered.outwaited };
    } catch (error) {
      if (!isConnectionLoss(error)) await client.query('rollback');
      throw error;
    }
  });
}

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

async function commit(client: Client, t: TenantTx, gathered: Gathered): Promise<void> {
  const flushes = [...gathered.flushes].sort(([a], [b]) => (a.name < b.name ? -1 : 1));
  const results = await settleAll<Outcome | pg.QueryResult>(
    inOneWrite(client, () => [
      ...flushes.flatMap(([flush, items]) => flush.write(t, items).map((query) => submit(client, query))),
      client.query('commit'),
    ]),
  );
  if ((results.at(-1) as pg.QueryResult).command !== 'COMMIT')
    throw new Error('the transaction was rolled back by PostgreSQL');
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
