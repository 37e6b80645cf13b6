// Headers of an account's own, and examples sent on request.
import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { emitAnything } from '../../../../test/harness/events.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { person } from '../../../../test/harness/people.ts';
import {
  createEndpoint,
  inAccount,
  loopContext,
  onThisMachine,
  type Receiver,
  settle,
  startReceiver,
  verifiedEndpoint,
} from '../../../../test/harness/webhooks.ts';
import type { LoopContext } from '../../../platform/jobs/claim-loop.ts';
import { signatureOf } from '../sending/signature.ts';

let app: TestApp;
let context: LoopContext;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { env: onThisMachine });
  context = await loopContext(app, lifetime);
});

const secret = 'Bearer top-secret-of-a-gateway';
const authorization = { name: 'Authorization', value: secret };
const tenantOf = { name: 'X-Tenant', value: 'shop one' };
const masked = (name: string) => ({ name, value: '********' });
const set = (path: string, headers: object[], more: object = {}, as: object = {}) =>
  app.put(`${path}/headers`, { headers, ...more }, as);
const last = (receiver: Receiver) => receiver.received.at(-1)!;

suite('headers of an endpoint', () => {
  test('go with every request, and are shown to nobody', async (test) => {
    const receiver = await startReceiver(test);
    const { path, sid } = await verifiedEndpoint(app, receiver.url, { eventFilters: ['inbox.created'] });
    const reply = await set(path, [authorization, tenantOf]);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body.headers, [masked('Authorization'), masked('X-Tenant')]);
    await inAccount(app, (t) => emitAnything(t, 'inbox.created', { sid: 'IB1' }));
    await settle(context);
    assert.deepEqual(
      [last(receiver).headers.authorization, last(receiver).headers['x-tenant']],
      [secret, 'shop one'],
    );
    assert.equal(last(receiver).event.type, 'inbox.created');
    const report = await app.post(`${path}/test`);
    assert.equal(last(receiver).headers.authorization, secret);
    assert.equal(report.body.request.headers.Authorization, '********');
    const { data } = (await app.get(`${path}/deliveries`)).body;
    const answers = await Promise.all([
      app.get(path),
      app.get(`${app.at}/webhooks`),
      app.get(`${path}/deliveries/${data[0].sid}`),
      app.get(`${app.at}/audit-events`),
    ]);
    for (const { text } of [reply, report, ...answers]) assert.ok(!text.includes('top-secret'), text);
    const stored = await app.sql<{ row: string }>(
      `select e::text as row from webhook_endpoints e where sid = $1
       union all select k::text from idempotency_keys k union all select a::text from audit_entries a
       union all select v::text from events v`,
      [sid],
    );
    for (const { row } of stored) assert.ok(!row.includes('top-secret'), row);
    assert.match(answers[3]!.text, /webhook\.headers_changed/);
    assert.match(answers[3]!.text, /"names":\["Authorization","X-Tenant"\]/);
  });

  test('are replaced as a whole, and removed by an empty list', async (test) => {
    const receiver = await startReceiver(test);
    const { path } = await verifiedEndpoint(app, receiver.url);
    await set(path, [authorization]);
    assert.deepEqual((await set(path, [tenantOf])).body.headers, [masked('X-Tenant')]);
    await app.post(`${path}/test`);
    assert.deepEqual(
      [last(receiver).headers.authorization, last(receiver).headers['x-tenant']],
      [undefined, 'shop one'],
    );
    assert.deepEqual((await set(path, [])).body.headers, []);
    await app.post(`${path}/test`);
    assert.equal(last(receiver).headers['x-tenant'], undefined);
  });

  test('stay where the endpoint stays, and do not follow it to another host', async () => {
    const { path } = await createEndpoint(app, 'https://hook.example/a');
    await set(path, [authorization]);
    const same = await app.patch(path, { url: 'https://hook.example/b', timeoutMs: 5000 });
    assert.deepEqual(same.body.headers, [masked('Authorization')]);
    for (const url of ['https://hook.example:8443/b', 'https://evil.example/b']) {
      await set(path, [authorization]);
      assert.deepEqual((await app.patch(path, { url })).body.headers, [], url);
    }
    assert.equal((await app.patch(path, { url: 'https://hook.example/a' })).body.headers.length, 0);
  });

  test('cannot be ours, of the connection or of proxies, nor break out of their line', async () => {
    const { path } = await createEndpoint(app, 'https://hook.example/');
    const reserved =
      'Host Content-Length Transfer-Encoding connection Keep-Alive TE Trailer Upgrade Expect Accept-Encoding Content-Type ' +
      'User-Agent X-Service-Signature x-service-anything X-Forwarded-For Forwarded Via Proxy-Authorization';
    const issues: [object[], string, string][] = [
      ...reserved
        .split(' ')
        .map((name): [object[], string, string] => [
          [{ name, value: 'x' }],
          'headers[0].name',
          'is reserved',
        ]),
      [[tenantOf, { name: 'x-tenant', value: 'y' }], 'headers[1].name', 'is given twice'],
    ];
    for (const [headers, at, issue] of issues) {
      const reply = await set(path, headers);
      assert.deepEqual([reply.status, reply.body.error.details], [400, [{ path: at, issue }]]);
    }
    const bad: object[][] = [
      [{ name: 'X-A', value: 'a\r\nX-B: c' }],
      [{ name: 'X-A', value: 'a\nb' }],
      [{ name: 'X-A', value: ' a' }],
      [{ name: 'X-A', value: '' }],
      [{ name: 'X-A', value: 'é' }],
      [{ name: 'X-A', value: 'x'.repeat(2049) }],
      [{ name: 'X-A', value: '********' }],
      [{ name: 'X A', value: 'a' }],
      [{ name: 'X-A:', value: 'a' }],
      [{ name: '', value: 'a' }],
      [{ name: 'X'.repeat(65), value: 'a' }],
      [{ name: 'X-A' }],
      Array.from({ length: 21 }, (_, i) => ({ name: `X-${i}`, value: 'a' })),
      Array.from({ length: 5 }, (_, i) => ({ name: `X-${i}`, value: 'a'.repeat(2000) })),
    ];
    for (const headers of bad) assert.equal((await set(path, headers)).status, 400, JSON.stringify(headers));
    assert.deepEqual((await app.get(path)).body.headers, []);
  });

  test('take a second factor of a person, and none of a key', async () => {
    const { path } = await createEndpoint(app, 'https://hook.example/');
    const owner = await person(app);
    const refused = await set(path, [authorization], {}, owner.headers);
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'STEP_UP_REQUIRED']);
    const stepUpToken = await owner.stepUp('WEBHOOK_URL_CHANGE');
    assert.equal((await set(path, [authorization], { stepUpToken }, owner.headers)).status, 200);
    await app.delete(path);
    assert.equal((await set(path, [])).status, 409);
  });
});

suite('an example of a type', () => {
  const send = (path: string, eventType: string) => app.post(`${path}/samples`, { eventType });

  test('goes to the endpoint alone, signed and said to be one, and never happened', async (test) => {
    const [receiver, other] = [await startReceiver(test), await startReceiver(test)];
    const { path, secret } = await verifiedEndpoint(app, receiver.url, { eventFilters: ['inbox.created'] });
    const bystander = await verifiedEndpoint(app, other.url);
    other.received.length = 0;
    const reply = await send(path, 'message.delivered');
    assert.deepEqual([reply.status, reply.body.delivered, reply.body.status], [200, true, 200], reply.text);
    const { raw, event, headers } = last(receiver);
    assert.deepEqual([event.type, event.sample, event.data.status], ['message.delivered', true, 'delivered']);
    assert.equal(event.id, reply.body.eventSid);
    assert.equal(reply.body.request.body, raw);
    const signature = signatureOf(Buffer.from(raw), [createSecretKey(secret, 'utf8')], app.clock.now());
    assert.equal(headers['x-service-signature'], signature);
    await settle(context);
    assert.deepEqual(other.received, []);
    const logged = (await app.get(`${app.at}/events/${event.id}`)).body;
    assert.deepEqual([logged.type, logged.data.sample.type], ['test.ping', 'message.delivered']);
    // The same bytes when it is asked for again.
    await app.post(`${path}/deliveries/${reply.body.deliverySid}/retry`);
    await settle(context);
    assert.equal(last(receiver).raw, raw);
    await app.delete(bystander.path);
  });

  test('has the shape of the version the endpoint is pinned to', async (test) => {
    const receiver = await startReceiver(test);
    const { path } = await verifiedEndpoint(app, receiver.url, { apiVersion: '2026-05-04' });
    await send(path, 'message.sent');
    const { event } = last(receiver);
    assert.deepEqual([event.apiVersion, event.data.to], ['2026-05-04', '+33612345678']);
  });

  test('can be had of every type, of no other, and by a verified endpoint only', async (test) => {
    const receiver = await startReceiver(test);
    const { path } = await verifiedEndpoint(app, receiver.url);
    const types = (await app.get(`${app.at}/webhook-event-types`)).body.data;
    for (const { name } of types) {
      assert.equal((await send(path, name)).body.delivered, true, name);
      assert.deepEqual([last(receiver).event.type, last(receiver).event.sample], [name, true]);
    }
    const unknown = await send(path, 'no.such');
    assert.deepEqual([unknown.status, unknown.body.error.details[0].path], [400, 'eventType']);
    const unverified = await createEndpoint(app, 'https://hook.example/');
    assert.equal((await send(unverified.path, 'message.sent')).status, 409);
    assert.equal((await send(`${app.at}/webhooks/WH00000000000000000000000000`, 'message.sent')).status, 404);
  });
});
