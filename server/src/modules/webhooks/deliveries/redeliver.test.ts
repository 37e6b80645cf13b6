import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { emitAnything } from '../../../../test/harness/events.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
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

let app: TestApp;
let context: LoopContext;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { env: onThisMachine });
  context = await loopContext(app, lifetime);
});

const happen = (type: string, sid = 'CT1') =>
  inAccount(app, (t) => emitAnything(t, type, { object: 'thing', sid }));
const sidsOf = (receiver: Receiver) => receiver.events().map(({ event }) => event.data.sid);
const head = async () =>
  Number(
    (
      await app.sql<{ sequence: string }>(
        'select sequence from event_heads where account_sid = $1 and not livemode',
        [app.accountSid],
      )
    )[0]!.sequence,
  );
const fails: Receiver['answer'] = (_received, response) => response.writeHead(500).end();
const works: Receiver['answer'] = ({ event }, response) => response.end(event.data.challenge ?? 'ok');

/** An endpoint of its own kind of event, that failed at these. */
async function failedAt(test: never, type: string, things: string[]) {
  const receiver = await startReceiver(test);
  const endpoint = await verifiedEndpoint(app, receiver.url, { eventFilters: [type], concurrencyCap: 1 });
  receiver.answer = fails;
  for (const thing of things) await happen(type, thing);
  await settle(context);
  receiver.answer = works;
  receiver.received.length = 0;
  const { data } = (await app.get(`${endpoint.path}/deliveries?sort=createdAt`)).body;
  const deliveries = data.filter(({ eventType }: { eventType: string }) => eventType === type);
  return { receiver, ...endpoint, deliveries };
}

suite('a retry', () => {
  test('of one delivery happens now and not when it was due', async (test) => {
    const { receiver, path, deliveries } = await failedAt(test as never, 'inbox.created', ['one']);
    const reply = await app.post(`${path}/deliveries/${deliveries[0].sid}/retry`);
    assert.deepEqual(
      [reply.status, reply.body.accepted, reply.body.deliverySids],
      [202, 1, [deliveries[0].sid]],
    );
    await settle(context);
    assert.deepEqual(sidsOf(receiver), ['one']);
    const logged = (await app.get(`${path}/deliveries/${deliveries[0].sid}`)).body;
    assert.deepEqual([logged.state, logged.attempts.length, logged.error], ['delivered', 2, null]);
  });

  test('by list takes exactly those named, the oldest first', async (test) => {
    const { receiver, path, deliveries } = await failedAt(test as never, 'inbox.updated', [
      'a',
      'b',
      'c',
      'd',
    ]);
    const chosen = [deliveries[3].sid, deliveries[1].sid, deliveries[3].sid];
    const reply = await app.post(`${path}/deliveries/retry`, { deliverySids: chosen });
    assert.equal(reply.body.accepted, 2);
    await settle(context);
    assert.deepEqual(sidsOf(receiver), ['b', 'd']);
  });

  test('by state takes the failed, or the pending, the oldest first', async (test) => {
    const { receiver, path, deliveries, sid } = await failedAt(test as never, 'inbox.member_added', [
      'a',
      'b',
      'c',
    ]);
    await app.sql(
      `update webhook_undelivered set due_at = null, gave_up = 'exhausted' where delivery_sid = any ($1)`,
      [[deliveries[0].sid, deliveries[2].sid]],
    );
    assert.equal((await app.post(`${path}/deliveries/retry`, { state: 'failed' })).body.accepted, 2);
    await settle(context);
    assert.deepEqual(sidsOf(receiver), ['a', 'c']);
    assert.equal((await app.post(`${path}/deliveries/retry`, { state: 'pending' })).body.accepted, 1);
    await settle(context);
    assert.deepEqual(sidsOf(receiver), ['a', 'c', 'b']);
    assert.equal(await app.count(`webhook_undelivered where endpoint_sid = '${sid}'`), 0);
  });

  test('of an acknowledged one sends it once more', async (test) => {
    const { receiver, path, deliveries } = await failedAt(test as never, 'inbox.member_removed', ['one']);
    for (let times = 1; times <= 2; times += 1) {
      await app.post(`${path}/deliveries/${deliveries[0].sid}/retry`);
      await settle(context);
      assert.equal(receiver.events().length, times);
    }
  });

  test('starts the schedule anew', async (test) => {
    const { receiver, path, deliveries } = await failedAt(test as never, 'segment.updated', ['one']);
    await app.sql('update webhook_undelivered set tries = 8 where delivery_sid = $1', [deliveries[0].sid]);
    receiver.answer = fails;
    await app.post(`${path}/deliveries/${deliveries[0].sid}/retry`);
    await settle(context);
    const { nextAttemptAt } = (await app.get(`${path}/deliveries/${deliveries[0].sid}`)).body;
    const waitMs = new Date(nextAttemptAt).getTime() - app.clock.now().getTime();
    assert.ok(waitMs >= 60_000 && waitMs < 70_000, String(waitMs));
  });

  test('asked for while an attempt is under way is not overwritten by how that ends', async (test) => {
    const { receiver, path, deliveries, sid } = await failedAt(test as never, 'segment.refreshed', ['one']);
    app.clock.advance(120_000);
    receiver.answer = async (_received, response) => {
      app.clock.advance(1_000);
      await app.post(`${path}/deliveries/${deliveries[0].sid}/retry`);
      receiver.answer = works;
      response.writeHead(500).end();
    };
    await settle(context);
    await settle(context);
    assert.equal(receiver.events().length, 2);
    assert.equal(await app.count(`webhook_undelivered where endpoint_sid = '${sid}'`), 0);
  });

  test('must name something, and only what is there', async (test) => {
    const { path } = await failedAt(test as never, 'segment.deleted', []);
    const other = await failedAt(test as never, 'segment.created', ['x']);
    assert.equal((await app.post(`${path}/deliveries/retry`, {})).body.error.details[0].path, 'deliverySids');
    const foreign = await app.post(`${path}/deliveries/retry`, { deliverySids: [other.deliveries[0].sid] });
    assert.deepEqual([foreign.status, foreign.body.error.code], [404, 'NOT_FOUND']);
    const many = Array(1001).fill(other.deliveries[0].sid);
    assert.equal((await app.post(`${path}/deliveries/retry`, { deliverySids: many })).status, 400);
  });
});

suite('a redelivery of events', () => {
  test('goes to every endpoint that subscribes, or to the one named, whatever it subscribes to', async (test) => {
    const [a, b, c] = [await startReceiver(test), await startReceiver(test), await startReceiver(test)];
    await verifiedEndpoint(app, a.url, { eventFilters: ['consent.*'] });
    await verifiedEndpoint(app, b.url, { eventFilters: ['consent.recorded'] });
    const other = await verifiedEndpoint(app, c.url, { eventFilters: ['media.*'] });
    await happen('consent.recorded', 'it');
    await settle(context);
    const event = a.events()[0]!.event.id;
    assert.equal((await app.post(`${app.at}/events/${event}/redeliver`, {})).body.accepted, 2);
    await settle(context);
    assert.deepEqual([a.events().length, b.events().length, c.events().length], [2, 2, 0]);
    const body = { eventSids: [event, event], endpointSid: other.sid };
    assert.equal((await app.post(`${app.at}/events/redeliver`, body)).body.accepted, 1);
    await settle(context);
    assert.deepEqual([a.events().length, b.events().length, sidsOf(c)], [2, 2, ['it']]);
    assert.equal(a.events()[0]!.raw, a.events()[1]!.raw);
  });

  test('of one that is not there, or is of another account, is a 404', async () => {
    const stranger = await app.newAccount();
    const at = `/v1/accounts/${stranger.accountSid}`;
    await app.post(`${at}/inboxes`, { name: 'x' }, bearer(stranger.sandboxKey));
    const [theirs] = await app.sql<{ sid: string }>('select sid from events where account_sid = $1', [
      stranger.accountSid,
    ]);
    for (const eventSids of [[theirs!.sid], ['EV00000000000000000000000000']]) {
      assert.equal((await app.post(`${app.at}/events/redeliver`, { eventSids })).status, 404);
    }
  });

  test('to an endpoint that never passed its challenge is refused', async () => {
    const { sid } = await createEndpoint(app, 'https://hook.example/');
    await happen('contact.created');
    const { data } = (await app.get(`${app.at}/events?limit=1`)).body;
    const reply = await app.post(`${app.at}/events/${data[0].id}/redeliver`, { endpointSid: sid });
    assert.deepEqual([reply.status, reply.body.error.code], [409, 'CONFLICT']);
  });

  test('to a paused endpoint waits for it', async (test) => {
    const { receiver, path, sid, deliveries } = await failedAt(test as never, 'approval.expired', ['one']);
    await app.post(`${path}/pause`);
    await app.post(`${app.at}/events/${deliveries[0].eventSid}/redeliver`, { endpointSid: sid });
    await settle(context);
    assert.equal(receiver.events().length, 0);
    await app.post(`${path}/resume`);
    await settle(context);
    assert.equal(receiver.events().length, 1);
  });
});

suite('a ping made for one endpoint', () => {
  test('is sent again to that one alone, and not replayed to anybody', async (test) => {
    const [own, other] = [await startReceiver(test), await startReceiver(test)];
    const from = await head();
    const pinged = await verifiedEndpoint(app, own.url, { eventFilters: ['test.*'] });
    const bystander = await verifiedEndpoint(app, other.url, { eventFilters: ['test.*'] });
    const { eventSid } = (await app.post(`${pinged.path}/test`)).body;
    own.received.length = 0;
    other.received.length = 0;
    const named = await app.post(`${app.at}/events/${eventSid}/redeliver`, { endpointSid: bystander.sid });
    assert.deepEqual([named.status, named.body.error.code], [409, 'CONFLICT']);
    assert.match(named.body.error.message, new RegExp(eventSid));
    const replay = { endpointSid: bystander.sid, fromSequence: from, toSequence: await head() };
    assert.equal((await app.post(`${app.at}/events/replay`, replay)).body.accepted, 0);
    const again = { ...replay, endpointSid: pinged.sid };
    assert.equal((await app.post(`${app.at}/events/replay`, again)).body.accepted, 0);
    assert.equal((await app.post(`${app.at}/events/${eventSid}/redeliver`, {})).body.accepted, 1);
    await settle(context);
    assert.deepEqual([own.received.length, other.received.length], [1, 0]);
    for (const { path } of [pinged, bystander]) await app.delete(path);
  });
});

suite('gaps and replay', () => {
  test('know the statuses of messages that named the endpoint as their status callback', async (test) => {
    const receiver = await startReceiver(test);
    const { sid, path } = await verifiedEndpoint(app, receiver.url, { eventFilters: ['media.ready'] });
    receiver.answer = fails;
    receiver.received.length = 0;
    const status = (named: string | null) =>
      inAccount(app, (t) => emitAnything(t, 'message.sent', { sid: 'SM1', statusCallbackSid: named }));
    await status(sid);
    await status(null);
    await settle(context);
    const { data } = (await app.get(`${path}/gaps`)).body;
    assert.deepEqual([data.length, data[0].eventType, data[0].state], [1, 'message.sent', 'pending']);
    receiver.answer = works;
    const range = { endpointSid: sid, fromSequence: data[0].sequence, toSequence: await head() };
    for (const unacknowledgedOnly of [true, false]) {
      receiver.received.length = 0;
      const reply = await app.post(`${app.at}/events/replay`, { ...range, unacknowledgedOnly });
      assert.equal(reply.body.accepted, 1);
      await settle(context);
      assert.deepEqual(sidsOf(receiver), ['SM1']);
    }
    assert.deepEqual((await app.get(`${path}/gaps`)).body.data, []);
    // To everybody it is for: also to whom only the message named.
    receiver.received.length = 0;
    await app.post(`${app.at}/events/${data[0].eventSid}/redeliver`, {});
    await settle(context);
    assert.deepEqual(sidsOf(receiver), ['SM1']);
  });

  test('bring back also what was sent on request to an endpoint that does not subscribe to it', async (test) => {
    const receiver = await startReceiver(test);
    const { sid, path } = await verifiedEndpoint(app, receiver.url, { eventFilters: ['media.ready'] });
    receiver.answer = fails;
    await happen('flow.updated', 'asked for');
    await settle(context);
    const [event] = (await app.get(`${app.at}/events?limit=1`)).body.data;
    await app.post(`${app.at}/events/${event.id}/redeliver`, { endpointSid: sid });
    await settle(context);
    const { data } = (await app.get(`${path}/gaps`)).body;
    assert.deepEqual([data.length, data[0].eventSid], [1, event.id]);
    receiver.answer = works;
    receiver.received.length = 0;
    const { sequence } = data[0];
    const range = {
      endpointSid: sid,
      fromSequence: sequence,
      toSequence: sequence,
      unacknowledgedOnly: true,
    };
    assert.equal((await app.post(`${app.at}/events/replay`, range)).body.accepted, 1);
    await settle(context);
    assert.deepEqual(sidsOf(receiver), ['asked for']);
  });

  test('name what an endpoint never acknowledged, and bring exactly that back', async (test) => {
    const receiver = await startReceiver(test);
    await happen('template.updated', 'before');
    const from = await head();
    const { sid, path } = await verifiedEndpoint(app, receiver.url, {
      eventFilters: ['template.*'],
      concurrencyCap: 1,
    });
    const gaps = async (range = `fromSequence=${from}`) => (await app.get(`${path}/gaps?${range}`)).body;
    await happen('template.updated', 'got');
    await settle(context);
    receiver.answer = fails;
    await happen('template.updated', 'missed');
    await happen('sender.updated', 'not mine');
    await settle(context);
    const seen = (await gaps()).data;
    assert.deepEqual(
      seen.map(({ state, eventType }: Record<string, string>) => `${eventType} ${state}`),
      ['template.updated none', 'template.updated pending'],
    );
    assert.equal(seen[0].sequence, from);
    receiver.answer = works;
    receiver.received.length = 0;
    const range = { endpointSid: sid, fromSequence: from, toSequence: await head() };
    const reply = await app.post(`${app.at}/events/replay`, { ...range, unacknowledgedOnly: true });
    assert.equal(reply.body.accepted, 2);
    await settle(context);
    assert.deepEqual(sidsOf(receiver), ['before', 'missed']);
    assert.deepEqual((await gaps()).data, []);
    // All of it once more: what was acknowledged stays no gap.
    assert.equal((await app.post(`${app.at}/events/replay`, range)).body.accepted, 3);
    assert.deepEqual((await gaps()).data, []);
    await settle(context);
    assert.equal(receiver.events().length, 5);
  });

  test('are told page by page', async (test) => {
    const { path } = await failedAt(test as never, 'approval.requested', ['a', 'b', 'c']);
    const first = (await app.get(`${path}/gaps?limit=2`)).body;
    const second = (await app.get(`${path}/gaps?limit=2&cursor=${first.nextCursor}`)).body;
    assert.deepEqual(
      [first.data.length, first.hasMore, second.data.length, second.hasMore],
      [2, true, 1, false],
    );
    assert.ok(second.data[0].sequence > first.data[1].sequence);
  });

  test('look at a bounded range, from a number to one that is not smaller', async (test) => {
    const { path, sid } = await failedAt(test as never, 'approval.rejected', []);
    assert.equal((await app.get(`${path}/gaps?fromSequence=1&toSequence=100001`)).status, 400);
    assert.equal((await app.get(`${path}/gaps?fromSequence=1&toSequence=100000`)).status, 200);
    const range = { endpointSid: sid, fromSequence: 2, toSequence: 1 };
    assert.equal((await app.post(`${app.at}/events/replay`, range)).status, 400);
  });
});

suite('the log', () => {
  test('is found by resource, by event and in both orders', async (test) => {
    const { path, deliveries } = await failedAt(test as never, 'role_binding.created', ['r1', 'r2']);
    const byResource = (await app.get(`${app.at}/webhook-deliveries?resourceSid=r1`)).body.data;
    assert.deepEqual(
      byResource.map(({ sid }: { sid: string }) => sid),
      [deliveries[0].sid],
    );
    const own = (await app.get(`${path}/deliveries?resourceSid=r2`)).body.data;
    assert.equal(own[0].sid, deliveries[1].sid);
    const byEvent = (await app.get(`${path}/deliveries?eventId=${deliveries[0].eventSid}`)).body.data;
    assert.deepEqual([byEvent.length, byEvent[0].sid], [1, deliveries[0].sid]);
    const newest = (await app.get(`${path}/deliveries?limit=1`)).body;
    assert.deepEqual([newest.data[0].sid, newest.hasMore], [deliveries[1].sid, true]);
    assert.equal((await app.get(`${app.at}/webhook-deliveries`)).status, 400);
  });
});

suite('events', () => {
  test('are read newest first, or followed from a number on, by type and resource', async () => {
    const from = await head();
    await happen('operation.completed', 'o1');
    await happen('operation.failed', 'o2');
    await happen('contact.created', 'o3');
    const read = async (query: string) =>
      (await app.get(`${app.at}/events?afterSequence=${from}&${query}`)).body.data.map(
        ({ data }: { data: { sid: string } }) => data.sid,
      );
    assert.deepEqual(await read(''), ['o3', 'o2', 'o1']);
    assert.deepEqual(await read('sort=sequence'), ['o1', 'o2', 'o3']);
    assert.deepEqual(await read('type=operation.*'), ['o2', 'o1']);
    assert.deepEqual(await read('type=operation.failed'), ['o2']);
    assert.deepEqual(await read('resourceSid=o3'), ['o3']);
    const page = (await app.get(`${app.at}/events?afterSequence=${from}&sort=sequence&limit=2`)).body;
    const next = await app.get(
      `${app.at}/events?afterSequence=${from}&sort=sequence&limit=2&cursor=${page.nextCursor}`,
    );
    assert.deepEqual([next.body.data.length, next.body.data[0].data.sid], [1, 'o3']);
    const one = await app.get(`${app.at}/events/${page.data[0].id}`);
    assert.deepEqual(one.body, page.data[0]);
  });

  test('are emitted as samples in a sandbox only', async () => {
    const { body } = await app.get(`${app.at}/webhook-event-types`);
    for (const { name } of body.data) {
      assert.equal((await app.post(`${app.at}/events/trigger`, { type: name })).status, 202, name);
    }
    assert.equal((await app.post(`${app.at}/events/trigger`, { type: 'no.such' })).status, 400);
    const live = await app.post(`${app.at}/events/trigger`, { type: 'test.ping' }, bearer(app.liveKey));
    assert.deepEqual([live.status, live.body.error.code], [422, 'CAPABILITY_UNAVAILABLE']);
  });
});
