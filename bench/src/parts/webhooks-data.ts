// What deliveries are measured with: accounts with endpoints, events that happen to them, and what became of those.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openCore } from '../../../server/src/main/process/core.ts';
import { bootstrap } from '../../../server/src/main/process/demo.ts';
import { readConfig } from '../../../server/src/main/settings.ts';
import { systemClock } from '../../../server/src/platform/clock.ts';
import { eventChannel } from '../../../server/src/platform/events.ts';
import { newSid } from '../../../server/src/platform/ids.ts';
import { silentLog } from '../../../server/src/platform/observability/logging.ts';
import type { Context } from '../part.ts';
import type { Godwit, Program } from '../stage.ts';

export const secret = 'whsec_bench';

export type Place = { context: Context; godwit: Godwit; client: pg.Client; receiver: Program };

export type NewEndpoint = { url: string; cap: number; timeoutMs?: number; filters?: string[] };

/** An account with verified endpoints. */
export async function makeAccount({ godwit, client }: Place, endpoints: NewEndpoint[]) {
  const core = await openCore(readConfig({ DATA_DIR: godwit.dataDir }), godwit.databaseUrl, silentLog);
  const context = { database: core.database, clock: systemClock, log: silentLog };
  const names = { organizationName: 'Bench', accountName: 'Bench', region: 'local' };
  const { accountSid, sandboxKey } = await bootstrap(context, names);
  const endpointSids: string[] = [];
  for (const { url, cap, timeoutMs = 10_000, filters = [] } of endpoints) {
    const sid = newSid('WH', systemClock.now());
    endpointSids.push(sid);
    const sealed = core.sealer.seal(secret, `webhook secret:${sid}`);
    await client.query(
      `insert into webhook_endpoints (account_sid, livemode, sid, url, event_filters, api_version, timeout_ms,
         concurrency_cap, sealed_secret, verified_at, subscribed_after, created_at, updated_at)
       values ($1, false, $2, $3, $4, '2026-08-21', $5, $6, $7, now(), 0, now(), now())`,
      // By name, as customers' endpoints are.
      [accountSid, sid, url.replace('127.0.0.1', 'localhost'), filters, timeoutMs, cap, sealed],
    );
    await client.query(
      'insert into webhook_lanes (account_sid, livemode, endpoint_sid, open) values ($1, false, $2, true)',
      [accountSid, sid],
    );
  }
  await client.query("insert into event_cursors values ($1, false, 'webhooks', 0)", [accountSid]);
  await core.database.close();
  return { accountSid, sandboxKey, endpointSids };
}

export const data = JSON.stringify({
  object: 'message',
  sid: 'SM01K3SAMP1E0000000000000000',
  status: 'delivered',
  direction: 'outbound',
  from: 'WA01K3SAMP1E0000000000000000',
  to: { identifierType: 'phone_e164', value: '+33612345678', contactSid: 'CT01K3SAMP1E0000000000000000' },
  text: { body: 'Your order is on its way.'.repeat(8) },
  metadata: { orderId: '1001' },
});

/** As the service writes events: under the lock of the head, in one transaction, and told once they are committed. */
export async function happen(
  { client }: Place,
  accountSid: string,
  many: number,
  type = 'message.delivered',
): Promise<string[]> {
  const sids = Array.from({ length: many }, () => newSid('EV', systemClock.now()));
  await client.query(
    `with head as (
       insert into event_heads as h (account_sid, livemode, sequence) values ($1, false, $2)
       on conflict (account_sid, livemode) do update set sequence = h.sequence + excluded.sequence
       returning sequence - $2 as taken)
     insert into events (account_sid, livemode, sequence, sid, type, api_version, resource_sid, occurred_at, created_at, data)
     select $1, false, taken + item.position, item.sid, $5, '2026-08-21', 'SM01K3SAMP1E0000000000000000',
       now(), now(), $4::json
       from head, unnest($3::text[]) with ordinality as item (sid, position)`,
    [accountSid, many, sids, data, type],
  );
  await client.query(`select pg_notify('${eventChannel}', '')`);
  return sids;
}

type Report = { count: number; arrivals: [string, number][] };

/** What came to the receiver since it was last asked. */
export const arrivalsAt = async ({ receiver }: Place) => (await (await fetch(receiver.url)).json()) as Report;

/** Until everything is delivered, except to endpoints that never answer. */
export async function untilDelivered({ client }: Place, except: string[] = []): Promise<void> {
  const left = `select exists (select from webhook_undelivered where endpoint_sid <> all ($1::text[])) or exists (
    select from event_cursors c join event_heads h using (account_sid, livemode)
     where c.consumer = 'webhooks' and h.sequence > c.sequence) as more`;
  const startedMs = performance.now();
  for (let more = true; more; ) {
    await sleep(20);
    more = (await client.query<{ more: boolean }>(left, [except])).rows[0]!.more;
    if (performance.now() - startedMs > 120_000) throw new Error('the deliveries do not end');
  }
}

export type Pace = {
  accountSids: string[];
  perSecond: number;
  seconds: number;
  /** Endpoints whose deliveries are not waited for. */
  except?: string[];
  alongside?: () => Promise<unknown>;
};

/** Milliseconds from an event's commit until it reached the receiver, in order, at a steady rate. */
export async function waitsAt(place: Place, pace: Pace): Promise<number[]> {
  const everyMs = 20;
  const committed = new Map<string, number>();
  const startedMs = performance.now();
  for (let done = 0; performance.now() - startedMs < pace.seconds * 1000; ) {
    const due = Math.floor(((performance.now() - startedMs) / 1000) * pace.perSecond) - done;
    const each = Math.floor(due / pace.accountSids.length);
    for (const accountSid of each > 0 ? pace.accountSids : []) {
      done += each;
      const sids = await happen(place, accountSid, each);
      const at = performance.timeOrigin + performance.now();
      for (const sid of sids) committed.set(sid, at);
    }
    await pace.alongside?.();
    await sleep(everyMs);
  }
  await untilDelivered(place, pace.except);
  const { arrivals } = await arrivalsAt(place);
  const waits = arrivals.flatMap(([sid, at]) => (committed.has(sid) ? [at - committed.get(sid)!] : []));
  if (waits.length < committed.size) throw new Error(`${waits.length} of ${committed.size} arrived`);
  return waits.sort((a, b) => a - b);
}

export const quantile = (sorted: number[], share: number): number =>
  sorted[Math.floor(sorted.length * share)]!;
