// sdk/story.md, played against a started service through a network at its worst.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import {
  applyStatus,
  type ClientOptions,
  cookies,
  type Event,
  Godwit,
  GodwitError,
  verifyWebhook,
} from '@godwit/sdk';
import { startTestApp, type TestApp } from '../../../server/test/harness/app.ts';
import { sharedLifetime } from '../../../server/test/harness/lifetime.ts';
import { person } from '../../../server/test/harness/people.ts';
import { until } from '../../../server/test/harness/until.ts';
import { onThisMachine, startReceiver } from '../../../server/test/harness/webhooks.ts';
import { faults, startFaultyProxy } from './faulty-proxy.ts';

const sends = Number(process.env.SDK_STORY_SENDS ?? 12);

const lines = readFileSync(new URL('../../story.md', import.meta.url), 'utf8').matchAll(/^\d+\. (.*)$/gm);
const titles = [...lines].map((match) => match[1]!);
let told = 0;
/** The next line of the story. */
const step = (work: () => Promise<void>) => test(titles[told++] ?? `a step that is not in the story`, work);

const lifetime = sharedLifetime();
let app: TestApp;
let proxy: Awaited<ReturnType<typeof startFaultyProxy>>;
let godwit: Godwit;
/** Every message of the story. */
const sent = new Set<string>();
let from: string;
const customer = '+33612345678';
const template = { type: 'template', template: { name: 'hello_world', language: 'en' } } as const;

// Nobody waits for long: the proxy's faults follow from the order of requests, not from time.
const clock = { now: () => 0, wait: () => new Promise<void>((next) => setImmediate(next)) };
// A limit on an answer would be one on this machine.
const patience = { attemptMs: 600_000 };
const client = (more: Partial<ClientOptions> = {}) =>
  new Godwit({ key: app.sandboxKey, baseUrl: proxy.url, clock, patience, ...more });

const refusedWith = (code: string) => (error: unknown) => error instanceof GodwitError && error.is(code);

before(async () => {
  app = await startTestApp(lifetime, { role: 'all', simulator: true, env: onThisMachine });
  proxy = await startFaultyProxy(lifetime, app.url);
});

step(async () => {
  godwit = client();
  const me = await godwit.identity.getMe();
  assert.deepEqual([me.accountSid, me.livemode], [app.accountSid, false]);
});

step(async () => {
  for await (const { sid, ready } of godwit.senders.list({ limit: 1 })) if (ready) from = sid;
  assert.match(from, /^WA/);
});

step(async () => {
  const verdict = await godwit.messages.preflight({
    from,
    to: customer,
    type: 'text',
    text: { body: 'Hello' },
  });
  assert.equal(verdict.error?.code, 'SERVICE_WINDOW_CLOSED');
  const quote = await godwit.messages.preflight({ from, to: customer, ...template });
  assert.equal(quote.error, null);
});

step(async () => {
  const text = godwit.messages.send({ from, to: customer, type: 'text', text: { body: 'Hello' } });
  await assert.rejects(text, refusedWith('SERVICE_WINDOW_CLOSED'));
});

step(async () => {
  const message = await godwit.messages.send({ from, to: customer, ...template });
  assert.equal(message.status, 'queued');
  sent.add(message.sid);
});

step(async () => {
  const options = { idempotencyKey: 'order-1001' };
  const first = await godwit.messages.send({ from, to: customer, ...template }, options);
  const again = await client().messages.send({ from, to: customer, ...template }, options);
  assert.equal(again.sid, first.sid);
  sent.add(first.sid);
});

step(async () => {
  const other = godwit.messages.send(
    { from, to: '+33612345679', ...template },
    { idempotencyKey: 'order-1001' },
  );
  await assert.rejects(other, refusedWith('IDEMPOTENCY_KEY_REUSED'));
});

step(async () => {
  const numbers = Array.from({ length: sends }, (_, at) => `+336120034${String(at).padStart(2, '0')}`);
  const messages = await Promise.all(numbers.map((to) => godwit.messages.send({ from, to, ...template })));
  assert.equal(new Set(messages.map(({ sid }) => sid)).size, sends);
  for (const { sid } of messages) sent.add(sid);
});

step(async () => {
  const { results } = await godwit.messages.sendBatch({
    messages: [
      { from, to: '+33612005001', ...template },
      { from, to: 'nobody', ...template },
      { from, to: '+33612005002', ...template },
    ],
  });
  assert.deepEqual(
    results.map(({ error }) => error?.code ?? null),
    [null, 'VALIDATION_ERROR', null],
  );
  for (const { message } of results) if (message) sent.add(message.sid);
});

step(async () => {
  const { phoneNumber } = await godwit.senders.get(from);
  const newest = (await godwit.events.list({ limit: 1 })).data[0]!.sequence;
  app.simulator.control.inbound({ from: customer.slice(1), to: phoneNumber.replace('+', ''), text: 'Hi' });
  for await (const { data } of godwit.events.follow({ after: newest, type: 'message.received' })) {
    assert.deepEqual([data.direction, data.text?.body], ['inbound', 'Hi']);
    break;
  }
});

step(async () => {
  const message = await godwit.messages.send({ from, to: customer, type: 'text', text: { body: 'Hello!' } });
  sent.add(message.sid);
});

step(async () => {
  const statuses = new Map([...sent].map((sid) => [sid, undefined as string | undefined]));
  const arrived = () => [...statuses.values()].every((status) => status === 'delivered' || status === 'read');
  const heard: Event[] = [];
  for await (const event of godwit.events.follow({ after: 0 })) {
    heard.push(event);
    if (!event.type.startsWith('message.')) continue;
    const { sid, status } = event.data as { sid: string; status: string };
    if (statuses.has(sid)) statuses.set(sid, applyStatus(statuses.get(sid), status));
    if (arrived()) break;
  }
  const sequences = heard.map(({ sequence }) => sequence);
  assert.deepEqual(
    sequences,
    sequences.map((_, at) => at + 1),
  );
  const middle = Math.floor(heard.length / 2);
  const rest: Event[] = [];
  for await (const event of godwit.events.follow({ after: middle }))
    if (rest.push(event) === heard.length - middle) break;
  assert.deepEqual(rest, heard.slice(middle));
});

step(async () => {
  const receiver = await startReceiver(lifetime);
  const stepUpToken = await (await person(app)).stepUp('WEBHOOK_ENDPOINT_CREATE');
  const settings = { url: receiver.url, timeoutMs: 30_000, eventFilters: ['message.*'] };
  const { sid, secret } = await godwit.webhooks.create({ ...settings, stepUpToken });
  await godwit.webhooks.verifyEndpoint(sid);
  const message = await godwit.messages.send({ from, to: customer, ...template });
  sent.add(message.sid);
  const isOfIt = ({ event }: (typeof receiver.received)[number]) => event.data.sid === message.sid;
  const { raw, headers } = await until('the webhook has come', () => receiver.events().find(isOfIt));
  const header = headers['x-service-signature'] as string;
  const options = { now: app.clock.now() };
  const event = await verifyWebhook(raw, header, secret, options);
  assert.equal(event.type.startsWith('message.') && 'sid' in event.data && event.data.sid, message.sid);
  const forged = verifyWebhook(raw.replace(message.sid, sid), header, secret, options);
  await assert.rejects(forged, { name: 'WebhookSignatureError' });
});

step(async () => {
  const listed: string[] = [];
  for await (const { sid } of godwit.messages.list({ limit: 3, direction: 'outbound' })) listed.push(sid);
  assert.deepEqual(listed.sort(), [...sent].sort());
});

step(async () => {
  const { data } = await godwit.contacts.list({ identifier: '+33612005001' });
  const reason = { reason: 'COMPLAINT', scope: 'ALL', source: 'the story' } as const;
  await godwit.suppressions.createForContact(data[0]!.sid, reason);
  const refused = godwit.messages.send({ from, to: '+33612005001', ...template });
  await assert.rejects(refused, refusedWith('CONTACT_SUPPRESSED'));
});

step(async () => {
  const scopes = ['messages:send', 'messages:read'];
  const key = await godwit.apiKeys.create({ name: 'Signs', scopes, signingRequired: true });
  const { keyId, signingSecret } = key;
  const signing = { keyId, signingSecret: signingSecret!, now: () => app.clock.now() };
  const { sid } = await client({ key: undefined, signing }).messages.send({
    from,
    to: customer,
    ...template,
  });
  sent.add(sid);
  await proxy.settled();
  const { control } = app.simulator;
  await until('everything was handed over', () =>
    [...sent].every((one) => control.messagesWithOpaque(one).length > 0),
  );
  for (const one of sent) assert.equal(control.messagesWithOpaque(one).length, 1, one);
  assert.equal(control.messages(0, 1_000).data.length, sent.size);
  for (const fault of faults) assert.ok(proxy.counts[fault] > 0, `no request was ${fault}`);
});

test('a page with the cookie of a session reads and writes with it, by the token it reads from the session', async () => {
  const { headers } = await person(app);
  const { cookie } = headers as { cookie: string };
  const page: Godwit = client({
    key: undefined,
    accountSid: app.accountSid,
    // What a browser adds by itself.
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, cookie } }),
    credentials: cookies({ csrfToken: async () => (await page.signIn.getSession()).csrfToken }),
  });
  const inbox = await page.inboxes.create({ name: 'Support' });
  assert.equal((await page.inboxes.get(inbox.sid)).name, 'Support');
});

test('the story has sixteen steps, and all of them were played', () => {
  assert.deepEqual([titles.length, told], [16, 16]);
});
