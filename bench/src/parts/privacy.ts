// A run of retention beside the bare statements that remove the same rows, as many at a time, and the room it takes: ten times as many
// messages must take no more. Half of them go, of the other half the content.
import pg from 'pg';
import { openCore } from '../../../server/src/main/process/core.ts';
import { bootstrap } from '../../../server/src/main/process/demo.ts';
import { asOperator } from '../../../server/src/main/process/keys.ts';
import { readConfig } from '../../../server/src/main/settings.ts';
import { startOperation } from '../../../server/src/modules/operations/index.ts';
import { retentionRun } from '../../../server/src/modules/retention/run.ts';
import { beginRun } from '../../../server/src/modules/retention/runs.ts';
import { systemClock } from '../../../server/src/platform/clock.ts';
import { firstSid, newUuid } from '../../../server/src/platform/ids.ts';
import type { TenantJobContext } from '../../../server/src/platform/jobs/jobs.ts';
import { silentLog } from '../../../server/src/platform/observability/logging.ts';
import { seedDelivered } from '../delivered-messages.ts';
import { emptyRow, type Part } from '../part.ts';
import { erasureSize, measureErasure } from './privacy-erasure.ts';

const size = Number(process.env.BENCH_RETENTION ?? 1_000_000);
const dayMs = 86_400_000;
const batch = 1_000;

export const privacy: Part = {
  name: 'privacy',
  description: `retention of ${size.toLocaleString('en')} messages (BENCH_RETENTION), beside bare batches of DELETE and UPDATE; erasure of a person with ${erasureSize.toLocaleString('en')} messages (BENCH_ERASURE)`,
  async run({ stage, say }) {
    const godwit = await stage.startGodwit({ role: 'api' });
    const core = await openCore(readConfig({ DATA_DIR: godwit.dataDir }), godwit.databaseUrl, silentLog);
    const context = { database: core.database, clock: systemClock, log: silentLog };
    const client = new pg.Client({ connectionString: godwit.databaseUrl });
    await client.connect();
    const ago = (days: number) => new Date(Math.floor(Date.now() / dayMs) * dayMs - days * dayMs);
    const newAccount = async () => {
      const names = { organizationName: 'B', accountName: 'B', region: 'local' };
      return (await bootstrap(context, names)).accountSid;
    };
    const account = async (count: number) => {
      const accountSid = await newAccount();
      say(`${count.toLocaleString('en')} messages`);
      await seedDelivered(client, { accountSid, count: count / 2, from: ago(200), to: ago(100) });
      await seedDelivered(client, { accountSid, count: count / 2, from: ago(60), to: ago(35) });
      return accountSid;
    };
    const retention = async (count: number) => {
      const accountSid = await account(count);
      await client.query(
        `insert into retention_policies (account_sid, livemode, content_days, metadata_months, created_at, updated_at)
         values ($1, false, 30, 2, now(), now())`,
        [accountSid],
      );
      const tenant = { accountSid, livemode: false };
      const as = () => asOperator(context, false);
      const operationSid = await core.database.write(tenant, as(), async (t) => {
        const { sid } = await startOperation(t, retentionRun, {});
        await beginRun(t, sid);
        return sid;
      });
      const job = {
        ...context,
        now: () => systemClock.now(),
        sealer: core.sealer,
        processId: newUuid(systemClock.now()),
        signal: new AbortController().signal,
        write: (work: never) => core.database.write(tenant, as(), work),
        read: (work: never) => core.database.read(tenant, as(), work),
      } as unknown as TenantJobContext;
      const begun = performance.now();
      const most = await mostHeap(async () => {
        // A long run is handed on now and then: here to itself.
        while (!(await isDone(client, operationSid))) await retentionRun.job.run(job, { operationSid });
      });
      const seconds = (performance.now() - begun) / 1000;
      const { rows } = await client.query('select done::integer, state from operations where sid = $1', [
        operationSid,
      ]);
      if (rows[0].done !== count || rows[0].state !== 'SUCCEEDED') throw new Error(JSON.stringify(rows[0]));
      return { seconds, mostMb: Math.round(most / 1024 / 1024) };
    };
    try {
      const small = await retention(size / 10);
      const bare = await bareSeconds(client, await account(size), { rows: ago(70), contents: ago(30) });
      const large = await retention(size);
      return [
        { ...emptyRow, name: 'bare DELETE and UPDATE', perSecond: size / bare },
        { ...emptyRow, name: `a tenth of it, ${small.mostMb} MB`, perSecond: size / 10 / small.seconds },
        {
          ...emptyRow,
          name: `all of it, ${large.mostMb} MB`,
          perSecond: size / large.seconds,
          ratio: bare / large.seconds,
          aim: 0.6,
        },
        ...(await measureErasure({
          client,
          newAccount,
          write: (accountSid, work) =>
            core.database.write({ accountSid, livemode: false }, asOperator(context, false), work),
        })),
      ];
    } finally {
      await client.end();
      await core.database.close();
    }
  },
};

async function isDone(client: pg.Client, operationSid: string): Promise<boolean> {
  const { rows } = await client.query('select finished_at from operations where sid = $1', [operationSid]);
  return rows[0].finished_at !== null;
}

/** How much the heap grew meanwhile at most. */
async function mostHeap(work: () => Promise<void>): Promise<number> {
  const start = process.memoryUsage().heapUsed;
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().heapUsed - start);
  }, 20);
  await work();
  clearInterval(watch);
  return most;
}

/** The same rows by hand: as many in a transaction, found by their SIDs. */
async function bareSeconds(
  client: pg.Client,
  accountSid: string,
  before: { rows: Date; contents: Date },
): Promise<number> {
  const begun = performance.now();
  const inBatches = async (until: string, statements: string[]) => {
    for (let from = ''; ; ) {
      const { rows } = await client.query(
        `select max(sid) as last from (
           select sid from messages where account_sid = $1 and sid > $2 and sid < $3 order by sid limit ${batch}) as batch`,
        [accountSid, from, until],
      );
      const last: string | null = rows[0].last;
      if (last === null) return;
      await client.query('begin');
      for (const statement of statements) await client.query(statement, [accountSid, from, last]);
      await client.query('commit');
      from = last;
    }
  };
  const span = 'account_sid = $1 and sid > $2 and sid <= $3';
  await inBatches(firstSid('SM', before.rows), [
    `delete from messages where ${span}`,
    `delete from message_states where ${span}`,
    `delete from message_attempts where ${span.replaceAll('sid >', 'message_sid >').replaceAll('sid <=', 'message_sid <=')}`,
    `delete from provider_messages where ${span.replaceAll('sid >', 'message_sid >').replaceAll('sid <=', 'message_sid <=')}`,
  ]);
  await inBatches(firstSid('SM', before.contents), [
    `update messages set content = null, content_removed_at = now() where ${span}`,
  ]);
  return (performance.now() - begun) / 1000;
}
