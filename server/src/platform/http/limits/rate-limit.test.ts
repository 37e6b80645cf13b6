import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { bearer, type Reply, startTestApp } from '../../../../test/harness/app.ts';
import { isLimitReached } from '../../../../test/harness/limits.ts';
import { ownAccounts } from '../../../../test/harness/own-account.ts';
import { createSpool } from '../../spool.ts';
import { createUploads } from '../input/uploads.ts';
import { localBuckets, type Policy, rateLimitHeaders, sharedBuckets } from './rate-limit.ts';

const policy: Policy = { name: 'key', perSecond: 10, burst: 20 };
const startMs = Date.parse('2026-08-21T10:00:00.000Z');

/** How many of `count` takes at this moment are allowed. */
function takeMany(buckets: ReturnType<typeof localBuckets>, count: number, nowMs: number): number {
  return Array.from({ length: count }, () => buckets.take('a', policy, nowMs)).filter(
    ({ allowed }) => allowed,
  ).length;
}

const ownAccount = ownAccounts();

test('a full bucket gives its burst at once and then the rate', () => {
  const buckets = localBuckets();
  assert.equal(takeMany(buckets, 50, startMs), 20);
  assert.equal(takeMany(buckets, 50, startMs + 99), 0);
  assert.equal(takeMany(buckets, 50, startMs + 100), 1);
  assert.equal(takeMany(buckets, 50, startMs + 1_100), 10);
  assert.equal(takeMany(buckets, 50, startMs + 3_600_000), 20);
});

test('each name has a bucket of its own', () => {
  const buckets = localBuckets();
  takeMany(buckets, 20, startMs);
  assert.deepEqual(buckets.take('a', policy, startMs), { allowed: false, remaining: 0, resetSeconds: 1 });
  assert.deepEqual(buckets.take('b', policy, startMs), { allowed: true, remaining: 19, resetSeconds: 0 });
});

test('asking at no cost tells whether a token is there and takes none', () => {
  const buckets = localBuckets();
  for (let i = 0; i < 50; i += 1) assert.equal(buckets.take('a', policy, startMs, 0).allowed, true);
  assert.equal(takeMany(buckets, 50, startMs), 20);
  assert.equal(buckets.take('a', policy, startMs, 0).allowed, false);
});

test('a clock that goes back a little gives nothing, and gives nothing twice when it returns', () => {
  const buckets = localBuckets();
  assert.equal(takeMany(buckets, 50, startMs), 20);
  for (let i = 0; i < 100; i += 1) {
    assert.equal(takeMany(buckets, 50, startMs - 5_000), 0);
    assert.equal(takeMany(buckets, 50, startMs), 0);
  }
});

test('a clock that was set right by an hour locks nobody out', () => {
  const buckets = localBuckets();
  assert.equal(takeMany(buckets, 50, startMs + 3_600_000), 20);
  assert.equal(takeMany(buckets, 50, startMs), 20);
  assert.equal(takeMany(buckets, 50, startMs + 100), 1);
});

// ---- One model for both kinds of bucket

/** Tokens in thousandths, so that the model needs no fractions. */
function modelBucket({ perSecond, burst }: Policy) {
  const full = burst * 1000;
  let left = { tokens: full, atMs: Number.POSITIVE_INFINITY };
  return (nowMs: number) => {
    const from = left.atMs > nowMs + 10_000 ? { tokens: full, atMs: nowMs } : left;
    const tokens = Math.min(full, from.tokens + Math.max(0, nowMs - from.atMs) * perSecond);
    // A refusal changes nothing, also not the moment up to which it is filled.
    if (tokens < 1000) return { allowed: false, remaining: 0, resetSeconds: 1 };
    left = { tokens: tokens - 1000, atMs: Math.max(nowMs, from.atMs) };
    const remaining = Math.floor(left.tokens / 1000);
    return { allowed: true, remaining, resetSeconds: remaining > 0 ? 0 : 1 };
  };
}

const policies = fc
  .record({ perSecond: fc.integer({ min: 1, max: 1_000 }), burst: fc.integer({ min: 1, max: 5 }) })
  .map((limits): Policy => ({ name: 'model', ...limits }));
/** Mostly small steps onward, sometimes none, sometimes back, seldom far. */
const steps = fc.oneof(
  { weight: 6, arbitrary: fc.nat(50) },
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 2_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: -50, max: 0 }) },
  { weight: 1, arbitrary: fc.integer({ min: -30_000, max: 30_000 }) },
);

test('a local bucket gives the verdicts of the model, whatever the clock does', () => {
  fc.assert(
    fc.property(policies, fc.array(steps, { maxLength: 60 }), (limits, moves) => {
      const buckets = localBuckets();
      const model = modelBucket(limits);
      let nowMs = startMs;
      for (const move of moves) {
        nowMs += move;
        assert.deepEqual(buckets.take('a', limits, nowMs), model(nowMs));
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a shared bucket gives the verdicts of the same model', async () => {
  const { database } = await ownAccount();
  const buckets = sharedBuckets(database);
  let name = 0;
  await fc.assert(
    fc.asyncProperty(policies, fc.array(steps, { maxLength: 30 }), async (limits, moves) => {
      const model = modelBucket(limits);
      name += 1;
      const bucket = `model-${name}`;
      let nowMs = startMs;
      for (const move of moves) {
        nowMs += move;
        assert.deepEqual(await buckets.take(bucket, limits, nowMs), model(nowMs));
      }
    }),
    { numRuns: 200 },
  );
});

test('50 takes at once never get more than the burst from a shared bucket', async () => {
  const { database } = await ownAccount();
  const buckets = sharedBuckets(database);
  for (let round = 0; round < 20; round += 1) {
    const takes = Array.from({ length: 50 }, () => buckets.take(`crowd-${round}`, policy, startMs));
    const verdicts = await Promise.all(takes);
    assert.equal(verdicts.filter(({ allowed }) => allowed).length, 20);
    const left = verdicts.filter(({ allowed }) => allowed).map(({ remaining }) => remaining);
    assert.deepEqual(
      left.sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, i) => i),
    );
  }
});

// ---- Headers

/** One item with parameters, as RFC 9651 writes them: a string, then `;name=integer`. */
function readItem(text: string | null | undefined): { name: string; parameters: Record<string, number> } {
  const item = /^"([\x20-\x21\x23-\x5b\x5d-\x7e]*)"((?:; *[a-z*][a-z0-9_.*-]*=-?[0-9]{1,15})*)$/.exec(
    text ?? '',
  );
  assert.ok(item, `not a structured field: ${text}`);
  const parameters = [...item[2]!.matchAll(/; *([a-z*][a-z0-9_.*-]*)=(-?[0-9]+)/g)];
  return {
    name: item[1]!,
    parameters: Object.fromEntries(parameters.map(([, key, value]) => [key, Number(value)])),
  };
}

test('the headers are structured fields whatever the policy and the verdict', () => {
  fc.assert(
    fc.property(policies, fc.array(steps, { minLength: 1, maxLength: 10 }), (limits, moves) => {
      const buckets = localBuckets();
      let nowMs = startMs;
      for (const move of moves) {
        nowMs += move;
        const verdict = buckets.take('a', limits, nowMs);
        const headers = rateLimitHeaders(limits, verdict);
        assert.deepEqual(readItem(headers.ratelimit), {
          name: 'model',
          parameters: { r: verdict.remaining, t: verdict.resetSeconds },
        });
        const { parameters } = readItem(headers['ratelimit-policy']);
        assert.deepEqual(Object.keys(parameters), ['q', 'w']);
        assert.equal(parameters.q, limits.burst);
        assert.ok(parameters.w! * limits.perSecond >= limits.burst);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('one upload too many is told which limit it met', async () => {
  const uploads = createUploads(createSpool('/nowhere'), { maxAtOnce: 0 });
  const policy = 'q=0;qu="concurrent-requests"';
  await assert.rejects(uploads.receive(Readable.from([]), 'multipart/form-data', 1), (error) =>
    isLimitReached(error, { name: 'uploads', policy, seconds: 1 }),
  );
});

test('RATE_LIMITED is raised only where its limit is named', async () => {
  const sources = new URL('../../../', import.meta.url);
  const files = (await readdir(sources, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  const raising = [];
  for (const name of files) {
    const text = await readFile(new URL(name, sources), 'utf8');
    if (/ApiError\(\s*'RATE_LIMITED'/.test(text)) raising.push(name);
  }
  assert.deepEqual(raising, ['platform/http/limits/rate-limit.ts']);
});

// ---- Over HTTP

function assertRateLimited(answer: Reply, name: string): void {
  assert.equal(answer.status, 429);
  const { code, type, retryable, retryAfterSeconds } = answer.body.error;
  assert.deepEqual([code, type, retryable], ['RATE_LIMITED', 'rate_limit_error', true]);
  assert.ok(Number.isInteger(retryAfterSeconds) && retryAfterSeconds >= 1);
  assert.equal(answer.headers.get('retry-after'), String(retryAfterSeconds));
  assert.equal(readItem(answer.headers.get('ratelimit')).name, name);
  assert.equal(readItem(answer.headers.get('ratelimit')).parameters.r, 0);
  assert.equal(readItem(answer.headers.get('ratelimit-policy')).name, name);
}

for (const store of ['memory', 'postgres']) {
  test(`a key that asks too often is told when to come back, and may then (${store})`, async (context) => {
    const app = await startTestApp(context, { env: { REQUESTS_PER_SECOND: '3', RATE_LIMIT_STORE: store } });
    for (let left = 5; left >= 0; left -= 1) {
      const answer = await app.get('/v1/me');
      assert.equal(answer.status, 200);
      assert.equal(readItem(answer.headers.get('ratelimit')).parameters.r, left);
      assert.deepEqual(readItem(answer.headers.get('ratelimit-policy')), {
        name: 'key',
        parameters: { q: 6, w: 2 },
      });
    }
    const refused = await app.get('/v1/me');
    assertRateLimited(refused, 'key');
    assert.equal((await app.get('/v1/me', bearer(app.liveKey))).status, 200, 'another key is not held back');
    app.clock.advance(refused.body.error.retryAfterSeconds * 1_000);
    assert.equal((await app.get('/v1/me')).status, 200);
  });
}

test('a key with a rate of its own is held to that one', async () => {
  const app = await ownAccount();
  const { key, id } = await app.key(['contacts:read']);
  await app.sql('update api_keys set requests_per_second = 1 where id = $1', [id]);
  const statuses = [];
  for (let i = 0; i < 3; i += 1) statuses.push((await app.get('/v1/me', bearer(key))).status);
  assert.deepEqual(statuses, [200, 200, 429]);
});

test('what needs no credentials is limited by address', async (context) => {
  const app = await startTestApp(context);
  const statuses = new Map<number, number>();
  for (let i = 0; i < 101; i += 1) {
    const { status } = await app.get('/v1/errors');
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  assert.deepEqual(
    [...statuses],
    [
      [200, 100],
      [429, 1],
    ],
  );
  assertRateLimited(await app.get('/v1/errors'), 'address');
  assert.equal((await app.get('/v1/me')).status, 200, 'a key is not held back by it');
});

test('after too many bad credentials an address is refused before any credential is looked at', async (context) => {
  const app = await startTestApp(context);
  const wrong = bearer(app.sandboxKey.replace(/.{4}$/, '0000'));
  for (let i = 0; i < 60; i += 1) assert.equal((await app.get('/v1/me', wrong)).status, 401);
  const refused = await app.get('/v1/me', wrong);
  assertRateLimited(refused, 'failures');
  assert.equal(refused.headers.get('www-authenticate'), null);
  const fresh = await app.key(['contacts:read']);
  assertRateLimited(await app.get('/v1/me', bearer(fresh.key)), 'failures');
  assert.equal((await app.get('/v1/errors')).status, 200, 'what needs no credentials stays open');

  app.clock.advance(refused.body.error.retryAfterSeconds * 1_000);
  assert.equal((await app.get('/v1/me', bearer(fresh.key))).status, 200);
  assert.equal((await app.get('/v1/me', wrong)).status, 401);
});

test('good credentials never use up the limit of bad ones', async () => {
  const app = await ownAccount();
  for (let i = 0; i < 100; i += 1) assert.equal((await app.get('/v1/me')).status, 200);
  assert.equal((await app.get('/v1/me', { authorization: 'Bearer nonsense' })).status, 401);
});
