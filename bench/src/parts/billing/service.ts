// An account with a wallet, entered as the service enters it.
import pg from 'pg';
import { openCore } from '../../../../server/src/main/process/core.ts';
import { bootstrap } from '../../../../server/src/main/process/demo.ts';
import { asOperator } from '../../../../server/src/main/process/keys.ts';
import { readConfig } from '../../../../server/src/main/settings.ts';
import { creditWallet, readWallet } from '../../../../server/src/modules/billing/index.ts';
import { systemClock } from '../../../../server/src/platform/clock.ts';
import type { TenantTx, WriteOptions } from '../../../../server/src/platform/db/database.ts';
import { newUuid } from '../../../../server/src/platform/ids.ts';
import { money } from '../../../../server/src/platform/money.ts';
import { silentLog } from '../../../../server/src/platform/observability/logging.ts';
import type { Context } from '../../part.ts';

export type Holder = {
  accountSid: string;
  walletId: string;
  key: string;
  write<T>(work: (t: TenantTx) => Promise<T>, options?: WriteOptions): Promise<T>;
};

export type Service = {
  url: string;
  port: number;
  database: Awaited<ReturnType<typeof openCore>>['database'];
  /** Past the service, with all rights. */
  client: pg.Client;
  newHolder(): Promise<Holder>;
  close(): Promise<void>;
};

/** The service, and beside it this process on the same database, doing what its jobs do. */
export async function openService({ stage }: Context): Promise<Service> {
  const godwit = await stage.startGodwit({ role: 'api' });
  const core = await openCore(readConfig({ DATA_DIR: godwit.dataDir }), godwit.databaseUrl, silentLog);
  const context = { database: core.database, clock: systemClock, log: silentLog };
  const client = new pg.Client({ connectionString: godwit.databaseUrl });
  await client.connect();
  return {
    url: godwit.url,
    port: godwit.port,
    database: core.database,
    client,
    async newHolder() {
      const names = { organizationName: 'Bench', accountName: 'Bench', region: 'local' };
      const { accountSid, liveKey: key } = await bootstrap(context, names);
      const write: Holder['write'] = (work, options) =>
        core.database.write({ accountSid, livemode: true }, asOperator(context, true), work, options);
      const { id: walletId } = await write(readWallet);
      await write((t) =>
        creditWallet(t, {
          amount: money(10n ** 13n, 'USD', 6),
          reason: 'bench',
          reference: newUuid(t.now),
        }),
      );
      return { accountSid, walletId, key, write };
    },
    async close() {
      await client.end();
      await core.database.close();
    },
  };
}
