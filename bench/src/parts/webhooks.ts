// Deliveries of events to a local receiver, every attempt recorded, beside a loop that only signs and posts the same
// bodies. How long an event waits for its first attempt, at half the rate; and whether bad neighbours make it longer.
import pg from 'pg';
import { Pool } from 'undici';
import { signatureOf } from '../../../server/src/modules/webhooks/index.ts';
import { emptyRow, type Part, type Row } from '../part.ts';
import { familyCpuSeconds, serverUsage } from '../usage.ts';
import {
  arrivalsAt,
  data,
  happen,
  makeAccount,
  type Place,
  quantile,
  secret,
  untilDelivered,
  waitsAt,
} from './webhooks-data.ts';
import { measureIsolation } from './webhooks-isolation.ts';

const rounds = 5;
const cap = 64;
const leastPerSecond = 2_500;
// So that a round lasts about as long as it should: in a short one the waits at its two ends count for too much.
const usualPerSecond = 7_500;

export const webhooks: Part = {
  name: 'webhooks',
  description:
    'deliveries of events to a local receiver, how soon they leave, and what bad neighbours change',
  async run(context) {
    const godwit = await context.stage.startGodwit({
      role: 'all',
      env: { ALLOW_PRIVATE_WEBHOOKS: 'true', SIMULATOR_PORT: '0' },
    });
    const receiver = await context.stage.startScript(receiverScript);
    const client = new pg.Client({ connectionString: godwit.databaseUrl });
    await client.connect();
    try {
      const place = { context, godwit, client, receiver };
      const isWanted = (word: string) => context.only.length === 0 || context.only.includes(word);
      return [
        ...(isWanted('speed') ? await measureSpeed(place) : []),
        ...(isWanted('isolation')
          ? await measureIsolation(place, await context.stage.startScript(receiverScript))
          : []),
      ];
    } finally {
      await client.end();
    }
  },
};

const receiverScript = new URL('../webhook-receiver.ts', import.meta.url).pathname;

async function measureSpeed(place: Place): Promise<Row[]> {
  const { context, godwit, receiver } = place;
  const { accountSid } = await makeAccount(place, [{ url: `${receiver.url}/hook`, cap }]);
  const many = Math.round((context.seconds / rounds) * usualPerSecond);
  const bare: number[] = [];
  const ours: number[] = [];
  context.say('warming up');
  await deliverAll(place, accountSid, 2_000);
  await postAll(place, 2_000);
  const before = await usageOf(place);
  for (let round = 1; round <= rounds; round += 1) {
    context.say(`round ${round} of ${rounds}`);
    bare.push(await postAll(place, many));
    ours.push(await deliverAll(place, accountSid, many));
  }
  const after = await usageOf(place);
  const cost = (name: 'server' | 'database') => ((after[name] - before[name]) * 1e6) / (many * rounds);
  const perSecond = median(ours);
  const { rssMb } = await serverUsage(godwit.url);
  context.say('waiting times at half the rate');
  const half = Math.max(perSecond, leastPerSecond) / 2;
  const seconds = Math.max(3, context.seconds / 2);
  const waits = await waitsAt(place, { accountSids: [accountSid], perSecond: half, seconds });
  return [
    { ...emptyRow, name: 'signed and posted, nothing else', perSecond: median(bare) },
    {
      ...emptyRow,
      name: 'delivered, every attempt recorded',
      perSecond,
      ratio: median(ours.map((rate, i) => rate / bare[i]!)),
      aim: 0.4,
      serverRssMb: rssMb,
      serverMicros: cost('server'),
      databaseMicros: cost('database'),
    },
    {
      ...emptyRow,
      name: `from commit to first attempt, at ${Math.round(half)}/s`,
      perSecond: waits.length / seconds,
      p50Ms: quantile(waits, 0.5),
      p99Ms: quantile(waits, 0.99),
    },
  ];
}

async function usageOf({ context, godwit }: Place) {
  return {
    server: (await serverUsage(godwit.url)).cpuSeconds,
    database: (await familyCpuSeconds(context.stage.postmasterPid)) ?? 0,
  };
}

/** Events a second, from their commit until every attempt stands in the log. */
async function deliverAll(place: Place, accountSid: string, many: number): Promise<number> {
  await happen(place, accountSid, many);
  const startedMs = performance.now();
  await untilDelivered(place);
  const seconds = (performance.now() - startedMs) / 1000;
  const { count } = await arrivalsAt(place);
  if (count < many) throw new Error(`${count} of ${many} arrived`);
  return many / seconds;
}

/** The same bodies, signed and posted by as many connections. */
async function postAll(place: Place, many: number): Promise<number> {
  const pool = new Pool(place.receiver.url, { connections: cap, pipelining: 1 });
  const startedMs = performance.now();
  let next = 0;
  const post = async () => {
    while (next < many) {
      next += 1;
      const body = Buffer.from(`{"id":"EV${next}","type":"message.delivered","data":${data}}`);
      const headers = {
        'content-type': 'application/json',
        'x-service-signature': signatureOf(body, [secret], new Date()),
        'x-service-event-id': `EV${next}`,
        'x-service-delivery-id': `WD${next}`,
        'x-service-api-version': '2026-08-21',
      };
      const answer = await pool.request({ path: '/hook', method: 'POST', headers, body });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: cap }, post));
  const seconds = (performance.now() - startedMs) / 1000;
  await pool.close();
  await arrivalsAt(place);
  return many / seconds;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
