// A month of messages counted for a comparison with the provider's figures, beside the bare aggregation of the same rows, and the room
// it takes: ten times as many messages must take no more.
import pg from 'pg';
import { openCore } from '../../../server/src/main/process/core.ts';
import { bootstrap } from '../../../server/src/main/process/demo.ts';
import { asOperator } from '../../../server/src/main/process/keys.ts';
import { readConfig } from '../../../server/src/main/settings.ts';
import { countOurs } from '../../../server/src/modules/reconciliation/index.ts';
import { systemClock } from '../../../server/src/platform/clock.ts';
import { silentLog } from '../../../server/src/platform/observability/logging.ts';
import { seedDelivered } from '../delivered-messages.ts';
import { emptyRow, type Part } from '../part.ts';

const size = Number(process.env.BENCH_RECONCILE ?? 50_000);
const dayMs = 86_400_000;

export const reconciliation: Part = {
  name: 'reconciliation',
  description: `${size.toLocaleString('en')} messages compared with the provider's figures (BENCH_RECONCILE), beside the bare aggregation`,
  async run({ stage, say }) {
    const godwit = await stage.startGodwit({ role: 'api' });
    const core = await openCore(readConfig({ DATA_DIR: godwit.dataDir }), godwit.databaseUrl, silentLog);
    const context = { database: core.database, clock: systemClock, log: silentLog };
    const client = new pg.Client({ connectionString: godwit.databaseUrl });
    await client.connect();
    try {
      const to = new Date(Math.floor(Date.now() / dayMs) * dayMs);
      const from = new Date(to.getTime() - 30 * dayMs);
      /** Counts the messages of an account of so many: how long, and how much the heap grew meanwhile at most. */
      const measure = async (count: number) => {
        const { accountSid } = await bootstrap(context, {
          organizationName: 'B',
          accountName: 'B',
          region: 'local',
        });
        say(`${count.toLocaleString('en')} messages`);
        const sender = await seedDelivered(client, { accountSid, count, from, to });
        const read = <T>(work: Parameters<typeof core.database.read<T>>[2]) =>
          core.database.read({ accountSid, livemode: false }, asOperator(context, false), work);
        let most = 0;
        const start = process.memoryUsage().heapUsed;
        const watch = setInterval(() => {
          most = Math.max(most, process.memoryUsage().heapUsed - start);
        }, 20);
        const begun = performance.now();
        const { ours } = await countOurs(read, { from, to, numbers: new Map([[sender, '33180001000']]) });
        clearInterval(watch);
        const seconds = (performance.now() - begun) / 1000;
        const counted = ours.reduce((sum, { volume }) => sum + volume, 0);
        if (counted !== count) throw new Error(`${counted} of ${count} were counted`);
        return { accountSid, seconds, mostMb: Math.round(most / 1024 / 1024) };
      };
      const small = await measure(Math.ceil(size / 10));
      const large = await measure(size);
      const bare = await aggregationSeconds(client, large.accountSid);
      return [
        { ...emptyRow, name: 'bare aggregation', perSecond: size / bare },
        { ...emptyRow, name: `a tenth of it, ${small.mostMb} MB`, perSecond: size / 10 / small.seconds },
        {
          ...emptyRow,
          name: `all of it, ${large.mostMb} MB`,
          perSecond: size / large.seconds,
          ratio: bare / large.seconds,
        },
      ];
    } finally {
      await client.end();
      await core.database.close();
    }
  },
};

async function aggregationSeconds(client: pg.Client, accountSid: string): Promise<number> {
  const begun = performance.now();
  await client.query(
    `select m.sender_sid, date_trunc('day', s.delivered_at), left(m.address, 3), m.category, s.pricing_type, count(*)
       from messages m join message_states s using (account_sid, sid)
      where m.account_sid = $1 and not m.livemode group by 1, 2, 3, 4, 5`,
    [accountSid],
  );
  return (performance.now() - begun) / 1000;
}
