// Workers die in the middle of deliveries. Every event arrives all the same, and few arrive twice.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type pg from 'pg';
import { newSid } from '../../src/platform/ids.ts';
import { createSealer, parseMasterKeys } from '../../src/platform/sealing.ts';
import { type Lifetime, sharedLifetime } from '../harness/lifetime.ts';
import { beatsAreNeverLate } from '../harness/time.ts';
import { bootstrapped, freshDatabase, type Given, ownerOf } from './fixtures.ts';
import { type Started, startGodwit, until } from './godwit.ts';

// Set to 10000 for the long form, which takes minutes.
const deliveries = Number(process.env.WEBHOOK_KILL_DELIVERIES ?? 2_000);
const endpoints = 4;
const kills = 3;
const cap = 8;

test(`${kills} kills of workers during ${deliveries} deliveries lose nothing and double little`, async () => {
  const env = { ...(await freshDatabase(lifetime)), ALLOW_PRIVATE_WEBHOOKS: 'true' };
  const { accountSid } = await bootstrapped(env);
  const owner = await ownerOf(lifetime, env);
  await owner.query(beatsAreNeverLate);
  const arrivals = new Map<string, number>();
  const shareOf = (kill: number) => (deliveries * kill) / (kills + 1);
  // From this many on nobody is answered until the next worker was killed: it has something under way then.
  let holdFrom = shareOf(1);
  let killedNow = Promise.withResolvers<void>();
  const url = await receive(lifetime, async (name) => {
    arrivals.set(name, (arrivals.get(name) ?? 0) + 1);
    if (arrivals.size >= holdFrom) await killedNow.promise;
  });
  for (let i = 0; i < endpoints; i += 1) await addEndpoint(owner, env, accountSid, `${url}/${i}`);
  const start = () => startGodwit(lifetime, env, { args: ['start', '--role', 'worker'] });
  // Those who take over are there already: nothing is held longer than a kill takes.
  const workers: Started[] = await Promise.all(Array.from({ length: kills + 1 }, start));

  await happen(owner, accountSid, deliveries / endpoints);
  for (let killed = 1; killed <= kills; killed += 1) {
    await until(`${holdFrom} deliveries`, () => arrivals.size >= holdFrom, 120_000);
    const victim = await until('somebody delivers', () => busyOne(owner, workers));
    await victim.stop('SIGKILL');
    // Instead of waiting for the silence to grow long enough.
    await owner.query("update processes set beat_at = now() - interval '1 minute' where pid = $1", [
      victim.pid,
    ]);
    holdFrom = killed < kills ? shareOf(killed + 1) : Number.POSITIVE_INFINITY;
    killedNow.resolve();
    killedNow = Promise.withResolvers<void>();
    workers.splice(workers.indexOf(victim), 1);
  }
  const left = async () =>
    (await owner.query('select count(*)::int as n from webhook_undelivered')).rows[0].n;
  await until('everything is acknowledged', async () => (await left()) === 0, 120_000);

  assert.equal(arrivals.size, deliveries, 'every event came to every endpoint');
  const total = [...arrivals.values()].reduce((sum, times) => sum + times, 0);
  const doubled = total - deliveries;
  // What a worker had under way when it died, and what it had not yet recorded, which is at most four times as much.
  assert.ok(doubled <= kills * endpoints * cap * 5, `${doubled} came twice`);
  const { rows } = await owner.query(`
    select count(*)::int as made, count(distinct (d.endpoint_sid, d.event_sequence))::int as pairs,
      count(*) filter (where exists (
        select from webhook_attempts a where a.delivery_sid = d.sid and a.failure is null))::int as acknowledged
      from webhook_deliveries d`);
  assert.deepEqual(rows[0], { made: deliveries, pairs: deliveries, acknowledged: deliveries });
  console.info(`${deliveries} deliveries, ${kills} kills, ${doubled} came twice`);
});

const lifetime = sharedLifetime();

/** A worker that delivers at this moment. */
async function busyOne(owner: pg.Client, workers: Started[]): Promise<Started | undefined> {
  const { rows } = await owner.query<{ pid: number }>(
    'select p.pid from webhook_lanes l join processes p on p.id = l.holder',
  );
  return workers.find((worker) => worker.state.alive && rows.some(({ pid }) => pid === worker.pid));
}

/** Answers when what is done on arrival is over. */
async function receive(life: Lifetime, onArrival: (name: string) => Promise<void>): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', async () => {
      await onArrival(`${request.url} ${request.headers['x-service-event-id']}`);
      response.end();
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  life.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function addEndpoint(owner: pg.Client, env: Given, accountSid: string, url: string): Promise<void> {
  const sid = newSid('WH', new Date());
  const sealed = createSealer(parseMasterKeys(env.MASTER_KEY)).seal('whsec_test', `webhook secret:${sid}`);
  await owner.query(
    `insert into webhook_endpoints (account_sid, livemode, sid, url, event_filters, api_version, timeout_ms,
       concurrency_cap, sealed_secret, verified_at, subscribed_after, created_at, updated_at)
     values ($1, false, $2, $3, '{}', '2026-08-21', 30000, $5, $4, now(), 0, now(), now())`,
    [accountSid, sid, url, sealed, cap],
  );
  await owner.query(
    'insert into webhook_lanes (account_sid, livemode, endpoint_sid, open) values ($1, false, $2, true)',
    [accountSid, sid],
  );
}

async function happen(owner: pg.Client, accountSid: string, many: number): Promise<void> {
  await owner.query("insert into event_cursors values ($1, false, 'webhooks', 0)", [accountSid]);
  await owner.query(
    `with head as (insert into event_heads values ($1, false, $2))
     insert into events (account_sid, livemode, sequence, sid, type, api_version, occurred_at, created_at, data)
     select $1, false, n, 'EV' || n, 'test.ping', '2026-08-21', now(), now(), '{}'
       from generate_series(1, $2::int) n`,
    [accountSid, many],
  );
}
