// Runs in a process of its own: it measures the memory of its process.
import assert from 'node:assert/strict';
import net, { type AddressInfo } from 'node:net';
import { before, suite, test } from 'node:test';
import tls from 'node:tls';
import Stripe from 'stripe';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { emitAnything } from '../../../../test/harness/events.ts';
import { type Lifetime, sharedLifetime } from '../../../../test/harness/lifetime.ts';
import {
  createEndpoint,
  inAccount,
  loopContext,
  onThisMachine,
  type Received,
  settle,
  startReceiver,
  verifiedEndpoint,
} from '../../../../test/harness/webhooks.ts';
import type { LoopContext } from '../../../platform/jobs/claim-loop.ts';
import { testCertificate, testKey } from '../../../platform/outbound/outbound.test-data.ts';
import { createOutbound, type Outbound } from '../../../platform/outbound/outbound.ts';

const minute = 60_000;
const hour = 60 * minute;
let app: TestApp;
let context: LoopContext;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { env: onThisMachine });
  context = await loopContext(app, lifetime);
});

const happen = (type = 'contact.created', data: object = { object: 'contact', sid: 'CT1' }) =>
  inAccount(app, (t) => emitAnything(t, type, data));
const deliveriesOf = async (path: string) =>
  (await app.get(`${path}/deliveries?sort=createdAt&limit=100`)).body.data.filter(
    ({ eventType }: { eventType: string }) => eventType !== 'test.ping',
  );
/** The newest delivery with its history. */
const lastOf = async (path: string) =>
  (await app.get(`${path}/deliveries/${(await deliveriesOf(path)).at(-1).sid}`)).body;

suite('what is sent', () => {
  test('is the envelope with the four headers, and the same bytes at every attempt', async (test) => {
    const receiver = await startReceiver(test);
    const { path } = await verifiedEndpoint(app, receiver.url);
    receiver.answer = (_received, response) => response.writeHead(503).end();
    await happen('contact.updated', { object: 'contact', sid: 'CT1', name: 'Zoë "Ω" \u2028' });
    await settle(context);
    app.clock.advance(2 * minute);
    await settle(context);
    const [first, second] = receiver.events() as [Received, Received];
    assert.equal(second.raw, first.raw);
    const { event, headers } = first;
    assert.deepEqual(Object.keys(event), [
      'id',
      'type',
      'apiVersion',
      'occurredAt',
      'createdAt',
      'sequence',
      'livemode',
      'accountSid',
      'subaccountSid',
      'data',
    ]);
    assert.equal(event.data.name, 'Zoë "Ω" \u2028');
    const logged = await lastOf(path);
    assert.deepEqual(
      [headers['x-service-event-id'], headers['x-service-delivery-id'], headers['x-service-api-version']],
      [event.id, logged.sid, '2026-08-21'],
    );
    assert.equal(second.headers['x-service-delivery-id'], headers['x-service-delivery-id']);
    assert.notEqual(second.headers['x-service-signature'], headers['x-service-signature']);
    assert.deepEqual([logged.request.body, logged.attempts.length], [first.raw, 2]);
    assert.equal(logged.attempts[1].signature, headers['x-service-signature']);
  });

  test('is shaped for the version the endpoint is pinned to, and says so', async (test) => {
    const [now, then] = [await startReceiver(test), await startReceiver(test)];
    await verifiedEndpoint(app, now.url);
    const pinned = await verifiedEndpoint(app, then.url, { apiVersion: '2026-05-04' });
    const to = { identifierType: 'phone_e164', value: '+33612345678', contactSid: 'CT1' };
    await happen('message.sent', { object: 'message', sid: 'SM1', to });
    // What was made before a change of the pin keeps its shape.
    then.answer = (_received, response) => response.writeHead(500).end();
    await settle(context);
    await app.patch(pinned.path, { apiVersion: '2026-08-21' });
    app.clock.advance(2 * minute);
    await settle(context);
    const [current] = now.events() as [Received];
    assert.deepEqual([current.event.apiVersion, current.event.data.to], ['2026-08-21', to]);
    for (const { event, headers } of then.events()) {
      assert.deepEqual([event.data.to, event.data.contactSid], ['+33612345678', 'CT1']);
      assert.deepEqual([event.apiVersion, headers['x-service-api-version']], ['2026-05-04', '2026-05-04']);
    }
    assert.equal(then.events().length, 2);
  });
});

suite('a signature, judged by a verifier nobody here wrote', () => {
  const stripe = new Stripe('sk_test_x');
  const verify = (received: Received, secret: string, { raw = received.raw, afterMs = 0 } = {}) =>
    stripe.webhooks.constructEvent(
      raw,
      String(received.headers['x-service-signature']),
      secret,
      300,
      undefined,
      app.clock.now().getTime() + afterMs,
    );
  const deliverOne = async (receiver: Awaited<ReturnType<typeof startReceiver>>) => {
    await happen('contact.updated');
    await settle(context);
    return receiver.events().at(-1)!;
  };

  test('verifies over the raw bytes, and for nobody who changed them or comes late', async (test) => {
    const receiver = await startReceiver(test);
    const { secret } = await verifiedEndpoint(app, receiver.url);
    const received = await deliverOne(receiver);
    assert.equal(verify(received, secret).id, received.event.id);
    assert.throws(() => verify(received, secret, { raw: received.raw.replace('CT1', 'CT2') }), /signature/i);
    assert.throws(() => verify(received, `${secret}x`), /signature/i);
    assert.doesNotThrow(() => verify(received, secret, { afterMs: 299_000 }));
    assert.throws(() => verify(received, secret, { afterMs: 302_000 }), /tolerance/i);
    for (const { event, ...ping } of receiver.received.filter((one) => one.event.type === 'test.ping'))
      assert.equal(verify({ event, ...ping }, secret).id, event.id);
  });

  test('is made with both secrets during a rotation, and with the new one alone after it', async (test) => {
    const receiver = await startReceiver(test);
    const { secret: old, path } = await verifiedEndpoint(app, receiver.url);
    const { secret } = (await app.post(`${path}/secret/rotate`, {})).body;
    assert.notEqual(secret, old);
    const during = await deliverOne(receiver);
    assert.match(String(during.headers['x-service-signature']), /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    for (const one of [old, secret]) assert.equal(verify(during, one).id, during.event.id);
    const again = await app.post(`${path}/secret/rotate`, {});
    assert.deepEqual([again.status, again.body.error.code], [409, 'CONFLICT']);
    app.clock.advance(24 * hour);
    const after = await deliverOne(receiver);
    assert.equal(verify(after, secret).id, after.event.id);
    assert.throws(() => verify(after, old), /signature/i);
    assert.equal((await app.post(`${path}/secret/rotate`, {})).status, 200);
  });

  test('stops carrying the old secret when the overlap is ended, or at the instant asked for', async (test) => {
    const receiver = await startReceiver(test);
    const { secret: old, path } = await verifiedEndpoint(app, receiver.url);
    await app.post(`${path}/secret/rotate`, {});
    const ended = await app.post(`${path}/secret/end-overlap`);
    assert.deepEqual([ended.status, ended.body.previousSecretExpiresAt], [200, null]);
    assert.equal((await app.post(`${path}/secret/end-overlap`)).status, 200);
    assert.throws(() => verify({ ...(receiver.received[0] as Received) }, 'nonsense'), /signature/i);
    const received = await deliverOne(receiver);
    assert.throws(() => verify(received, old), /signature/i);
    const at = new Date(app.clock.now().getTime() + hour).toISOString();
    const { secret } = (await app.post(`${path}/secret/rotate`, { expiresAt: at })).body;
    assert.match(String((await deliverOne(receiver)).headers['x-service-signature']), /v1=.*v1=/);
    app.clock.advance(hour);
    const late = await deliverOne(receiver);
    assert.equal(verify(late, secret).id, late.event.id);
    assert.doesNotMatch(String(late.headers['x-service-signature']), /v1=.*v1=/);
  });

  test('rotation refuses an overlap in the past or of more than 30 days', async () => {
    const { path } = await createEndpoint(app, 'https://hook.example/');
    for (const days of [-1, 0, 31]) {
      const expiresAt = new Date(app.clock.now().getTime() + days * 24 * hour).toISOString();
      const reply = await app.post(`${path}/secret/rotate`, { expiresAt });
      assert.deepEqual([reply.status, reply.body.error.details[0].path], [400, 'expiresAt']);
    }
  });
});

suite('a failing endpoint', () => {
  test('is tried nine times in 72 hours, on the schedule, and then given up', async (test) => {
    const receiver = await startReceiver(test);
    const { path } = await verifiedEndpoint(app, receiver.url, { eventFilters: ['inbox.created'] });
    receiver.answer = (_received, response) => response.writeHead(500).end('no');
    const startedMs = app.clock.now().getTime();
    await happen('inbox.created');
    await settle(context);
    for (;;) {
      const [{ nextAttemptAt, attemptCount }] = await deliveriesOf(path);
      if (nextAttemptAt === null) break;
      app.clock.set(new Date(new Date(nextAttemptAt).getTime() - 1));
      await settle(context);
      assert.equal(receiver.events().length, attemptCount, 'nothing is sent before it is due');
      app.clock.advance(1);
      await settle(context);
    }
    const logged = await lastOf(path);
    assert.deepEqual([logged.state, logged.attemptCount, logged.nextAttemptAt], ['failed', 9, null]);
    assert.deepEqual([logged.error.code, logged.error.failure], ['WEBHOOK_DELIVERY_ERROR', 'status']);
    const offsets = logged.attempts
      .map(({ attemptedAt }: { attemptedAt: string }) => new Date(attemptedAt).getTime() - startedMs)
      .reverse();
    const waits = offsets.slice(1).map((at: number, i: number) => at - offsets[i]);
    const planned = [1, 5, 15, 60, 240, 720, 1440, 1440].map((minutes) => minutes * minute);
    for (const [i, wait] of waits.entries()) {
      assert.ok(wait >= planned[i]! && wait <= planned[i]! * 1.1 + 1000, `wait ${i}: ${wait}`);
    }
    assert.ok(offsets.at(-1) <= 72 * hour);
  });

  test('is not called again before it asks to be, by seconds or by a date', async (test) => {
    const receiver = await startReceiver(test);
    const { path } = await verifiedEndpoint(app, receiver.url, { eventFilters: ['inbox.updated'] });
    const waitAfter = async (status: number, header: () => string) => {
      receiver.answer = (_received, response) =>
        response.writeHead(status, { 'retry-after': header() }).end('later');
      await happen('inbox.updated');
      await settle(context);
      const { nextAttemptAt } = await lastOf(path);
      const waitMs = new Date(nextAttemptAt).getTime() - app.clock.now().getTime();
      app.clock.advance(1_000); // so that the next is the newest
      return waitMs;
    };
    const between = (waitMs: number, least: number) => {
      assert.ok(waitMs >= least && waitMs <= least * 1.1 + 30_000, `${waitMs} instead of ${least}`);
    };
    between(await waitAfter(429, () => '600'), 10 * minute);
    between(await waitAfter(404, () => '600'), 10 * minute);
    // A date has no milliseconds, and counts from when the answer came.
    const inAnHour = () => new Date(app.clock.now().getTime() + hour).toUTCString();
    const waitMs = await waitAfter(503, inAnHour);
    assert.ok(waitMs >= hour - 1_000 && waitMs <= 1.1 * hour + 30_000, String(waitMs));
    between(await waitAfter(503, () => '5'), minute);
    between(await waitAfter(503, () => '31536000'), minute);
    between(await waitAfter(503, () => 'tomorrow'), minute);
    await app.delete(path);
  });

  const talks: Record<string, { talk(socket: net.Socket): void; failure: string; secure?: boolean }> = {
    hangs: { talk: () => {}, failure: 'timeout' },
    resets: { talk: (socket) => socket.once('data', () => socket.resetAndDestroy()), failure: 'connect' },
    'answers 500': { talk: says('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n'), failure: 'status' },
    'answers 404': { talk: says('HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n'), failure: 'status' },
    redirects: {
      talk: says('HTTP/1.1 307 There\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
      failure: 'status',
    },
    'drips a byte a second': {
      talk(socket) {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
        const timer = setInterval(() => socket.write('x'), 100);
        socket.on('close', () => clearInterval(timer));
      },
      failure: 'timeout',
    },
    'drips its headers': {
      talk(socket) {
        socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket.write('x: y\r\n'), 100);
        socket.on('close', () => clearInterval(timer));
      },
      failure: 'timeout',
    },
    'sends a gigabyte': {
      talk(socket) {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n');
        const chunk = Buffer.alloc(1024 * 1024, 'x');
        const more = () => {
          while (!socket.destroyed && socket.write(chunk));
        };
        socket.on('drain', more);
        more();
      },
      failure: 'status',
    },
    'closes early': {
      talk: (socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab')),
      failure: 'connect',
    },
    'closes at once': { talk: (socket) => socket.end(), failure: 'connect' },
    'speaks no HTTP': { talk: (socket) => socket.end('hello\r\n\r\n'), failure: 'connect' },
    'has a certificate nobody trusts': {
      talk: says('HTTP/1.1 200 OK\r\n\r\n'),
      failure: 'tls',
      secure: true,
    },
    'speaks no TLS': { talk: says('HTTP/1.1 200 OK\r\n\r\n'), failure: 'tls' },
  };

  test('ends every attempt in time, recorded, whatever it does, and memory stays bounded', async (test) => {
    const made = await Promise.all(
      Object.entries(talks).map(async ([name, { talk, failure, secure = false }]) => {
        const port = await listen(test, talk, secure);
        const url = `${failure === 'tls' ? 'https' : 'http'}://127.0.0.1:${port}/`;
        const endpoint = await createEndpoint(app, url, {
          // Only what never ends is meant to be cut off.
          timeoutMs: failure === 'timeout' ? 1000 : 30_000,
          eventFilters: ['segment.created'],
        });
        return { name, failure, ...endpoint };
      }),
    );
    await verifyByHand(made.map(({ sid }) => sid));
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 3; i += 1) await happen('segment.created');
    // That it comes back at all says that every attempt has ended.
    await settle(context);
    for (const { name, failure, path } of made) {
      const logged = await deliveriesOf(path);
      assert.equal(logged.length, 3, name);
      for (const one of logged) {
        assert.deepEqual(
          [one.state, one.attemptCount, one.error?.code, one.error?.failure],
          ['pending', 1, 'WEBHOOK_DELIVERY_ERROR', failure],
          name,
        );
      }
      const { attempts } = await lastOf(path);
      test.diagnostic(`${name}: over after ${attempts[0].durationMs} ms`);
    }
    const grown = (process.memoryUsage().rss - before) / 1024 / 1024;
    assert.ok(grown < 200, `${grown} MiB`);
    for (const { path } of made) await app.delete(path);
  });

  test('tells the beginning of its answer, as text that can be stored, and nothing else of it', async (test) => {
    const receiver = await startReceiver(test);
    const { path } = await verifiedEndpoint(app, receiver.url);
    const answer = Buffer.concat([Buffer.from([0, 0xff, 0xfe]), Buffer.from('é'.repeat(2000))]);
    receiver.answer = (_received, response) =>
      response.writeHead(500, { 'x-inner': '10.0.0.7', 'content-type': 'text/html' }).end(answer);
    await happen();
    await settle(context);
    const text = JSON.stringify(await lastOf(path));
    const [{ answer: kept }] = (await lastOf(path)).attempts;
    assert.ok(kept.length <= 1024 && kept.endsWith('é') && kept.startsWith('�'), kept);
    assert.ok(!text.includes('x-inner') && !text.includes('10.0.0.7'));
  });
});

suite('an endpoint that leads inside', () => {
  const publicAddress = '93.184.215.14';
  test('is not reached: by a name, a mixed answer, or a name that changes', async (test) => {
    const inside = await startReceiver(test);
    const insidePort = Number(new URL(inside.url).port);
    const answers: Record<string, string[][]> = {
      'private.example': [['10.0.0.1']],
      'mixed.example': [[publicAddress, '127.0.0.1']],
      'metadata.example': [['169.254.169.254']],
      'mapped.example': [['::ffff:127.0.0.1']],
      // Public when it is judged first, private at the next look-up.
      'rebinding.example': [[publicAddress], ['127.0.0.1']],
    };
    const asked = new Map<string, number>();
    const live = createOutbound({
      allowPrivateAddresses: true,
      ca: testCertificate,
      // What is refused is refused for its address, however long that takes on a busy machine.
      startDeadline: () => () => {},
      async resolve(name) {
        const turn = asked.get(name) ?? 0;
        asked.set(name, turn + 1);
        const all = answers[name] ?? [['127.0.0.1']];
        return (all[turn] ?? all.at(-1)!).map((address) => ({ address, family: net.isIP(address) }));
      },
      // Whatever was judged public leads here, and what is here is the inside.
      dial: (options) => net.connect({ ...options, host: '127.0.0.1', port: insidePort }),
    });
    const { outbound: own } = context.ports;
    const outbound: Outbound = { ...live, request: (one) => (one.livemode ? live : own).request(one) };
    const ports = { ...context, ports: { ...context.ports, outbound } };
    const sids = Object.keys(answers);
    await app.sql(
      `insert into webhook_endpoints (account_sid, livemode, sid, url, event_filters, api_version, timeout_ms,
         concurrency_cap, sealed_secret, verified_at, subscribed_after, created_at, updated_at)
       select $1, true, 'WH' || name, 'https://' || name || '/', '{}', '2026-08-21', 1000, 1, $3, $4, 0, $4, $4
         from unnest($2::text[]) as name`,
      [app.accountSid, sids, Buffer.alloc(0), app.clock.now()],
    );
    for (const name of sids) {
      await app.sql('update webhook_endpoints set sealed_secret = $2 where sid = $1', [
        `WH${name}`,
        app.sealer.seal('s', `webhook secret:WH${name}`),
      ]);
    }
    await app.sql(
      `insert into webhook_lanes (account_sid, livemode, endpoint_sid, open)
       select account_sid, livemode, sid, true from webhook_endpoints where livemode`,
    );
    await app.sql("insert into event_cursors values ($1, true, 'webhooks', 0)", [app.accountSid]);
    await inAccount(app, (t) => emitAnything(t, 'contact.created', { sid: 'CT1' }), true);
    await settle(ports);
    app.clock.advance(2 * minute);
    await settle(ports);
    assert.deepEqual(inside.received, []);
    const attempts = await app.sql<{ name: string; failure: string }>(
      `select d.endpoint_sid as name, a.failure from webhook_attempts a join webhook_deliveries d
         on d.sid = a.delivery_sid where a.livemode`,
    );
    assert.equal(attempts.length, 10);
    for (const { name, failure } of attempts) {
      assert.ok(
        failure === 'blocked' || (name === 'WHrebinding.example' && failure === 'tls'),
        `${name} ${failure}`,
      );
    }
  });
});

function says(answer: string) {
  return (socket: net.Socket) => void socket.once('data', () => socket.write(answer));
}

async function listen(test: Lifetime, talk: (socket: net.Socket) => void, secure: boolean): Promise<number> {
  const accept = (socket: net.Socket) => {
    socket.on('error', () => {});
    talk(socket);
  };
  const server = secure
    ? tls.createServer({ key: testKey, cert: testCertificate }, accept)
    : net.createServer(accept);
  const sockets: net.Socket[] = [];
  server.on('connection', (socket: net.Socket) => sockets.push(socket));
  server.on('tlsClientError', () => {});
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  test.after(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** As if they had passed their challenge, which such receivers cannot. */
async function verifyByHand(sids: string[]): Promise<void> {
  await app.sql(
    `update webhook_endpoints set verified_at = $2, subscribed_after = coalesce(
       (select max(sequence) from events e where e.account_sid = webhook_endpoints.account_sid and not livemode), 0)
      where sid = any ($1)`,
    [sids, app.clock.now()],
  );
  await app.sql('update webhook_lanes set open = true where endpoint_sid = any ($1)', [sids]);
}
