// The service, and beside it this process on the same database, doing what its jobs do.
import pg from 'pg';
import { openCore } from '../../../../server/src/main/process/core.ts';
import { bootstrap } from '../../../../server/src/main/process/demo.ts';
import { asOperator } from '../../../../server/src/main/process/keys.ts';
import { readConfig } from '../../../../server/src/main/settings.ts';
import { startOperation } from '../../../../server/src/modules/operations/index.ts';
import { retentionRun } from '../../../../server/src/modules/retention/run.ts';
import { beginRun } from '../../../../server/src/modules/retention/runs.ts';
import { systemClock } from '../../../../server/src/platform/clock.ts';
import type { TenantTx } from '../../../../server/src/platform/db/database.ts';
import { silentLog } from '../../../../server/src/platform/observability/logging.ts';
import { seedDelivered } from '../../delivered-messages.ts';
import type { Context } from '../../part.ts';

const dayMs = 86_400_000;

/** The beginning of the day so many days ago. */
export const ago = (days: number) => new Date(Math.floor(Date.now() / dayMs) * dayMs - days * dayMs);

export type Place = Awaited<ReturnType<typeof openPlace>>;

/** With `withJobs` the service does its jobs itself. */
export async function openPlace({ stage, say }: Context, { withJobs = false } = {}) {
  const godwit = await stage.startGodwit(
    withJobs ? { role: 'all', env: { SIMULATOR_PORT: '0' } } : { role: 'api' },
  );
  const core = await openCore(readConfig({ DATA_DIR: godwit.dataDir }), godwit.databaseUrl, silentLog);
  const context = { database: core.database, clock: systemClock, log: silentLog };
  const client = new pg.Client({ connectionString: godwit.databaseUrl });
  await client.connect();
  const tenantOf = (accountSid: string) => ({ accountSid, livemode: false });
  const write = <T>(accountSid: string, work: (t: TenantTx) => Promise<T>): Promise<T> =>
    core.database.write(tenantOf(accountSid), asOperator(context, false), work);
  const read = <T>(accountSid: string, work: (t: TenantTx) => Promise<T>): Promise<T> =>
    core.database.read(tenantOf(accountSid), asOperator(context, false), work);
  const newAccount = async () => {
    const names = { organizationName: 'B', accountName: 'B', region: 'local' };
    return (await bootstrap(context, names)).accountSid;
  };
  return {
    godwit,
    context: { ...context, sealer: core.sealer },
    client,
    newAccount,
    write,
    read,
    /** An account with so many old messages: half of them are to go, and of the other half the content. */
    async oldAccount(count: number): Promise<string> {
      const accountSid = await newAccount();
      say(`${count.toLocaleString('en')} messages`);
      await seedDelivered(client, { accountSid, count: count / 2, from: ago(200), to: ago(100) });
      await seedDelivered(client, { accountSid, count: count / 2, from: ago(60), to: ago(35) });
      return accountSid;
    },
    /** The operation, whose job waits for whoever does jobs. */
    async beginRetention(accountSid: string): Promise<string> {
      await client.query(
        `insert into retention_policies (account_sid, livemode, content_days, metadata_months, created_at, updated_at)
         values ($1, false, 30, 2, now(), now())`,
        [accountSid],
      );
      return write(accountSid, async (t) => {
        const { sid } = await startOperation(t, retentionRun, {});
        await beginRun(t, sid);
        return sid;
      });
    },
    async isDone(operationSid: string): Promise<boolean> {
      const { rows } = await client.query('select finished_at from operations where sid = $1', [
        operationSid,
      ]);
      return rows[0].finished_at !== null;
    },
    /** Fails where a run did something else than it was to. */
    async checkRun(operationSid: string, count: number): Promise<void> {
      const { rows } = await client.query('select done::integer, state from operations where sid = $1', [
        operationSid,
      ]);
      if (rows[0].done !== count || rows[0].state !== 'SUCCEEDED') throw new Error(JSON.stringify(rows[0]));
    },
    async close() {
      await client.end();
      await core.database.close();
    },
  };
}
