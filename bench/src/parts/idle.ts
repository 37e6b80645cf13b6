// What the whole service costs while nobody asks it anything: one account with senders and a webhook endpoint, everything
// started, nothing to do. Processor time is read from /proc, since to ask the service would be to wake it.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Context, emptyRow, type Part, type Row } from '../part.ts';
import { exactCpuSeconds, residentMb } from '../usage.ts';
import { makeAccount } from './webhooks-data.ts';

// Once everything that follows a start is over: the first sweeps, the first vacuum, and the compiling of what ran often.
const settleMs = 180_000;
// Long enough for what happens once a minute to be counted as often as it happens.
const leastSeconds = 120;
const mostCpuPercent = 0.5;
const mostRssMb = 200;

export const idle: Part = {
  name: 'idle',
  description: 'processor time, transactions and memory of the whole service while nothing happens',
  async run(context) {
    const rows = [await rest(context, 'idle')];
    if (context.against !== null) {
      await context.stage.clear();
      rows.push(await rest(context, 'idle, the other checkout', context.against));
    }
    return rows;
  },
};

async function rest(context: Context, name: string, checkout?: string): Promise<Row> {
  const { stage, say } = context;
  const godwit = await stage.startGodwit({
    role: 'all',
    env: { ALLOW_PRIVATE_WEBHOOKS: 'true', SIMULATOR_PORT: '0' },
    ...(checkout !== undefined && { checkout }),
  });
  const client = new pg.Client({ connectionString: godwit.databaseUrl });
  await client.connect();
  try {
    // Nothing is ever posted there: no event happens.
    await makeAccount({ context, godwit, client, receiver: godwit }, [{ url: 'http://127.0.0.1:9', cap: 8 }]);
    say('letting everything settle');
    await sleep(settleMs);
    const read = async () => ({
      atMs: performance.now(),
      server: await exactCpuSeconds(godwit.pid),
      database: await exactCpuSeconds(stage.postmasterPid, true),
      transactions: await transactionsOf(client),
    });
    const seconds = Math.max(context.seconds, leastSeconds);
    say(`measuring ${seconds} seconds of nothing`);
    const before = await read();
    await sleep(seconds * 1000);
    const after = await read();
    const elapsed = (after.atMs - before.atMs) / 1000;
    const percent = (part: 'server' | 'database') =>
      after[part] === null ? null : ((after[part] - before[part]!) * 100) / elapsed;
    const [serverCpu, databaseCpu] = [percent('server'), percent('database')];
    const serverRssMb = await residentMb(godwit.pid);
    if (serverCpu !== null && serverRssMb !== null) sayAim(say, serverCpu + databaseCpu!, serverRssMb);
    const perSecond = (after.transactions - before.transactions) / elapsed;
    return { ...emptyRow, name: `${name} (transactions/s)`, perSecond, serverRssMb, serverCpu, databaseCpu };
  } finally {
    await client.end();
  }
}

function sayAim(say: (text: string) => void, cpuPercent: number, rssMb: number): void {
  const met = (value: number, most: number) => (value <= most ? 'met' : 'missed');
  say(
    `together ${cpuPercent.toFixed(2)} % of a core (≤ ${mostCpuPercent} %: ${met(cpuPercent, mostCpuPercent)}), ` +
      `${Math.round(rssMb)} MB (≤ ${mostRssMb} MB: ${met(rssMb, mostRssMb)})`,
  );
}

/** Of the service's database. Those of this connection are among them, two for each look. */
async function transactionsOf(client: pg.Client): Promise<number> {
  await client.query('select pg_stat_clear_snapshot()');
  const { rows } = await client.query<{ count: string }>(
    'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]!.count);
}
