// Deliveries of events to a local receiver, every attempt recorded, beside a loop that only signs and posts the same
// bodies. How long an event waits for its first attempt, at half the rate; and whether bad neighbours make it longer.
import pg from 'pg';
import { Pool } from 'undici';
import { signatureOf } from '../../../server/src/modules/webhooks/index.ts';
import { ofCheckout } from '../checkout.ts';
import { type Context, emptyRow, type Part, type Row } from '../part.ts';
import { ownCheckout } from '../stage.ts';
import { familyCpuSeconds, serverUsage } from '../usage.ts';
import { data, type Place as Ground, quantile, secret } from './webhooks-data.ts';
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
    const places: Place[] = [];
    try {
      for (const checkout of [ownCheckout, ...(context.against ? [context.against] : [])])
        places.push(await openPlace(context, checkout));
      const isWanted = (word: string) => context.only.length === 0 || context.only.includes(word);
      return [
        ...(isWanted('speed') ? await measureSpeed(places) : []),
        ...(isWanted('isolation')
          ? await measureIsolation(places[0]!, await context.stage.startScript(receiverScript))
          : []),
      ];
    } finally {
      for (const { client } of places) await client.end();
    }
  },
};

/** With what the service's own checkout knows of its tables. */
type Place = Ground & { data: typeof import('./webhooks-data.ts') };

const receiverScript = new URL('../webhook-receiver.ts', import.meta.url).pathname;

async function openPlace(context: Context, checkout: string): Promise<Place> {
  const godwit = await context.stage.startGodwit({
    checkout,
    role: 'all',
    env: { ALLOW_PRIVATE_WEBHOOKS: 'true', SIMULATOR_PORT: '0' },
  });
  const client = new pg.Client({ connectionString: godwit.databaseUrl });
  await client.connect();
  const theirs = await ofCheckout<Place['data']>(checkout, 'parts/webhooks-data.ts');
  return { context, godwit, client, receiver: await context.stage.startScript(receiverScript), data: theirs };
}

type Round = { perSecond: number; server: number; database: number };

async function measureSpeed(places: Place[]): Promise<Row[]> {
  const { context } = places[0]!;
  const many = Math.round((context.seconds / rounds) * usualPerSecond);
  const bare: number[] = [];
  const targets: { place: Place; accountSid: string; told: Round[] }[] = [];
  context.say('warming up');
  for (const place of places) {
    const { accountSid } = await place.data.makeAccount(place, [{ url: `${place.receiver.url}/hook`, cap }]);
    await deliverAll(place, accountSid, 2_000);
    targets.push({ place, accountSid, told: [] });
  }
  await postAll(places[0]!, 2_000);
  for (let round = 1; round <= rounds; round += 1) {
    context.say(`round ${round} of ${rounds}`);
    bare.push(await postAll(places[0]!, many));
    for (const { place, accountSid, told } of targets) told.push(await deliverRound(place, accountSid, many));
  }
  const rows: Row[] = [{ ...emptyRow, name: 'signed and posted, nothing else', perSecond: median(bare) }];
  for (const [at, { place, accountSid, told }] of targets.entries()) {
    const suffix = at === 0 ? '' : ' [against]';
    rows.push(await speedRow(`delivered, every attempt recorded${suffix}`, place, told, bare));
    rows.push(await waitRow(place, accountSid, rows.at(-1)!.perSecond, suffix));
  }
  return rows;
}

async function speedRow(name: string, { godwit }: Place, told: Round[], bare: number[]): Promise<Row> {
  return {
    ...emptyRow,
    name,
    perSecond: median(told.map(({ perSecond }) => perSecond)),
    ratio: median(told.map(({ perSecond }, i) => perSecond / bare[i]!)),
    aim: 0.4,
    serverRssMb: (await serverUsage(godwit.url)).rssMb,
    serverMicros: median(told.map(({ server }) => server)),
    databaseMicros: median(told.map(({ database }) => database)),
  };
}

async function waitRow(place: Place, accountSid: string, perSecond: number, suffix: string): Promise<Row> {
  const { context } = place;
  context.say('waiting times at half the rate');
  const half = Math.max(perSecond, leastPerSecond) / 2;
  const seconds = Math.max(3, context.seconds / 2);
  const waits = await place.data.waitsAt(place, { accountSids: [accountSid], perSecond: half, seconds });
  return {
    ...emptyRow,
    name: `from commit to first attempt, at ${Math.round(half)}/s${suffix}`,
    perSecond: waits.length / seconds,
    p50Ms: quantile(waits, 0.5),
    p99Ms: quantile(waits, 0.99),
  };
}

async function deliverRound(place: Place, accountSid: string, many: number): Promise<Round> {
  const before = await usageOf(place);
  const perSecond = await deliverAll(place, accountSid, many);
  const after = await usageOf(place);
  const cost = (name: 'server' | 'database') => ((after[name] - before[name]) * 1e6) / many;
  return { perSecond, server: cost('server'), database: cost('database') };
}

async function usageOf({ context, godwit }: Place) {
  return {
    server: (await serverUsage(godwit.url)).cpuSeconds,
    database: (await familyCpuSeconds(context.stage.postmasterPid)) ?? 0,
  };
}

/** Events a second, from their commit until every attempt stands in the log. */
async function deliverAll(place: Place, accountSid: string, many: number): Promise<number> {
  await place.data.happen(place, accountSid, many);
  const startedMs = performance.now();
  await place.data.untilDelivered(place);
  const seconds = (performance.now() - startedMs) / 1000;
  const { count } = await place.data.arrivalsAt(place);
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
  await place.data.arrivalsAt(place);
  return many / seconds;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
