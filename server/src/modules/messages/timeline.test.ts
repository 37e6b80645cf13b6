import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { dispatcherOf, failing, fakeProvider } from '../../../test/harness/messages.ts';
import {
  inAccount,
  loopContext,
  onThisMachine,
  settle,
  startReceiver,
  verifiedEndpoint,
} from '../../../test/harness/webhooks.ts';
import type { LoopContext } from '../../platform/jobs/claim-loop.ts';
import { newPhone } from '../contacts/fixtures.ts';
import type { ProviderStatus } from '../provider/index.ts';
import { applyStatuses } from './reports/apply-statuses.ts';
import type { Timeline } from './schema.ts';

let app: TestApp;
let context: LoopContext;
let senderSid: string;
let provider: ReturnType<typeof fakeProvider>;
let dispatcher: Awaited<ReturnType<typeof dispatcherOf>>;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { env: onThisMachine });
  context = await loopContext(app, lifetime);
  senderSid = (await app.get(`${app.at}/senders`)).body.data[0].sid;
  provider = fakeProvider();
  dispatcher = await dispatcherOf(app, { provider });
});

const regular = { billable: true, model: 'PMP', type: 'regular', category: 'utility' };
const post = async (more: object = {}) => {
  const template = { name: 'hello_world', language: 'en' };
  const body = { from: senderSid, to: newPhone(), type: 'template', template, ...more };
  const reply = await app.post(`${app.at}/messages`, body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};
const report = (sid: string, status: 'sent' | 'delivered' | 'failed', more: Partial<ProviderStatus> = {}) =>
  inAccount(app, (t) =>
    applyStatuses(t, [
      {
        providerMessageId: `wamid.${sid}`,
        status,
        opaque: sid,
        occurredAt: t.now,
        recipient: { waId: null, bsuid: null, parentBsuid: null },
        pricing: status === 'delivered' ? regular : null,
        conversation: null,
        failure: null,
        senderSid,
        wabaSid: '',
        ...more,
      } as ProviderStatus,
    ]),
  );
const timelineOf = async (sid: string): Promise<Timeline['entries']> => {
  const { status, body, text } = await app.get(`${app.at}/messages/${sid}/timeline`);
  assert.equal(status, 200, text);
  return body.entries;
};
const brief = (entries: Timeline['entries']) => entries.map(({ kind, status }) => `${kind} ${status}`);

test('a timeline tells statuses, hand-offs, money and deliveries in the order in which they happened', async (test) => {
  const receiver = await startReceiver(test);
  const endpoint = await verifiedEndpoint(app, receiver.url, { eventFilters: ['test.ping'] });
  receiver.answer = (_received, response) => response.writeHead(503).end();
  const message = await post({ statusCallbackUrl: receiver.url });
  const { sid } = message;
  await settle(context);
  receiver.answer = (_received, response) => void response.end('ok');
  app.clock.advance(120_000);
  await settle(context);
  app.clock.advance(1_000);
  provider.answer = async () =>
    failing('PROVIDER_RATE_LIMITED', { retryable: true, providerCode: 130_429, retryAfterMs: 2_000 });
  await dispatcher.run();
  app.clock.advance(2_000);
  provider.answer = async () => ({
    ok: true,
    value: { providerMessageId: `wamid.${sid}`, waId: null, bsuid: null, messageStatus: null },
  });
  await dispatcher.run();
  app.clock.advance(1_000);
  await report(sid, 'sent');
  app.clock.advance(1_000);
  await report(sid, 'delivered');
  await settle(context);
  const entries = await timelineOf(sid);
  assert.deepEqual(brief(entries), [
    'status queued',
    'money held',
    'delivery failed',
    'delivery delivered',
    'status sending',
    'attempt retry',
    'attempt accepted',
    'status sent',
    'status delivered',
    'money charged',
    'delivery delivered',
    'delivery delivered',
    'delivery delivered',
  ]);
  const [held, refused] = [entries[1]!, entries[5]!];
  assert.deepEqual(held.amount, message.price.estimate);
  assert.deepEqual(
    [refused.attempt, refused.code, refused.providerCode],
    [1, 'PROVIDER_RATE_LIMITED', 130_429],
  );
  assert.deepEqual(
    entries
      .filter(({ kind }) => kind === 'delivery')
      .map(({ attempt, code, delivery }) => [attempt, code, delivery!.eventType, delivery!.httpStatus]),
    [
      [1, 'WEBHOOK_DELIVERY_ERROR', 'message.queued', 503],
      [2, null, 'message.queued', 200],
      [1, null, 'message.sending', 200],
      [1, null, 'message.sent', 200],
      [1, null, 'message.delivered', 200],
    ],
  );
  assert.equal(entries.at(-1)!.delivery!.endpointSid, endpoint.sid);
});

test('statuses stand in the order of their commits, whatever their clocks said', async () => {
  const { sid } = await post();
  await dispatcher.run();
  // A transaction that began earlier and had to wait commits last: its instant is the earlier one.
  app.clock.advance(10_000);
  await report(sid, 'sent');
  app.clock.advance(-5_000);
  await report(sid, 'delivered');
  app.clock.advance(5_000);
  const statuses = (await timelineOf(sid)).filter(({ kind }) => kind === 'status');
  assert.deepEqual(brief(statuses), ['status queued', 'status sending', 'status sent', 'status delivered']);
  assert.ok(statuses[3]!.at < statuses[2]!.at, 'the clocks say otherwise');
});

test('money that is given back stands behind the status that gave it back', async () => {
  const { sid } = await post();
  await dispatcher.run();
  const failure = {
    code: 'RECIPIENT_UNREACHABLE' as const,
    retryable: false,
    providerCode: 131_026,
    providerSubcode: null,
    reason: 'Undeliverable',
    retryAfterMs: null,
  };
  await report(sid, 'failed', { failure });
  assert.deepEqual(brief(await timelineOf(sid)), [
    'status queued',
    'money held',
    'status sending',
    'attempt accepted',
    'status failed',
    'money released',
  ]);
});

test('a message tells back everything that was asked for, and its events tell the same', async (test) => {
  const receiver = await startReceiver(test);
  const endpoint = await verifiedEndpoint(app, receiver.url, { eventFilters: ['test.ping'] });
  const pool = await app.post(`${app.at}/sender-pools`, { name: 'Shops', members: [{ senderSid }] });
  const parameter = (parameterName: string, text: string) => ({ type: 'text', parameterName, text });
  const content = await app.post(`${app.at}/contents`, {
    name: 'Order',
    type: 'template',
    template: {
      name: 'order_update',
      language: 'en',
      components: [
        { type: 'body', parameters: [parameter('first_name', '{{name}}'), parameter('order', '77')] },
      ],
    },
  });
  const sendAt = new Date(app.clock.now().getTime() + 60_000).toISOString();
  const asked = {
    senderPoolSid: pool.body.sid,
    contentSid: content.body.sid,
    variables: { name: 'Ines' },
    priority: 'P2',
    sendAt,
    validityPeriodSeconds: 90,
    statusCallbackUrl: receiver.url,
    metadata: { order: '77' },
    tags: ['orders'],
  };
  const reply = await app.post(`${app.at}/messages`, { to: newPhone(), ...asked });
  assert.equal(reply.status, 201, reply.text);
  const { body } = reply;
  for (const [field, value] of Object.entries(asked)) assert.deepEqual(body[field], value, field);
  assert.deepEqual(
    [body.statusCallbackSid, body.deferIfCapped, body.transport, body.transportOptions, body.from],
    [endpoint.sid, false, 'cloud_api', null, senderSid],
  );
  assert.equal(Date.parse(body.expiresAt) - Date.parse(sendAt), 90_000);
  assert.deepEqual((await app.get(`${app.at}/messages/${body.sid}`)).body, body);
  await app.post(`${app.at}/messages/${body.sid}/cancel`);
  await settle(context);
  const told = receiver.events().map(({ event }) => event.data);
  assert.deepEqual(told[0], body);
  assert.deepEqual([told[1].status, told[1].variables], ['canceled', { name: 'Ines' }]);
});

test('a failed message tells its error in the whole shape of errors, with where it is explained', async () => {
  const { sid } = await post();
  provider.answer = async () => failing('FLOW_ERROR', { providerCode: 139_002 });
  await dispatcher.run();
  const { error } = (await app.get(`${app.at}/messages/${sid}`)).body;
  const { message, ...rest } = error;
  assert.match(message, /So it was/);
  const docUrl = `${app.url}/docs/errors#FLOW_ERROR`;
  const final = { code: 'FLOW_ERROR', type: 'provider_error', retryable: false, retryAfterSeconds: null };
  assert.deepEqual(rest, { ...final, docUrl, providerCode: 139_002 });
  const [event] = (await app.get(`${app.at}/events?type=message.failed&limit=1`)).body.data;
  assert.deepEqual([event.data.sid, event.data.error], [sid, error]);
});

test('an error that may pass tells how long to wait, by the provider’s code', async () => {
  const failures = [
    { code: 'FLOW_ERROR' as const, providerCode: 132_069, retryAfterMs: 3_600_000, seconds: 3_600 },
    { code: 'MARKETING_MESSAGES_ERROR' as const, providerCode: 134_101, retryAfterMs: 60_000, seconds: 60 },
  ];
  for (const { code, providerCode, retryAfterMs, seconds } of failures) {
    const { sid } = await post();
    provider.answer = async () => failing('PROVIDER_RESULT_UNKNOWN', { providerCode: null });
    await dispatcher.run();
    // What is unknown is never sent again, so that the first failure ends it.
    const { failure } = failing(code, { providerCode, retryAfterMs, retryable: true });
    await report(sid, 'failed', { failure });
    const { error } = (await app.get(`${app.at}/messages/${sid}`)).body;
    assert.deepEqual([error.code, error.retryable, error.retryAfterSeconds], [code, true, seconds]);
  }
});
