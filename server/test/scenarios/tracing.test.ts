// A whole service with a collector of traces beside it: what arrives there, and what must never.
// Runs in a process of its own: it looks at what was loaded.
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { before, suite, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../harness/app.ts';
import { type Collector, startCollector } from '../harness/collector.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { until } from '../harness/until.ts';
import { onThisMachine, startReceiver, verifiedEndpoint } from '../harness/webhooks.ts';

const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
const telemetry = () => loaded.filter((url) => url.includes('/adapters/telemetry/'));

// First, since what is loaded stays loaded.
test('without a collector nothing of tracing is loaded, and requests are answered as ever', async (context) => {
  const app = await startTestApp(context, { role: 'all', simulator: true });
  const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
  assert.equal((await app.get('/v1/me', { traceparent })).status, 200);
  assert.deepEqual(telemetry(), []);
  assert.ok(!(await app.get('/metrics')).text.includes('godwit_trace_spans'));
});

suite('with a collector', () => {
  const lifetime = sharedLifetime();
  let app: TestApp;
  let collector: Collector;
  let senderSid: string;
  before(async () => {
    collector = await startCollector(lifetime);
    app = await startTestApp(lifetime, {
      role: 'all',
      simulator: true,
      env: {
        ...onThisMachine,
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base/`,
        OTEL_EXPORTER_OTLP_HEADERS: 'api-key=the%20key',
        OTEL_SERVICE_NAME: 'godwit-test',
        TRUSTED_PROXIES: '127.0.0.1', // so that what headers say of the caller is believed
        REGION: 'eu',
      },
    });
    senderSid = (await app.get(`${app.at}/senders`)).body.data[0].sid;
  });
  test('what speaks to it is loaded now, and was not before', () => {
    assert.ok(telemetry().length > 0);
  });

  const ofRequest = (requestId: string | null) =>
    collector.span(
      `request ${requestId}`,
      ({ kind, attributes }) => kind === 2 && attributes['godwit.request_id'] === requestId,
    );
  const hello = (to: string, more: object = {}) => ({
    from: senderSid,
    to,
    type: 'template',
    template: { name: 'hello_world', language: 'en' },
    ...more,
  });

  test('a request is a server span, told by its route, its account and its outcome', async () => {
    const reply = await app.get(`${app.at}/contacts?limit=1`);
    assert.equal(reply.status, 200);
    const requestId = reply.headers.get('x-request-id');
    const span = await ofRequest(requestId);
    assert.deepEqual([span.name, span.status, span.parentSpanId], ['listContacts', {}, undefined]);
    assert.deepEqual(span.attributes, {
      'http.request.method': 'GET',
      'http.route': '/v1/accounts/:accountSid/contacts',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'network.protocol.version': '1.1',
      'godwit.operation': 'listContacts',
      'godwit.account': app.accountSid,
      'godwit.livemode': false,
      'godwit.request_id': requestId,
    });
    const [asked] = collector.asked;
    assert.deepEqual([asked!.path, asked!.headers['api-key']], ['/base/v1/traces', 'the key']);
    const { 'service.instance.id': instance, ...resource } = asked!.resource;
    assert.match(String(instance), /^[0-9a-f-]{36}$/);
    assert.deepEqual(resource, {
      'service.name': 'godwit-test',
      'godwit.role': 'all',
      'godwit.region': 'eu',
    });
  });

  test('a refusal has its code and is no error of ours; a failure is', async () => {
    const refused = await app.get(`${app.at}/segments`, bearer((await app.key(['senders:read'])).key));
    assert.equal(refused.status, 403);
    const refusal = await ofRequest(refused.body.error.requestId);
    assert.deepEqual([refusal.status, refusal.attributes['error.type']], [{}, undefined]);
    assert.equal(refusal.attributes['godwit.error_code'], refused.body.error.code);

    await app.sql('alter table segments rename to away');
    const failed = await app.get(`${app.at}/segments`);
    await app.sql('alter table away rename to segments');
    assert.equal(failed.status, 500);
    const failure = await ofRequest(failed.body.error.requestId);
    assert.deepEqual(failure.status, { code: 2 });
    assert.equal(failure.attributes['error.type'], failed.body.error.code);
    assert.equal(failure.attributes['godwit.error_code'], failed.body.error.code);
  });

  test("a caller's traceparent is continued, and a malformed one is as good as none", async () => {
    const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    const good = await app.get('/v1/me', { traceparent: `00-${traceId}-${spanId}-01` });
    const span = await ofRequest(good.headers.get('x-request-id'));
    assert.deepEqual([span.traceId, span.parentSpanId], [traceId, spanId]);
    for (const traceparent of [
      `00-${traceId}-${spanId}`,
      `00-${'0'.repeat(32)}-${spanId}-01`,
      'x'.repeat(500),
    ]) {
      const reply = await app.get('/v1/me', { traceparent });
      assert.equal(reply.status, 200);
      const own = await ofRequest(reply.headers.get('x-request-id'));
      assert.equal(own.parentSpanId, undefined);
      assert.notEqual(own.traceId, traceId);
    }
  });

  test('a caller that does not collect its own trace is not collected; pages for operators never are', async () => {
    const unsampled = await app.get('/v1/me', { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-00` });
    for (const path of ['/healthz', '/readyz', '/metrics', '/v1/openapi.json', '/nowhere'])
      await app.get(path);
    const later = await app.get('/v1/me');
    await ofRequest(later.headers.get('x-request-id'));
    const ids = collector.spans.map(({ attributes }) => attributes['godwit.request_id']);
    assert.ok(!ids.includes(unsampled.headers.get('x-request-id')!));
    assert.ok(
      collector.spans.every(
        ({ attributes }) => !/health|ready|metrics|nowhere/.test(JSON.stringify(attributes)),
      ),
    );
  });

  test('a message is followed from its request to the hand-off, the callbacks and the webhook', async (context) => {
    const receiver = await startReceiver(context);
    const endpoint = await verifiedEndpoint(app, receiver.url, { eventFilters: ['message.queued'] });
    const reply = await app.post(`${app.at}/messages`, hello('+33612000001'));
    assert.equal(reply.status, 201, reply.text);
    const { sid } = reply.body;

    const request = await ofRequest(reply.headers.get('x-request-id'));
    assert.deepEqual([request.name, request.attributes['godwit.created']], ['sendMessage', sid]);
    const handOff = await collector.span(
      'the hand-off',
      ({ attributes }) => attributes['godwit.message'] === sid,
    );
    assert.deepEqual([handOff.name, handOff.kind, handOff.status], ['message hand-off', 3, {}]);
    assert.deepEqual(handOff.attributes, {
      'godwit.account': app.accountSid,
      'godwit.livemode': false,
      'godwit.message': sid,
      'godwit.message_type': 'template',
      'godwit.sender': senderSid,
      'godwit.attempt': 1,
    });
    assert.deepEqual(request.links, [{ traceId: handOff.traceId, spanId: handOff.spanId }]);
    assert.notEqual(request.traceId, handOff.traceId);

    const batch = await collector.span('the callbacks', ({ name }) => name === 'provider callbacks');
    assert.equal(batch.kind, 5);
    assert.ok(Number(batch.attributes['godwit.callbacks']) >= 1);
    assert.equal(batch.attributes['godwit.changes_failed'], 0);
    await collector.span('the callback itself', ({ name, kind }) => kind === 2 && /callback/i.test(name));

    const attempt = await collector.span('the webhook', ({ name }) => name === 'webhook attempt');
    const { 'godwit.delivery': delivery, 'godwit.event': event, ...told } = attempt.attributes;
    const [received] = receiver.events();
    assert.equal(delivery, received!.headers['x-service-delivery-id']);
    assert.equal(event, received!.headers['x-service-event-id']);
    assert.deepEqual(told, {
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'godwit.account': app.accountSid,
      'godwit.livemode': false,
      'godwit.endpoint': endpoint.sid,
      'godwit.attempt': 1,
    });
    for (const { headers } of receiver.received)
      assert.deepEqual(
        [headers.traceparent, headers.tracestate],
        [undefined, undefined],
        'customers get no trace',
      );
  });

  test('a hand-off and a webhook that fail say how, by code', async (context) => {
    const receiver = await startReceiver(context);
    await verifiedEndpoint(app, receiver.url, { eventFilters: ['message.queued'] });
    receiver.answer = (_, response) => {
      response.statusCode = 503;
      response.end('sorry');
    };
    const refused = await app.post(`${app.at}/messages`, hello('+4915191131026'));
    assert.equal(refused.status, 201, refused.text);
    const handOff = await collector.span(
      'the refused hand-off',
      ({ attributes }) => attributes['godwit.message'] === refused.body.sid,
    );
    assert.deepEqual(handOff.status, { code: 2 });
    assert.match(String(handOff.attributes['error.type']), /^[A-Z_]+$/);
    assert.equal(handOff.attributes['godwit.provider_code'], 131_026);
    const attempt = await collector.span(
      'the failed attempt',
      ({ attributes }) => attributes['http.response.status_code'] === 503,
    );
    assert.deepEqual([attempt.status, attempt.attributes['error.type']], [{ code: 2 }, 'status']);
  });

  test('a job stands in the trace of the request that queued it', async () => {
    const content = 'phone\n+33612000003\n';
    const reply = await app.post(`${app.at}/contacts/import`, { format: 'csv', content });
    assert.equal(reply.status, 202, reply.text);
    const requestId = reply.headers.get('x-request-id')!;
    const request = await ofRequest(requestId);
    const job = await collector.span(
      'the job',
      ({ kind, attributes }) => kind === 5 && attributes['godwit.request_id'] === requestId,
    );
    assert.equal(job.traceId, request.traceId);
    assert.match(job.name, /^job operation:contacts\.import$/);
    assert.deepEqual(job.attributes, {
      'godwit.job': job.name.slice('job '.length),
      'godwit.attempt': 1,
      'godwit.account': app.accountSid,
      'godwit.livemode': false,
      'godwit.request_id': requestId,
    });
  });

  test('nothing personal, no content, no secret and nothing a caller made up reaches the collector', async (context) => {
    const receiver = await startReceiver(context);
    const secrets = {
      phone: '33612998877',
      name: 'Zenobia',
      email: 'zenobia@example.org',
      text: 'the-words-of-the-message',
      query: 'the-words-of-the-query',
      path: 'the-words-in-the-path',
      idempotency: 'the-key-of-the-request',
      agent: 'the-user-agent',
      metadata: 'the-metadata-of-the-caller',
      url: 'the-secret-in-the-url',
      proxy: 'the-words-of-a-proxy',
      key: app.sandboxKey,
      address: '127.0.0.1',
    };
    const headers = {
      'user-agent': secrets.agent,
      'x-forwarded-proto': secrets.proxy,
      'x-request-id': secrets.proxy,
      tracestate: secrets.proxy,
      'idempotency-key': secrets.idempotency,
    };
    const to = `+${secrets.phone}`;
    const status = async (expected: number, reply: Promise<Reply>) => {
      const { status, text, body } = await reply;
      assert.equal(status, expected, text);
      return body;
    };
    await verifiedEndpoint(app, `${receiver.url}?token=${secrets.url}`);
    const contact = {
      identifiers: [{ identifierType: 'phone_e164', value: to }],
      displayName: secrets.name,
      attributes: { email: secrets.email },
    };
    await status(201, app.post(`${app.at}/contacts`, contact));
    const note = { metadata: { note: secrets.metadata } };
    const message = await status(201, app.post(`${app.at}/messages`, hello(to, note), headers));
    await collector.span('the hand-off', ({ attributes }) => attributes['godwit.message'] === message.sid);
    const { phoneNumber } = await status(200, app.get(`${app.at}/senders/${senderSid}`));
    await app.simulator.control.inbound({
      from: secrets.phone,
      to: phoneNumber.slice(1),
      text: secrets.text,
    });
    await until('the inbound message is stored', () => app.count("messages where direction = 'inbound'"));
    const text = { from: senderSid, to, type: 'text', text: { body: secrets.text } };
    await status(201, app.post(`${app.at}/messages`, text));
    await status(400, app.post(`${app.at}/messages`, { ...text, [secrets.name]: secrets.email }));
    await status(400, app.get(`${app.at}/contacts?${secrets.query}=${secrets.phone}`, headers));
    await status(403, app.get(`/v1/accounts/${to}/messages/${secrets.path}`, headers));
    await status(400, app.get(`${app.at}/contacts/${secrets.path}`, headers));
    await status(404, app.get(`/provider/callbacks/sandbox/${secrets.path}?x=${secrets.query}`, headers));
    await status(401, app.get(`/scim/v2/Users/${secrets.email}?filter=${secrets.query}`, headers));
    const content = `phone,name\n${to},${secrets.name}\nnot-a-number,${secrets.name}\n`;
    const operation = await status(202, app.post(`${app.at}/contacts/import`, { format: 'csv', content }));
    const over = `operations where sid = '${operation.sid}' and state in ('SUCCEEDED', 'FAILED')`;
    await until('the import is over', () => app.count(over));
    const webhooks = () =>
      receiver.events().some(({ raw }) => raw.includes(secrets.phone)) &&
      collector.spans.some(({ name }) => name === 'webhook attempt');
    await until('an event about the person was delivered', webhooks);

    await ofRequest((await app.get('/v1/me')).headers.get('x-request-id'));
    const everything = collector.asked.map(({ raw }) => raw).join('\n');
    for (const [what, secret] of Object.entries(secrets))
      assert.ok(!everything.toLowerCase().includes(secret.toLowerCase()), what);
    assert.ok(!/\w@\w|\+\d{8}|gw_(test|live)_/.test(everything), 'no address, number or key of anybody');
    const names = new Set(collector.spans.flatMap(({ attributes }) => Object.keys(attributes)));
    assert.deepEqual(
      [...names].filter((name) => !/^(godwit|http|error|network)\.|^url\.scheme$/.test(name)),
      [],
    );
  });
});

test('stopping hands over the spans of the last requests', async (context) => {
  const collector = await startCollector(context);
  const app = await startTestApp(context, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  const reply = await app.get('/v1/me');
  await app.stop();
  const ids = collector.spans.map(({ attributes }) => attributes['godwit.request_id']);
  assert.deepEqual(ids, [reply.headers.get('x-request-id')]);
});

test('an unreachable collector keeps no request waiting and the service stops in time', async (context) => {
  const app = await startTestApp(context, {
    role: 'all',
    simulator: true,
    env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1/exactly/here' },
  });
  const replies = await Promise.all(Array.from({ length: 200 }, () => app.get('/v1/me')));
  assert.ok(replies.every(({ status }) => status === 200));
  const startedMs = performance.now();
  await app.stop();
  context.diagnostic(`stopped after ${Math.round(performance.now() - startedMs)} ms`);
});
