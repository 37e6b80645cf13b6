// Deliveries of events to a local receiver, every attempt recorded, beside a loop that only signs and posts the same
// bodies. And how long an event waits for its first attempt, at half the rate.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Pool } from 'undici';
import { openCore } from '../../../server/src/main/core.ts';
import { bootstrap } from '../../../server/src/main/demo.ts';
import { signatureOf } from '../../../server/src/modules/webhooks/index.ts';
import { systemClock } from '../../../server/src/platform/clock.ts';
import { readConfig } from '../../../server/src/platform/config.ts';
import { newSid } from '../../../server/src/platform/ids.ts';
import { silentLog } from '../../../server/src/platform/logging.ts';
import type { Context, Part, Row } from '../part.ts';
import { familyCpuSeconds, serverUsage } from '../usage.ts';

const rounds = 5;
const cap = 64;
const secret = 'whsec_bench';
const leastPerSecond = 2_500;

type Place = { context: Context; client: pg.Client; accountSid: string; receiver: string; godwitUrl: string };

export const webhooks: Part = {
  name: 'webhooks',
  description: 'deliveries of events to a local receiver, and how soon they leave',
  async run(context) {
    const godwit = await context.stage.startGodwit({
      role: 'all',
      env: { ALLOW_PRIVATE_WEBHOOKS: 'true', SIMULATOR_PORT: '0' },
    });
    const receiver = await context.stage.startScript(
      new URL('../webhook-receiver.ts', import.meta.url).pathname,
    );
    const accountSid = await prepare(godwit, receiver.url);
    const client = new pg.Client({ connectionString: godwit.databaseUrl });
    await client.connect();
    try {
      const place = { context, client, accountSid, receiver: receiver.url, godwitUrl: godwit.url };
      return await measure(place);
    } finally {
      await client.end();
    }
  },
};

/** An account with one verified endpoint that takes everything. */
async function prepare(godwit: { dataDir: string; databaseUrl: string }, url: string): Promise<string> {
  const core = await openCore(readConfig({ DATA_DIR: godwit.dataDir }), godwit.databaseUrl, silentLog);
  const hands = { database: core.database, clock: systemClock, log: silentLog };
  const names = { organizationName: 'Bench', accountName: 'Bench', region: 'local' };
  const { accountSid } = await bootstrap(hands, names);
  const client = new pg.Client({ connectionString: godwit.databaseUrl });
  await client.connect();
  const sid = newSid('WH', systemClock.now());
  const sealed = core.sealer.seal(secret, `webhook secret:${sid}`);
  await client.query(
    `insert into webhook_endpoints (account_sid, livemode, sid, url, event_filters, api_version, timeout_ms,
       concurrency_cap, sealed_secret, verified_at, subscribed_after, created_at, updated_at)
     values ($1, false, $2, $3, '{}', '2026-08-21', 10000, $5, $4, now(), 0, now(), now())`,
    // By name, as customers' endpoints are.
    [accountSid, sid, `${url.replace('127.0.0.1', 'localhost')}/hook`, sealed, cap],
  );
  await client.query(
    'insert into webhook_lanes (account_sid, livemode, endpoint_sid, open) values ($1, false, $2, true)',
    [accountSid, sid],
  );
  await client.query('insert into webhook_cursors values ($1, false, 0)', [accountSid]);
  await client.end();
  await core.database.close();
  return accountSid;
}

const data = JSON.stringify({
  object: 'message',
  sid: 'SM01K3SAMP1E0000000000000000',
  status: 'delivered',
  direction: 'outbound',
  from: 'WA01K3SAMP1E0000000000000000',
  to: { identifierType: 'phone_e164', value: '+33612345678', contactSid: 'CT01K3SAMP1E0000000000000000' },
  text: { body: 'Your order is on its way.'.repeat(8) },
  metadata: { orderId: '1001' },
});

/** As the service writes events: under the lock of the head, in one transaction. */
async function happen({ client, accountSid }: Place, many: number): Promise<string[]> {
  const sids = Array.from({ length: many }, () => newSid('EV', systemClock.now()));
  await client.query(
    `with head as (
       insert into event_heads as h (account_sid, livemode, sequence) values ($1, false, $2)
       on conflict (account_sid, livemode) do update set sequence = h.sequence + excluded.sequence
       returning sequence - $2 as taken)
     insert into events (account_sid, livemode, sequence, sid, type, api_version, resource_sid, occurred_at, created_at, data)
     select $1, false, taken + item.position, item.sid, 'message.delivered', '2026-08-21', 'SM01K3SAMP1E0000000000000000',
       now(), now(), $4::json
       from head, unnest($3::text[]) with ordinality as item (sid, position)`,
    [accountSid, many, sids, data],
  );
  return sids;
}

type Report = { count: number; arrivals: [string, number][] };
const reportOf = async (url: string) => (await (await fetch(url)).json()) as Report;

async function measure(place: Place): Promise<Row[]> {
  const { context, godwitUrl } = place;
  const many = Math.round((context.seconds / rounds) * 4_000);
  const bare: number[] = [];
  const ours: number[] = [];
  context.say('warming up');
  await deliverAll(place, 2_000);
  await postAll(place, 2_000);
  const before = await usageOf(place);
  for (let round = 1; round <= rounds; round += 1) {
    context.say(`round ${round} of ${rounds}`);
    bare.push(await postAll(place, many));
    ours.push(await deliverAll(place, many));
  }
  const after = await usageOf(place);
  const perSecond = median(ours);
  const ratio = median(ours.map((rate, i) => rate / bare[i]!));
  context.say('waiting times at half the rate');
  const half = Math.max(perSecond, leastPerSecond) / 2;
  const waits = await waitsAt(place, half, Math.max(3, context.seconds / 2));
  const cost = (name: 'server' | 'database') => ((after[name] - before[name]) * 1e6) / (many * rounds);
  const base = { errors: 0, firstError: null, serverCpu: null, databaseCpu: null, clientCpu: null };
  const none = { p50Ms: null, p99Ms: null, serverRssMb: null, serverMicros: null, databaseMicros: null };
  const { rssMb } = await serverUsage(godwitUrl);
  return [
    { name: 'signed and posted, nothing else', perSecond: median(bare), ratio: null, ...none, ...base },
    {
      name: 'delivered, every attempt recorded',
      perSecond,
      ratio,
      aim: 0.4,
      ...none,
      ...base,
      serverRssMb: rssMb,
      serverMicros: cost('server'),
      databaseMicros: cost('database'),
    },
    {
      name: `from commit to first attempt, at ${Math.round(half)}/s`,
      perSecond: waits.length / Math.max(3, context.seconds / 2),
      ratio: null,
      ...none,
      ...base,
      p50Ms: waits[Math.floor(waits.length / 2)]!,
      p99Ms: waits[Math.floor(waits.length * 0.99)]!,
    },
  ];
}

async function usageOf({ context, godwitUrl }: Place) {
  return {
    server: (await serverUsage(godwitUrl)).cpuSeconds,
    database: (await familyCpuSeconds(context.stage.postmasterPid)) ?? 0,
  };
}

/** Events a second, from their commit until every attempt stands in the log. */
async function deliverAll(place: Place, many: number): Promise<number> {
  await happen(place, many);
  const startedMs = performance.now();
  await untilDelivered(place);
  const seconds = (performance.now() - startedMs) / 1000;
  const { count } = await reportOf(place.receiver);
  if (count < many) throw new Error(`${count} of ${many} arrived`);
  return many / seconds;
}

async function untilDelivered({ client }: Place): Promise<void> {
  const left = `select exists (select from webhook_undelivered) or exists (
    select from webhook_cursors c join event_heads h using (account_sid, livemode) where h.sequence > c.sequence) as more`;
  const startedMs = performance.now();
  for (let more = true; more; ) {
    await sleep(20);
    more = (await client.query<{ more: boolean }>(left)).rows[0]!.more;
    if (performance.now() - startedMs > 120_000) throw new Error('the deliveries do not end');
  }
}

/** The same bodies, signed and posted by as many connections. */
async function postAll({ receiver }: Place, many: number): Promise<number> {
  const pool = new Pool(receiver, { connections: cap, pipelining: 1 });
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
  await reportOf(receiver);
  return many / seconds;
}

/** Milliseconds from an event's commit until it reached the receiver, in order, at a steady rate. */
async function waitsAt(place: Place, perSecond: number, seconds: number): Promise<number[]> {
  const everyMs = 20;
  const committed = new Map<string, number>();
  const startedMs = performance.now();
  for (let done = 0; performance.now() - startedMs < seconds * 1000; ) {
    const due = Math.floor(((performance.now() - startedMs) / 1000) * perSecond) - done;
    if (due > 0) {
      done += due;
      const sids = await happen(place, due);
      const at = performance.timeOrigin + performance.now();
      for (const sid of sids) committed.set(sid, at);
    }
    await sleep(everyMs);
  }
  await untilDelivered(place);
  const { arrivals } = await reportOf(place.receiver);
  const waits = arrivals.flatMap(([sid, at]) => (committed.has(sid) ? [at - committed.get(sid)!] : []));
  if (waits.length < committed.size) throw new Error(`${waits.length} of ${committed.size} arrived`);
  return waits.sort((a, b) => a - b);
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
