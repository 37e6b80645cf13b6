import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import Stripe from 'stripe';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { freePort } from '../../../test/harness/ports.ts';
import { until } from '../../../test/harness/until.ts';
import { type Receiver, startReceiver } from '../../../test/harness/webhooks.ts';
import { godwit } from '../../../test/process/godwit.ts';
import { listen } from './listen.ts';
import { trigger } from './trigger.ts';

let app: TestApp;
let dataDir: string;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  dataDir = await mkdtemp(join(tmpdir(), 'godwit-listen-'));
  lifetime.after(() => rm(dataDir, { recursive: true }));
});

const access = () => ({ baseUrl: app.url, key: app.sandboxKey });

async function listening(
  receiver: Receiver,
  options: { events?: string; fromSequence?: number | null },
  work: (printed: string[]) => Promise<void>,
): Promise<string[]> {
  const printed: string[] = [];
  const stopping = new AbortController();
  const { events = '*', fromSequence = null } = options;
  const running = listen({
    ...access(),
    forwardTo: receiver.url,
    events,
    fromSequence,
    dataDir,
    print: (line) => printed.push(line),
    signal: stopping.signal,
  });
  await Promise.race([
    running,
    until('it listens', () => printed.some((line) => line.startsWith('Forwarding'))),
  ]);
  try {
    await work(printed);
  } finally {
    stopping.abort();
    await running;
  }
  return printed;
}

test('events are forwarded as they happen, signed with a secret that stays and is printed once', async (test) => {
  const receiver = await startReceiver(test);
  await trigger(access(), 'contact.created');
  const first = await listening(receiver, { events: 'message.*' }, async () => {
    await trigger(access(), 'contact.updated');
    await trigger(access(), 'message.delivered');
    await until('something comes', () => receiver.received.length > 0);
  });
  const secret = first.find((line) => line.includes('whsec_'))!.trim();
  const [{ event, raw, headers }] = receiver.received as [Receiver['received'][number]];
  assert.deepEqual([receiver.received.length, event.type], [1, 'message.delivered']);
  assert.equal(event.object, undefined);
  const stripe = new Stripe('sk_test_x');
  const verified = stripe.webhooks.constructEvent(raw, String(headers['x-service-signature']), secret);
  assert.equal(verified.id, event.id);
  assert.equal((await stat(join(dataDir, 'listen-secret'))).mode & 0o777, 0o600);
  const second = await listening(
    receiver,
    { events: 'message.*', fromSequence: event.sequence },
    async () => {
      await until('both come', () => receiver.received.length === 2);
    },
  );
  assert.ok(!second.some((line) => line.includes('whsec_')));
  const again = receiver.received[1]!;
  assert.equal(again.raw, raw);
  stripe.webhooks.constructEvent(again.raw, String(again.headers['x-service-signature']), secret);
});

/** Lays down events of another type without emitting each of them. */
async function manyEvents(count: number): Promise<void> {
  await app.sql(
    `with head as (
       update event_heads set sequence = sequence + $2
        where account_sid = $1 and not livemode returning sequence - $2 as sequence)
     insert into events (account_sid, livemode, sequence, sid, type, api_version, occurred_at, created_at, data)
     select $1, false, head.sequence + n, 'EV' || lpad((head.sequence + n)::text, 26, '0'), 'contact.updated', '2026-08-21', $3, $3, '{}'
       from head, generate_series(1, $2) n`,
    [app.accountSid, count, app.clock.now()],
  );
}

test('a rare type is found however many events of other types stand before it', async (test) => {
  const receiver = await startReceiver(test);
  await trigger(access(), 'media.ready');
  const [{ sequence } = { sequence: '0' }] = await app.sql<{ sequence: string }>(
    'select sequence from event_heads where account_sid = $1 and not livemode',
    [app.accountSid],
  );
  await manyEvents(20_001);
  await trigger(access(), 'media.ready');
  await listening(receiver, { events: 'media.*', fromSequence: Number(sequence) }, async () => {
    await until('both come', () => receiver.received.length === 2);
    await manyEvents(20_001);
    await trigger(access(), 'media.ready');
    await until('the third comes', () => receiver.received.length === 3);
  });
  const types = receiver.received.map(({ event }) => event.type);
  assert.deepEqual(types, ['media.ready', 'media.ready', 'media.ready']);
});

test('a program that is not there is told of, and the next event is tried all the same', async (test) => {
  const receiver = await startReceiver(test);
  const gone = { ...receiver, url: `http://127.0.0.1:${await freePort()}/` };
  await listening(gone, {}, async (printed) => {
    await trigger(access(), 'message.sent');
    await trigger(access(), 'message.read');
    await until('both are told', () => printed.filter((line) => line.includes('No connection')).length === 2);
  });
});

test('a live key is refused, and so is a bad one', async (test) => {
  const receiver = await startReceiver(test);
  const attempt = (key: string) =>
    listen({
      baseUrl: app.url,
      key,
      forwardTo: receiver.url,
      events: '*',
      fromSequence: null,
      dataDir,
      print: () => {},
      signal: new AbortController().signal,
    });
  await assert.rejects(attempt(app.liveKey), /Only a sandbox/);
  await assert.rejects(attempt('gw_test_nonsense'), { name: 'Error' });
});

test('the commands say in one line what is wrong', async () => {
  const cases: [string[], RegExp][] = [
    [['trigger', 'no.such', '--key', app.sandboxKey, '--url', app.url], /type is not an event type/],
    [['trigger', 'test.ping', '--url', app.url], /required option '--key <key>'/],
    [['listen', '--forward-to', 'localhost:3000', '--key', 'x'], /must be a URL/],
    [['listen', '--key', 'x'], /required option '--forward-to <url>'/],
  ];
  for (const [args, words] of cases) {
    const { code, stderr } = await godwit(args, { DATA_DIR: dataDir });
    assert.deepEqual([code, stderr.trim().split('\n').length], [2, 1], stderr);
    assert.match(stderr, words);
  }
  const done = await godwit(['trigger', 'test.ping', '--url', app.url], {
    DATA_DIR: dataDir,
    GODWIT_KEY: app.sandboxKey,
  });
  assert.deepEqual([done.code, done.stderr], [0, '']);
});
