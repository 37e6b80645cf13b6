import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Registry } from 'prom-client';
import { type Collector, startCollector } from '../../../test/harness/collector.ts';
import { until } from '../../../test/harness/until.ts';
import { createLog } from '../../platform/observability/logging.ts';
import { mostWaiting, type Timing } from './otlp-delivery.ts';
import { createOtlpTracing } from './otlp-tracing.ts';

type Given = { url: string; ratio?: number; timing?: Partial<Timing> };

function tracingTo(context: TestContext, { url, ratio = 1, timing }: Given) {
  const registry = new Registry();
  const lines: { level: string; why: string; dropped: number }[] = [];
  const log = createLog('trace', { write: (line) => void lines.push(JSON.parse(line)) });
  const tracing = createOtlpTracing({
    url,
    headers: { 'api-key': 'secret-of-the-collector' },
    resource: { 'service.name': 'godwit' },
    ratio,
    registry,
    log,
    timing: { gatherMs: 5, restMs: 5, ...timing },
  });
  context.after(() => tracing.stop());
  const counted = async (name: string) => {
    const metric = await registry.getSingleMetric(`godwit_trace_spans_${name}_total`)!.get();
    return Object.fromEntries(
      metric.values.filter(({ value }) => value > 0).map(({ labels, value }) => [labels.reason ?? '', value]),
    );
  };
  return { ...tracing, lines, dropped: () => counted('dropped'), exported: () => counted('exported') };
}

const many = (tracing: { start: ReturnType<typeof tracingTo>['start'] }, count: number) => {
  for (let i = 0; i < count; i += 1) tracing.start('work', 'internal')!.end({});
};

test('a span arrives as OTLP describes it: ids, kind, times, typed attributes, status', async (context) => {
  const collector = await startCollector(context);
  const tracing = tracingTo(context, { url: `${collector.url}/v1/traces?tenant=a` });
  const [beforeMs, beganMs] = [Date.now(), performance.now()];
  const span = tracing.start('sendMessage', 'server', { startedMs: beganMs - 250 })!;
  span.end({ 'godwit.livemode': false, 'http.response.status_code': 503, 'godwit.account': null }, 'FAILED');
  const [afterMs, endedMs] = [Date.now(), performance.now()];
  const arrived = await collector.span('the only one', () => true);

  assert.match(arrived.traceId, /^[0-9a-f]{32}$/);
  assert.match(arrived.spanId, /^[0-9a-f]{16}$/);
  assert.equal(arrived.parentSpanId, undefined);
  assert.deepEqual([arrived.name, arrived.kind, arrived.status], ['sendMessage', 2, { code: 2 }]);
  const told = { 'godwit.livemode': false, 'http.response.status_code': 503, 'error.type': 'FAILED' };
  assert.deepEqual(arrived.attributes, told);
  const [start, end] = [arrived.startTimeUnixNano, arrived.endTimeUnixNano].map(BigInt) as [bigint, bigint];
  const tookMs = Number(end - start) / 1e6;
  assert.ok(tookMs >= 249 && tookMs <= 251 + endedMs - beganMs, `${tookMs}`);
  const endMs = Number(end / 1_000_000n);
  // The clock of the day may be set while this runs.
  const isThen = endMs > beforeMs - 5_000 && endMs < afterMs + 5_000;
  assert.ok(isThen, 'the time of day, whenever it is written down');
  const [asked] = collector.asked;
  assert.equal(asked!.path, '/v1/traces?tenant=a');
  assert.equal(asked!.headers['content-type'], 'application/json');
  assert.equal(asked!.headers['api-key'], 'secret-of-the-collector');
  assert.deepEqual(asked!.resource, { 'service.name': 'godwit' });
});

test('a value longer than any code or SID is cut', async (context) => {
  const collector = await startCollector(context);
  tracingTo(context, collector)
    .start('x', 'internal')!
    .end({ 'godwit.job': 'j'.repeat(5_000) });
  const { attributes } = await collector.span('any', () => true);
  assert.equal(String(attributes['godwit.job']).length, 128);
});

test('one name gives one trace in every process, and a request that made it is linked to its first span', async (context) => {
  const collector = await startCollector(context);
  const [api, worker] = [tracingTo(context, collector), tracingTo(context, collector)];
  api.start('request', 'server', { of: 'req_1', made: 'SM1' })!.end({});
  worker.start('first', 'client', { of: 'SM1', first: true })!.end({});
  worker.start('second', 'client', { of: 'SM1' })!.end({});
  api.start('job', 'consumer', { of: 'req_1' })!.end({});
  await until('all four', () => collector.spans.length === 4);
  const of = (name: string) => collector.spans.find((span) => span.name === name)!;
  assert.deepEqual(of('request').links, [{ traceId: of('first').traceId, spanId: of('first').spanId }]);
  assert.equal(of('second').traceId, of('first').traceId);
  assert.notEqual(of('second').spanId, of('first').spanId);
  assert.equal(of('job').traceId, of('request').traceId);
  assert.notEqual(of('job').traceId, of('first').traceId);
});

test("a caller's trace is continued, below the caller's span", async (context) => {
  const collector = await startCollector(context);
  const caller = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), sampled: true };
  tracingTo(context, collector).start('x', 'server', { of: 'req_1', caller })!.end({});
  const span = await collector.span('any', () => true);
  assert.deepEqual([span.traceId, span.parentSpanId], [caller.traceId, caller.spanId]);
  assert.notEqual(span.spanId, caller.spanId);
});

test('the ratio is the part that is collected; all of one name or none, in every process', (context) => {
  const url = 'http://127.0.0.1:1';
  const [one, other] = [0, 1].map(() => tracingTo(context, { url, ratio: 0.25 }));
  const names = Array.from({ length: 4_000 }, (_, i) => `SM${i}`);
  const collected = names.filter((of) => one!.start('x', 'client', { of }));
  assert.ok(Math.abs(collected.length / names.length - 0.25) < 0.04, `${collected.length}`);
  assert.deepEqual(
    names.filter((of) => other!.start('x', 'client', { of })),
    collected,
  );
  const random = names.filter(() => one!.start('x', 'client')).length;
  assert.ok(Math.abs(random / names.length - 0.25) < 0.04, `${random}`);
  const none = tracingTo(context, { url, ratio: 0 });
  assert.ok(names.every((of) => none.start('x', 'client', { of }) === null));
  const all = tracingTo(context, { url });
  assert.ok(names.every((of) => all.start('x', 'client', { of }) !== null));
});

test('a request is collected when the message it made is, so that no collected hand-off lacks its request', (context) => {
  const tracing = tracingTo(context, { url: 'http://127.0.0.1:1', ratio: 0.1 });
  for (let i = 0; i < 500; i += 1) {
    const handOff = tracing.start('x', 'client', { of: `SM${i}` });
    if (handOff) assert.ok(tracing.start('x', 'server', { of: `req_${i}`, made: `SM${i}` }));
  }
});

test('a caller can keep its trace out of the collection and cannot force it in', (context) => {
  const tracing = tracingTo(context, { url: 'http://127.0.0.1:1', ratio: 0.5 });
  const caller = (traceId: string, sampled: boolean) => ({ traceId, spanId: 'cd'.repeat(8), sampled });
  const start = (traceId: string, sampled: boolean) =>
    tracing.start('x', 'server', { of: 'req_1', caller: caller(traceId, sampled) });
  assert.equal(start('ff'.repeat(16), false), null);
  assert.notEqual(start('ff'.repeat(16), true), null);
  assert.equal(start('01'.repeat(16), true), null);
});

test('a collector that fails for a while gets every span once it is back', async (context) => {
  const collector = await startCollector(context, (response) => {
    if (collector.asked.length === 2) collector.taken();
    fail(503)(response);
  });
  const tracing = tracingTo(context, collector);
  many(tracing, 600);
  // Counted once the answer is heard, which is after the collector has taken them.
  await until('all of them are counted', async () => (await tracing.exported())['']! >= 600);
  assert.deepEqual(await tracing.exported(), { '': 600 });
  assert.deepEqual(await tracing.dropped(), {});
  assert.deepEqual(new Set(collector.spans.map(({ spanId }) => spanId)).size, 600);
});

const fail =
  (status: number): Collector['answer'] =>
  (response) => {
    response.statusCode = status;
    response.end('x'.repeat(200_000));
  };

test('what a collector refuses is not tried again, and counted', async (context) => {
  for (const status of [400, 401, 404, 413, 500, 302]) {
    const collector = await startCollector(context, fail(status));
    const tracing = tracingTo(context, collector);
    many(tracing, 3);
    await until('they are counted', async () => (await tracing.dropped()).refused === 3);
    assert.equal(collector.asked.length, 1, `${status}`);
    assert.deepEqual(
      tracing.lines.map(({ why }) => why),
      [`the collector answered ${status}`],
    );
  }
});

test('spans that a collector refuses from within a batch are counted', async (context) => {
  const collector = await startCollector(context, (response) =>
    response.end('{"partialSuccess":{"rejectedSpans":"2","errorMessage":"of Ada"}}'),
  );
  const tracing = tracingTo(context, collector);
  many(tracing, 3);
  await until('they are counted', async () => (await tracing.dropped()).refused === 2);
  assert.deepEqual(await tracing.exported(), { '': 1 });
  assert.ok(!JSON.stringify(tracing.lines).includes('Ada'), "a collector's words are not repeated");
});

test('an answer that is nonsense or endless counts as taken and harms nothing', async (context) => {
  for (const text of [
    '',
    'nonsense',
    '[]',
    'null',
    '{"partialSuccess":{"rejectedSpans":-1}}',
    'x'.repeat(5e6),
  ]) {
    const collector = await startCollector(context, (response) => response.end(text));
    const tracing = tracingTo(context, collector);
    many(tracing, 1);
    await until('it is counted', async () => (await tracing.exported())[''] === 1);
    assert.deepEqual([await tracing.dropped(), tracing.lines], [{}, []]);
  }
});

test('a collector that cannot be reached costs spans, which are counted, and one warning a minute', async (context) => {
  const tracing = tracingTo(context, { url: 'http://127.0.0.1:1', timing: { restMs: 1 } });
  for (let round = 1; round <= 5; round += 1) {
    many(tracing, 10);
    await until('they are given up', async () => (await tracing.dropped()).unreachable === 10 * round);
  }
  assert.deepEqual(
    tracing.lines.map(({ level, why }) => [level, why]),
    [['warn', 'the collector cannot be reached (ECONNREFUSED)']],
  );
  assert.ok(!JSON.stringify(tracing.lines).includes('secret'));
});

test('a later warning says how many spans were lost since the one before', async (context) => {
  const tracing = tracingTo(context, { url: 'http://127.0.0.1:1', timing: { restMs: 1, warnEveryMs: 0 } });
  many(tracing, 10);
  await until('they are given up', async () => (await tracing.dropped()).unreachable === 10);
  assert.equal(
    tracing.lines.reduce((sum, { dropped }) => sum + dropped, 0),
    10,
  );
});

/** Takes connections and never answers. */
async function startHanging(context: TestContext): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => void sockets.add(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a collector that hangs fills a queue that is bounded, and adding to it never waits', async (context) => {
  const tracing = tracingTo(context, { url: await startHanging(context), timing: { flushMs: 50 } });
  many(tracing, 2 * mostWaiting);
  const { full } = await tracing.dropped();
  assert.equal(full, mostWaiting);
  assert.deepEqual(
    tracing.lines.map(({ why }) => why),
    ['spans come faster than it takes them'],
  );
});

test('a collector that does not answer in time is given up, and the next batch is tried', async (context) => {
  const url = await startHanging(context);
  const tracing = tracingTo(context, { url, timing: { answerMs: 20, restMs: 1 } });
  many(tracing, 513);
  await until('both batches', async () => (await tracing.dropped()).unreachable === 513);
});

test('stopping hands over what is left', async (context) => {
  const collector = await startCollector(context);
  const tracing = tracingTo(context, { ...collector, timing: { gatherMs: 600_000 } });
  many(tracing, 1_500);
  await tracing.stop();
  assert.equal(collector.spans.length, 1_500);
  assert.deepEqual(await tracing.dropped(), {});
});

test('stopping waits no longer than its limit, and counts what is lost', async (context) => {
  // Nothing but the limit ends the waiting for an answer.
  const timing = { flushMs: 100, answerMs: 600_000 };
  const tracing = tracingTo(context, { url: await startHanging(context), timing });
  many(tracing, 1_500);
  await tracing.stop();
  many(tracing, 1);
  await until('all are counted', async () => {
    const { stopped = 0, unreachable = 0 } = await tracing.dropped();
    return stopped + unreachable === 1_501;
  });
});

test('a full batch is sent at once, a smaller one after a moment', async (context) => {
  const collector = await startCollector(context);
  const tracing = tracingTo(context, { ...collector, timing: { gatherMs: 600_000 } });
  many(tracing, 512);
  await until('the full one', () => collector.spans.length === 512);
  many(tracing, 1);
  assert.equal(collector.spans.length, 512);
});
