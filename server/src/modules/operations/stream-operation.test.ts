import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { operationsOf } from '../../../test/harness/operations.ts';
import { until } from '../../../test/harness/until.ts';
import { Closed } from '../../platform/http/input/schema.ts';
import { type Chunk, defineOperationType } from './index.ts';

let app: TestApp;
let operations: ReturnType<typeof operationsOf>;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  operations = operationsOf(app);
});

// The work goes on once the stream has told that it began.
const began = Promise.withResolvers<void>();
const type = defineOperationType({
  type: 'test.streamed',
  input: Closed({}),
  async *chunks(): AsyncGenerator<Chunk> {
    for (let n = 1; n <= 2; n += 1) {
      await began.promise;
      yield { checkpoint: { n }, total: 2, apply: async () => ({ done: 1, failed: 0 }) };
    }
  },
});

const open = (sid: string, headers: object = {}, signal?: AbortSignal, of = app) =>
  fetch(`${of.url}${of.at}/operations/${sid}/events`, {
    headers: { ...bearer(of.sandboxKey), ...headers },
    ...(signal && { signal }),
  });

type Heard = { id: string; state: string; done: number };
const read = (text: string): Heard[] =>
  text
    .split('\n\n')
    .filter((block) => block.includes('event: operation'))
    .map((block) => {
      const { state, progress } = JSON.parse(/^data: (.*)$/m.exec(block)![1]!);
      return { id: /^id: (.*)$/m.exec(block)![1]!, state, done: progress.done };
    });

suite('the stream of an operation', { concurrency: true }, () => {
  test('tells every state it sees, ends with the operation, and bids a client that heard the end to stop', {
    timeout: 120_000,
  }, async () => {
    const sid = await operations.start(type);
    const stream = await open(sid);
    assert.match(stream.headers.get('content-type')!, /^text\/event-stream/);
    assert.equal(stream.headers.get('cache-control'), 'no-store');
    const listen = async () => {
      let text = '';
      for await (const piece of stream.body!.pipeThrough(new TextDecoderStream())) {
        text += piece;
        const whole = text.slice(0, text.lastIndexOf('\n\n') + 2);
        if (read(whole).some(({ state }) => state === 'RUNNING')) began.resolve();
      }
      return text;
    };
    const [text] = await Promise.all([listen(), operations.run(type, sid)]);
    const heard = read(text);
    assert.deepEqual([...new Set(heard.map(({ state }) => state))], ['PENDING', 'RUNNING', 'SUCCEEDED']);
    assert.equal(heard.at(-1)!.done, 2);
    const again = await open(sid, { 'last-event-id': heard.at(-1)!.id });
    assert.equal(again.status, 204);
    const other = await open(sid, { 'last-event-id': 'something else' });
    assert.equal(read(await other.text()).at(-1)!.state, 'SUCCEEDED');
  });

  test('is refused like any other read before it begins', async () => {
    const reply = await app.get(`${app.at}/operations/OP01K3C0N7AC7S0R0THERPERS0N0/events`);
    assert.deepEqual([reply.status, reply.body.error.code], [404, 'NOT_FOUND']);
    const { key } = await app.key(['contacts:read']);
    const sid = await operations.start(type);
    assert.equal((await open(sid, bearer(key))).status, 403);
  });

  test('is not made for a HEAD request', async () => {
    const sid = await operations.start(type);
    const reply = await app.send('HEAD', `${app.at}/operations/${sid}/events`);
    assert.deepEqual([reply.status, reply.text], [200, '']);
    assert.match(reply.headers.get('content-type')!, /^text\/event-stream/);
  });

  test('whose client hangs up gives its place back: an account holds 50 at once', async (context) => {
    const own = await startTestApp(context);
    const sid = await operationsOf(own).start(type);
    const gone = new AbortController();
    const streams = await Promise.all(Array.from({ length: 50 }, () => open(sid, {}, gone.signal, own)));
    assert.deepEqual([...new Set(streams.map(({ status }) => status))], [200]);
    const refused = await open(sid, {}, undefined, own);
    assert.deepEqual(
      [
        refused.status,
        ...['retry-after', 'ratelimit-policy', 'ratelimit'].map((n) => refused.headers.get(n)),
      ],
      [429, '5', '"streams";q=50;qu="concurrent-requests"', '"streams";r=0;t=5'],
    );
    await refused.text();
    gone.abort();
    await until('a place comes free', async () => {
      const next = await open(sid, {}, undefined, own);
      await next.body!.cancel();
      return next.status === 200;
    });
  });

  test('does not keep the service from stopping', { timeout: 120_000 }, async (context) => {
    const own = await startTestApp(context);
    const sid = await operationsOf(own).start(type);
    const stream = await open(sid, {}, undefined, own);
    const reader = stream.body!.getReader();
    await reader.read();
    // Nor does a connection that a client only opened.
    const silent = connect(Number(new URL(own.url).port), '127.0.0.1').on('error', () => {});
    await once(silent, 'connect');
    await own.stop();
    while (!(await reader.read()).done);
  });
});
