// Puts a database together: its pools of connections, and what runs on them.

import { createKeptStore } from '../kept-store.ts';
import type { Log } from '../observability/logging.ts';
import type { Site } from '../ports.ts';
import type { Sealer } from '../sealing.ts';
import type {
  Database,
  Entrant,
  Outwait,
  RequestContext,
  Tenant,
  TenantTx,
  Turns,
  WriteOptions,
} from './database.ts';
import { isConnectionLoss, retrying } from './failures.ts';
import { openPool, type Patience, usualPatience, withClient } from './pool.ts';
import { createReaders } from './readers.ts';
import { watchSilence } from './silence.ts';
import { prepareEntering } from './statement.ts';
import { submit } from './submit.ts';
import { createTelling } from './tell.ts';
import { type Place, readOnce, systemOnce, writeOnce } from './transact.ts';

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
  const telling = createTelling(url, systemPool, log);
  const kept = createKeptStore();
  const place: Place = { pool: tenantPool, readers, sealer, site, teller: telling.tell, silence, kept };
  const write = async <T>(
    entrants: Entrant[],
    work: (t: TenantTx, turns: Turns) => Promise<T>,
    options: WriteOptions & { shared?: boolean } = {},
  ) => {
    const ends = await retrying(() => writeOnce(place, entrants, work, options));
    for (const [at, { outwaited }] of ends.entries()) {
      if (!outwait || outwaited.size === 0 || options.answersNobody) continue;
      const { tenant, requestContext } = entrants[at]!;
      // It is committed, whatever becomes of the wait.
      await outwait(database, tenant, requestContext, [...outwaited]).catch((error) =>
        log.warn({ err: error }, 'could not wait for what was under way'),
      );
    }
    return ends.map(({ result }) => result);
  };
  const database: Database = {
    async write<T>(
      tenant: Tenant,
      requestContext: RequestContext,
      work: (t: TenantTx) => Promise<T>,
      options?: WriteOptions,
    ) {
      const [result] = await write([{ tenant, requestContext }], work, options);
      return result as T; // an account that is alone never needs another transaction
    },
    writeTogether: (entrants, work, options) => write(entrants, work, { ...options, shared: true }),
    read: (tenant, requestContext, work, options = {}) =>
      readOnce(place, tenant, requestContext, work, options),
    system: (work) => retrying(() => systemOnce(systemPool, silence, work)),
    ask: (question) =>
      retrying(() =>
        withClient(systemPool, async (client) => (await submit(client, question)).rows as never),
      ),
    tell: (told) => telling.tell([told]),
    isAloneWhile: telling.isAloneWhile,
    listen: telling.listen,
    stats: () => ({
      total: tenantPool.totalCount + systemPool.totalCount,
      idle: tenantPool.idleCount + systemPool.idleCount,
      waiting: tenantPool.waitingCount + systemPool.waitingCount,
    }),
    kept: () => kept,
    givenUp: silence.givenUp,
    close: async () => {
      await telling.end();
      await Promise.all([tenantPool.end(), systemPool.end()]);
      silence.stop();
    },
  };
  return database;
}
