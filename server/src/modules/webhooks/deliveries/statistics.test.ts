import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { emitAnything } from '../../../../test/harness/events.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import {
  inAccount,
  loopContext,
  onThisMachine,
  settle,
  startReceiver,
  verifiedEndpoint,
} from '../../../../test/harness/webhooks.ts';
import type { LoopContext } from '../../../platform/jobs/claim-loop.ts';
import { trimStatistics } from './statistics.ts';

let app: TestApp;
let context: LoopContext;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { env: onThisMachine });
  context = await loopContext(app, lifetime);
});

const day = 24 * 3_600_000;
const happen = () => inAccount(app, (t) => emitAnything(t, 'inbox.created', { sid: 'IB1' }));

test('every attempt is counted once, by day and outcome, with how long it took', async (test) => {
  const receiver = await startReceiver(test);
  const { path } = await verifiedEndpoint(app, receiver.url, { eventFilters: ['inbox.created'] });
  const read = async (query = '') => (await app.get(`${path}/statistics${query}`)).body;
  const none = { dns: 0, connect: 0, tls: 0, timeout: 0, status: 0, blocked: 0 };
  const first = await read();
  assert.deepEqual([first.attempts, first.succeeded, first.failures], [1, 1, none]); // its challenge
  for (let i = 0; i < 5; i += 1) await happen();
  await settle(context);
  app.clock.advance(day);
  receiver.answer = (_received, response) => response.writeHead(500).end();
  for (let i = 0; i < 2; i += 1) await happen();
  await settle(context);
  const all = await read();
  assert.deepEqual([all.from, all.to], ['2026-08-16', '2026-08-22']);
  assert.deepEqual([all.attempts, all.succeeded, all.failed], [8, 6, 2]);
  assert.deepEqual(all.failures, { ...none, status: 2 });
  assert.ok(all.p50Ms >= 1 && all.p95Ms >= all.p50Ms, JSON.stringify(all));
  const days = all.days.map((one: Record<string, number>) => [one.day, one.attempts, one.succeeded]);
  assert.deepEqual(days, [
    ['2026-08-21', 6, 6],
    ['2026-08-22', 2, 0],
  ]);
  const one = await read('?from=2026-08-22&to=2026-08-22');
  assert.deepEqual([one.attempts, one.days.length], [2, 1]);
  const before = await read('?from=2026-01-01&to=2026-01-31');
  assert.deepEqual([before.attempts, before.p50Ms, before.days], [0, null, []]);
  // What the counts say is what the attempts say.
  assert.equal(await app.count('webhook_attempts'), 8);
  app.clock.advance(91 * day);
  await inAccount(app, trimStatistics);
  assert.equal(await app.count('webhook_statistics'), 0);
});

test('a range is bounded and made of days, and another account has no such endpoint', async (test) => {
  const receiver = await startReceiver(test);
  const { path, sid } = await verifiedEndpoint(app, receiver.url);
  for (const query of [
    'from=2026-01-01&to=2026-04-01',
    'from=2026-02-02&to=2026-02-01',
    'from=2026-02-30',
    'to=nonsense',
    'to=2026-08-21T00:00:00Z',
    'surprise=1',
  ])
    assert.equal((await app.get(`${path}/statistics?${query}`)).status, 400, query);
  assert.equal((await app.get(`${path}/statistics?from=2026-01-01&to=2026-03-31`)).status, 200);
  const stranger = await app.newAccount();
  const at = `/v1/accounts/${stranger.accountSid}/webhooks/${sid}/statistics`;
  assert.equal((await app.get(at, bearer(stranger.sandboxKey))).status, 404);
});
