import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { emitAnything } from '../../../../test/harness/events.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { person } from '../../../../test/harness/people.ts';
import {
  inAccount,
  loopContext,
  onThisMachine,
  type Receiver,
  settle,
  startReceiver,
  verifiedEndpoint,
} from '../../../../test/harness/webhooks.ts';
import type { LoopContext } from '../../../platform/jobs/claim-loop.ts';

const hour = 3_600_000;
let app: TestApp;
let context: LoopContext;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { env: onThisMachine });
  context = await loopContext(app, lifetime);
});

const happen = (type: string, sid = 'X') =>
  inAccount(app, (t) => emitAnything(t, type, { object: 'thing', sid }));
const fails: Receiver['answer'] = (_received, response) => response.writeHead(500).end();
const works: Receiver['answer'] = (_received, response) => response.end('ok');
const statusOf = async (path: string) => (await app.get(path)).body.status;

async function failing(test: never, type: string) {
  const receiver = await startReceiver(test);
  const endpoint = await verifiedEndpoint(app, receiver.url, { eventFilters: [type], concurrencyCap: 1 });
  receiver.answer = fails;
  return { receiver, ...endpoint };
}

suite('an endpoint is suspended', () => {
  test('after 24 hours without a success and 20 failures, not for either alone', async (test) => {
    const { path } = await failing(test as never, 'inbox.created');
    for (let i = 0; i < 25; i += 1) await happen('inbox.created');
    await settle(context);
    assert.equal(await statusOf(path), 'active', 'many failures in a short time');
    const quiet = await failing(test as never, 'inbox.updated');
    await happen('inbox.updated');
    await settle(context);
    app.clock.advance(24 * hour);
    await settle(context);
    assert.equal(await statusOf(quiet.path), 'active', 'few failures in a long time');
    assert.equal(await statusOf(path), 'suspended');
  });

  test('when three deliveries in a row used up their whole schedule', async (test) => {
    const { path } = await failing(test as never, 'segment.created');
    for (let i = 0; i < 3; i += 1) await happen('segment.created');
    await settle(context);
    await app.sql('update webhook_undelivered set tries = 8 where due_at is not null');
    app.clock.advance(60 * hour);
    await settle(context);
    assert.equal(await statusOf(path), 'suspended');
    const { data } = (await app.get(`${path}/deliveries`)).body;
    assert.equal(data.filter(({ state }: { state: string }) => state === 'failed').length, 3);
  });

  test('and not when a success came between', async (test) => {
    const { path, receiver } = await failing(test as never, 'segment.updated');
    for (let i = 0; i < 25; i += 1) await happen('segment.updated');
    await settle(context);
    app.clock.advance(23 * hour);
    receiver.answer = works;
    await happen('segment.updated', 'good');
    await app.sql(
      "update webhook_undelivered set due_at = due_at + interval '2 days' where due_at is not null",
    );
    await settle(context);
    assert.deepEqual(
      [(await app.get(path)).body.failures, (await app.get(path)).body.failingSince],
      [0, null],
    );
    receiver.answer = fails;
    app.clock.advance(2 * hour);
    await happen('segment.updated');
    await settle(context);
    assert.equal(await statusOf(path), 'active');
  });
});

suite('a suspended endpoint', () => {
  const suspended = async (test: never, type: string) => {
    const made = await failing(test, type);
    await happen(type, 'first');
    await settle(context);
    await app.sql('update webhook_endpoints set exhausted = 2 where sid = $1', [made.sid]);
    await app.sql('update webhook_undelivered set tries = 8 where endpoint_sid = $1', [made.sid]);
    app.clock.advance(80 * hour);
    await settle(context);
    assert.equal(await statusOf(made.path), 'suspended');
    return made;
  };

  test('is told once, by event and by a notification to those who look after webhooks', async (test) => {
    const { sid } = await suspended(test as never, 'approval.requested');
    const owner = await person(app);
    const viewer = await person(app, { roles: ['VIEWER'] });
    const { data } = (await app.get(`${app.at}/events?type=webhook.suspended&resourceSid=${sid}`)).body;
    assert.deepEqual([data.length, data[0].data.sid, data[0].data.status], [1, sid, 'suspended']);
    const told = async ({ headers }: { headers: object }) =>
      (await app.get(`${app.at}/notifications`, headers)).body.data.filter(
        ({ resource }: { resource: string }) => resource === sid,
      );
    const [notification, ...others] = await told(owner);
    assert.equal(others.length, 0);
    assert.deepEqual([notification.category, notification.type], ['action_required', 'webhook.suspended']);
    assert.deepEqual(await told(viewer), []);
    const jobs = await app.count(
      `graphile_worker._private_jobs where payload -> 'payload' ->> 'endpointSid' = '${sid}'`,
    );
    assert.equal(jobs, 0);
  });

  test('is sent nothing; what it misses stands in its log, and comes back when asked for', async (test) => {
    const { path, receiver } = await suspended(test as never, 'approval.expired');
    receiver.received.length = 0;
    receiver.answer = works;
    await happen('approval.expired', 'missed 1');
    await happen('approval.expired', 'missed 2');
    await settle(context);
    assert.equal(receiver.received.length, 0);
    const missed = (await app.get(`${path}/deliveries?limit=2`)).body.data;
    for (const one of missed) {
      assert.deepEqual(
        [one.state, one.attemptCount, one.error.code],
        ['failed', 0, 'WEBHOOK_DELIVERY_ERROR'],
      );
    }
    const resumed = (await app.post(`${path}/resume`)).body;
    assert.deepEqual([resumed.status, resumed.failures], ['active', 0]);
    await settle(context);
    assert.equal(receiver.received.length, 0, 'nothing before it is asked for');
    assert.equal((await app.post(`${path}/deliveries/retry`, { state: 'failed' })).body.accepted, 3);
    await settle(context);
    assert.deepEqual(
      receiver.events().map(({ event }) => event.data.sid),
      ['first', 'missed 1', 'missed 2'],
    );
  });
});
