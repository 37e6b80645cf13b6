// Receivers of webhooks for tests, and a worker that does what is due and no more.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { fanOut } from '../../src/modules/webhooks/deliveries/fan-out.ts';
import { beginDelivering } from '../../src/modules/webhooks/sending/deliver.ts';
import type { TenantTx } from '../../src/platform/db/database.ts';
import { beginConsuming } from '../../src/platform/event-consumers/consume.ts';
import type { LoopContext } from '../../src/platform/jobs/claim-loop.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import { noTracing } from '../../src/platform/observability/tracing.ts';
import { createOutbound, type Outbound } from '../../src/platform/outbound/outbound.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import type { TestApp } from './app.ts';
import type { Lifetime } from './lifetime.ts';
import { person } from './people.ts';

/** Lets a sandbox reach this machine. */
export const onThisMachine = { ALLOW_PRIVATE_WEBHOOKS: 'true' };

// biome-ignore lint/suspicious/noExplicitAny: tests reach into events whose shape they check themselves
export type Received = { headers: http.IncomingHttpHeaders; raw: string; event: any };
type Answer = (received: Received, response: http.ServerResponse) => void;

/** What a good receiver does: answers challenges, and 200 to everything else. */
export const wellBehaved: Answer = ({ event }, response) => {
  response.end(event.data?.challenge ?? 'ok');
};

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Listens until the end. `behaviour` can be replaced while it runs. */
export async function startReceiver(lifetime: Lifetime, answer: Answer = wellBehaved) {
  const received: Received[] = [];
  const state = { answer, received };
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString('utf8');
      const one = { headers: request.headers, raw, event: JSON.parse(raw) };
      received.push(one);
      state.answer(one, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  lifetime.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    /** The events that came, without the pings. */
    events: () => received.filter(({ event }) => event.type !== 'test.ping'),
  });
}

type Made = { sid: string; secret: string; path: string };

/** An endpoint, made by a person with a second factor. */
export async function createEndpoint(app: TestApp, url: string, settings: object = {}): Promise<Made> {
  const owner = await person(app);
  const stepUpToken = await owner.stepUp('WEBHOOK_ENDPOINT_CREATE');
  const reply = await app.post(`${app.at}/webhooks`, { url, ...settings, stepUpToken });
  assert.equal(reply.status, 201, reply.text);
  const { sid, secret } = reply.body;
  return { sid, secret, path: `${app.at}/webhooks/${sid}` };
}

/** One that passed its challenge. It waits as long as an endpoint may: its receiver shares a busy machine. */
export async function verifiedEndpoint(app: TestApp, url: string, settings: object = {}): Promise<Made> {
  const made = await createEndpoint(app, url, { timeoutMs: 30_000, ...settings });
  const reply = await app.post(`${made.path}/verify`);
  assert.equal(reply.status, 200, reply.text);
  return made;
}

/** Runs something inside the app's account, as the system. */
export const inAccount = <T>(app: TestApp, work: (t: TenantTx) => Promise<T> | T, livemode = false) =>
  app.database.write(
    { accountSid: app.accountSid, livemode },
    {
      principal: systemPrincipal('test', livemode),
      now: app.clock.now(),
      requestId: 'req_test',
      log: silentLog,
    },
    async (t) => work(t),
  );

/** A context for loops that are turned by hand. Its claims are made in the name of the app's own process. */
export async function loopContext(
  app: TestApp,
  lifetime: Lifetime,
  ports: { outbound?: Outbound } = {},
): Promise<LoopContext> {
  const [process] = await app.sql<{ id: string }>('select id from processes order by started_at limit 1');
  const outbound = ports.outbound ?? createOutbound({ allowPrivateAddresses: true });
  lifetime.after(() => outbound.close());
  const { database, sealer, clock } = app;
  return {
    database,
    sealer,
    now: () => clock.now(),
    log: silentLog,
    ports: { outbound },
    site: () => ({ publicUrl: app.url, region: 'local', allowPrivateAddresses: true }),
    processId: process!.id,
    metrics: { registry: new Registry() },
    tracing: noTracing,
    signal: new AbortController().signal,
  } as unknown as LoopContext;
}

/** Hands on what is new in accounts that are behind. True when some may have more. */
export const fanOutOnce = (context: LoopContext) =>
  beginConsuming(fanOut, context, { waitsMs: Number.POSITIVE_INFINITY }).turn();

/** Hands on and delivers everything that is due now. */
export async function settle(context: LoopContext): Promise<void> {
  const delivering = beginDelivering({ ...context, metrics: { registry: new Registry() } as never });
  for (let more = true; more; ) {
    const handedOn = await fanOutOnce(context);
    more = (await delivering.turn()) || handedOn;
  }
  await delivering.end?.();
}
