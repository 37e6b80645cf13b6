// Analytics: a year of numbers beside the bare SQL on them, in an account of few messages and in one of many; how fast messages are
// counted, and what that leaves of sends beside it.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openCore } from '../../../server/src/main/process/core.ts';
import { readConfig } from '../../../server/src/main/settings.ts';
import { analyticsModule } from '../../../server/src/modules/analytics/index.ts';
import { systemClock } from '../../../server/src/platform/clock.ts';
import { handleEvents } from '../../../server/src/platform/event-consumers/consume.ts';
import { eventHead } from '../../../server/src/platform/event-consumers/cursors.ts';
import { silentLog } from '../../../server/src/platform/observability/logging.ts';
import { systemPrincipal } from '../../../server/src/platform/principal.ts';
import { type Account, makeAccounts } from '../accounts.ts';
import { type BesideSql, measureBeside } from '../beside-sql.ts';
import { type Context, emptyRow, measureEach, type Part, type Row } from '../part.ts';
import { measureInTurns } from '../rounds.ts';
import type { Godwit } from '../stage.ts';
import { batchTo, inBatch, posts, prepareOutlets } from './send-data.ts';

const many = Number(process.env.BENCH_ANALYTICS ?? 1_000_000);
const few = 10_000;
const days = 365;
/** Of a day: five senders, three categories, four countries, four statuses. */
const rowsOfDay = 240;

export const analytics: Part = {
  name: 'analytics',
  description: `a year of numbers of ${many.toLocaleString('en')} messages beside the bare SQL on them, counting, and sends beside it`,
  run: (context) => measureEach(context, { pages: measurePages, sends: measureSends }),
};

async function measurePages({ stage, say }: Context): Promise<Row[]> {
  const godwit = await stage.startGodwit();
  const [small, large] = await makeAccounts(godwit, 2);
  const client = new pg.Client({ connectionString: godwit.databaseUrl });
  await client.connect();
  try {
    const rows: Row[] = [];
    for (const [account, messages] of [
      [small!, few],
      [large!, many],
    ] as const) {
      say(`numbers of ${messages.toLocaleString('en')} messages`);
      await fillYear(client, account, messages);
    }
    await client.query('analyze');
    for (const [account, messages] of [
      [small!, few],
      [large!, many],
    ] as const)
      for (const one of questionsOf(godwit, client, account, messages)) {
        say(one.name);
        rows.push(await measureBeside(one));
      }
    return rows;
  } finally {
    await client.end();
  }
}

/** What the consumer would have written of as many messages over the last year, and of which messages. */
async function fillYear(client: pg.Client, { sid }: Account, messages: number): Promise<void> {
  await client.query(
    `insert into analytics_days
     select $1, false, current_date - d, 'outbound', 'WA' || s, (array['utility', 'marketing', 'service'])[c + 1],
       (array['FR', 'DE', 'US', 'OTHER'])[m + 1], '', (array['read', 'delivered', 'sent', 'failed'])[t + 1], 'USD', 6,
       greatest(1, $2::bigint / ${days * rowsOfDay}), 5000, 0
       from generate_series(0, ${days - 1}) d, generate_series(1, 5) s, generate_series(0, 2) c, generate_series(0, 3) m,
         generate_series(0, 3) t`,
    [sid, messages],
  );
  await client.query(
    `insert into analytics_counted
     select $1, false, 'SM' || lpad(n::text, 26, '0'), 'outbound', 'WA1', 'hello', 'utility', 'FR', '', 'USD', 6, 'read', '', 5000, 0
       from generate_series(1, $2::integer) n`,
    [sid, messages],
  );
}

function questionsOf(
  godwit: Godwit,
  client: pg.Client,
  { sid, key }: Account,
  messages: number,
): BesideSql[] {
  const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
  const range = `from=${day(days - 1)}&to=${day(0)}`;
  const label = `12 months, ${messages.toLocaleString('en')} messages`;
  const question = (name: string, groupBy: string, columns: string): BesideSql => ({
    name: `${name}, ${label}`,
    turns: 40,
    async ask() {
      const url = `${godwit.url}/v1/accounts/${sid}/analytics/messages?${range}&groupBy=${groupBy}&limit=100`;
      const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
    },
    byHand: () =>
      client.query(
        `select ${columns}, currency, scale, sum(messages), sum(charged_minor), sum(expected_minor) from analytics_days
          where account_sid = $1 and not livemode and day between $2 and $3
          group by ${columns}, currency, scale order by ${columns} limit 101`,
        [sid, day(days - 1), day(0)],
      ),
    aim: 1 / 1.5,
  });
  return [
    question('by day', 'day', 'day'),
    question('by status', 'status', 'status'),
    question('by day and status', 'day,status', 'day, status'),
    question('by sender, category and country', 'sender,category,country', 'sender_sid, category, country'),
  ];
}

/** Batches of messages where nobody counts and where they are counted meanwhile, and then what was left uncounted. */
async function measureSends(context: Context): Promise<Row[]> {
  const { stage, say } = context;
  say('accounts that send');
  const [alone, counted] = [await stage.startGodwit(), await stage.startGodwit()];
  const [first, second] = [await prepareOutlets(alone, 1), await prepareOutlets(counted, 1)];
  const counting = await countingOf(counted, second[0]!.sid);
  let sending = true;
  const beside = (async () => {
    // Ten times as often as in the service, so that what is counted falls into the rounds it belongs to.
    for (; sending; await sleep(100)) await counting.catchUp();
  })();
  const path = 'messages/batch';
  const scenarios = [
    {
      name: `${path}, not counted`,
      server: alone,
      next: posts(first, path, batchTo),
      expect: 200,
      each: inBatch,
    },
    {
      name: `${path}, counted beside`,
      server: counted,
      next: posts(second, path, batchTo),
      expect: 200,
      each: inBatch,
      comparedWith: `${path}, not counted`,
      aim: 0.9,
    },
  ];
  const rows = await measureInTurns({ ...context, connections: 2 }, scenarios);
  sending = false;
  await beside;
  await counting.close();
  const late = await countingOf(alone, first[0]!.sid);
  say('counting what was not');
  const startedMs = performance.now();
  const events = await late.catchUp();
  const perSecond = (events * 1000) / (performance.now() - startedMs);
  await late.close();
  return [...rows, { ...emptyRow, name: 'events counted', perSecond }];
}

/** What the service's consumer does, in this process. */
async function countingOf({ dataDir, databaseUrl }: Godwit, accountSid: string) {
  const { database } = await openCore(readConfig({ DATA_DIR: dataDir }), databaseUrl, silentLog);
  const [consumer] = analyticsModule.consumers!;
  const principal = systemPrincipal('bench', false);
  const tenant = { accountSid, livemode: false };
  const asking = () => ({ principal, now: systemClock.now(), requestId: 'bench', log: silentLog });
  return {
    /** Tells how many events there are, all of them counted. */
    async catchUp(): Promise<number> {
      for (let more = true; more; )
        more = await database.write(tenant, asking(), (t) => handleEvents(t, consumer!));
      return Number(await database.read(tenant, asking(), eventHead));
    },
    close: () => database.close(),
  };
}
