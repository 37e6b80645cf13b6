import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { emitAnything } from '../../../../test/harness/events.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { person } from '../../../../test/harness/people.ts';
import { freePort } from '../../../../test/harness/ports.ts';
import {
  createEndpoint,
  inAccount,
  loopContext,
  onThisMachine,
  settle,
  startReceiver,
  verifiedEndpoint,
} from '../../../../test/harness/webhooks.ts';
import type { LoopContext } from '../../../platform/jobs/claim-loop.ts';
import { hostileUrls } from '../../../platform/outbound/outbound.test-data.ts';
import { closeDeliveries } from './jobs.ts';
import { findStatusCallbacks } from './status-callbacks.ts';

let app: TestApp;
let context: LoopContext;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { env: onThisMachine });
  context = await loopContext(app, lifetime);
});

const happen = (type = 'contact.created', data: object = { object: 'contact', sid: 'CT1' }) =>
  inAccount(app, (t) => emitAnything(t, type, data));
const hook = 'https://hook.example/in';

suite('creating an endpoint', () => {
  test('needs a second factor from everybody, also from an API key', async () => {
    const owner = await person(app);
    for (const headers of [{}, owner.headers]) {
      const reply = await app.post(`${app.at}/webhooks`, { url: hook }, headers);
      assert.deepEqual([reply.status, reply.body.error.code], [403, 'STEP_UP_REQUIRED']);
      const details = [{ path: 'stepUpAction', issue: 'WEBHOOK_ENDPOINT_CREATE' }];
      assert.deepEqual(reply.body.error.details, details);
    }
    const stepUpToken = await owner.stepUp('WEBHOOK_ENDPOINT_CREATE');
    assert.equal((await app.post(`${app.at}/webhooks`, { url: hook, stepUpToken })).status, 201);
  });

  test('shows the secret once and stores it sealed', async () => {
    const { sid, secret, path } = await createEndpoint(app, hook);
    assert.match(secret, /^whsec_[A-Za-z0-9_-]{43}$/);
    assert.equal((await app.get(path)).body.secret, undefined);
    const [row] = await app.sql<{ text: string }>(
      'select e::text as text from webhook_endpoints e where sid = $1',
      [sid],
    );
    const hex = Buffer.from(secret).toString('hex');
    assert.ok(!row!.text.includes(secret) && !row!.text.includes(hex));
  });

  test('has settings one can leave out', async () => {
    const { path } = await createEndpoint(app, hook);
    const { body } = await app.get(path);
    assert.deepEqual(
      [body.status, body.eventFilters, body.apiVersion, body.timeoutMs, body.concurrencyCap],
      ['unverified', [], '2026-08-21', 10_000, 32],
    );
  });

  test('accepts a filter that matches nothing known, and says so', async () => {
    const eventFilters = ['message.*', 'order.shipped', '*', 'consent.recorded', 'messages.*'];
    const { path } = await createEndpoint(app, hook, { eventFilters });
    const issue = 'matches no event type known today';
    assert.deepEqual((await app.get(path)).body.warnings, [
      { path: 'eventFilters[1]', issue },
      { path: 'eventFilters[4]', issue },
    ]);
  });

  test('names every wrong setting at once', async () => {
    const stepUpToken = await (await person(app)).stepUp('WEBHOOK_ENDPOINT_CREATE');
    const wrong = {
      url: 'ftp://hook.example/',
      apiVersion: '2020-01-01',
      eventFilters: Array(101).fill('*'),
      stepUpToken,
    };
    const reply = await app.post(`${app.at}/webhooks`, wrong);
    assert.deepEqual(
      reply.body.error.details.map(({ path }: { path: string }) => path),
      ['url', 'apiVersion', 'eventFilters'],
    );
  });

  test('is refused beyond a hundred of them, also when two are made at once', async () => {
    const account = await app.newAccount();
    const owner = await person(app, { accountSid: account.accountSid });
    await app.sql(
      `insert into webhook_endpoints (account_sid, livemode, sid, url, event_filters, api_version, timeout_ms,
         concurrency_cap, sealed_secret, created_at, updated_at)
       select $1, false, 'WH' || n, 'https://x.example/', '{}', '2026-08-21', 1000, 1, '', now(), now()
         from generate_series(1, 99) n`,
      [account.accountSid],
    );
    const tokens = await Promise.all([1, 2].map(() => owner.stepUp('WEBHOOK_ENDPOINT_CREATE')));
    const replies = await Promise.all(
      tokens.map((stepUpToken) =>
        app.post(`/v1/accounts/${account.accountSid}/webhooks`, { url: hook, stepUpToken }, owner.headers),
      ),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409]);
  });
});

suite('a URL that leads inside', () => {
  test(`is refused when an endpoint is made or moved: ${hostileUrls.length} ways of writing one`, async () => {
    // No switch of development counts in the live environment.
    const owner = await person(app, { livemode: true });
    const stepUpToken = await owner.stepUp('WEBHOOK_ENDPOINT_CREATE');
    const made = await app.post(`${app.at}/webhooks`, { url: hook, stepUpToken }, owner.headers);
    const move = await owner.stepUp('WEBHOOK_URL_CHANGE');
    const again = await owner.stepUp('WEBHOOK_ENDPOINT_CREATE');
    const written = hostileUrls.map((url) => url.replaceAll('PORT', '8443'));
    assert.ok(written.length >= 60);
    for (const url of written) {
      const created = await app.post(`${app.at}/webhooks`, { url, stepUpToken: again }, owner.headers);
      const moved = await app.patch(
        `${app.at}/webhooks/${made.body.sid}`,
        { url, stepUpToken: move },
        owner.headers,
      );
      for (const reply of [created, moved]) {
        assert.deepEqual([reply.status, reply.body.error.code], [400, 'VALIDATION_ERROR'], url);
        assert.equal(reply.body.error.details[0].path, 'url');
      }
    }
  });
});

suite('verification', () => {
  test('an endpoint receives nothing before it', async (test) => {
    const receiver = await startReceiver(test);
    await createEndpoint(app, receiver.url);
    await happen();
    await settle(context);
    assert.deepEqual(receiver.received, []);
  });

  for (const [how, answer] of [
    ['the whole body', (challenge: string) => challenge],
    ['the whole body, ending its line', (challenge: string) => `${challenge}\n`],
    ['a JSON member', (challenge: string) => JSON.stringify({ challenge, more: 1 })],
  ] as const) {
    test(`succeeds with the challenge as ${how}`, async (test) => {
      const receiver = await startReceiver(test, ({ event }, response) =>
        response.end(answer(event.data.challenge)),
      );
      const { path } = await createEndpoint(app, receiver.url);
      const reply = await app.post(`${path}/verify`);
      assert.deepEqual([reply.status, reply.body.status], [200, 'active'], reply.text);
      assert.equal(receiver.received[0]!.event.type, 'test.ping');
    });
  }

  for (const [how, status, body] of [
    ['another string', 200, () => 'nonsense'],
    ['nothing', 200, () => ''],
    ['the challenge and more', 200, (challenge: string) => `${challenge} ok`],
    ['201', 201, (challenge: string) => challenge],
    ['500', 500, (challenge: string) => challenge],
    ['a redirect', 302, (challenge: string) => challenge],
    ['JSON null', 200, () => 'null'],
    ['the challenge in an array', 200, (challenge: string) => JSON.stringify([challenge])],
  ] as const) {
    test(`fails with ${how}, and says why`, async (test) => {
      const receiver = await startReceiver(test, ({ event }, response) => {
        response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body(event.data.challenge));
      });
      const { path } = await createEndpoint(app, receiver.url);
      const reply = await app.post(`${path}/verify`);
      assert.deepEqual([reply.status, reply.body.error.code], [422, 'WEBHOOK_DELIVERY_ERROR']);
      assert.ok(reply.body.error.details[0].issue.length > 10);
      assert.equal((await app.get(path)).body.status, 'unverified');
    });
  }

  test('of an address that moved meanwhile does not count', async (test) => {
    const receiver = await startReceiver(test);
    const { path } = await createEndpoint(app, receiver.url);
    receiver.answer = async ({ event }, response) => {
      await app.patch(path, { url: hook });
      response.end(event.data.challenge);
    };
    const reply = await app.post(`${path}/verify`);
    assert.deepEqual([reply.status, reply.body.error.code], [409, 'CONFLICT']);
    assert.equal((await app.get(path)).body.status, 'unverified');
  });

  test('begins the subscription: what happened before is not sent', async (test) => {
    const receiver = await startReceiver(test);
    await createEndpoint(app, receiver.url);
    await happen('contact.created');
    await verifiedEndpoint(app, receiver.url);
    await happen('contact.updated');
    await settle(context);
    assert.deepEqual(
      receiver.events().map(({ event }) => event.type),
      ['contact.updated'],
    );
  });

  test('asked for twice with one key is asked of the endpoint once', async (test) => {
    const receiver = await startReceiver(test);
    const { path } = await createEndpoint(app, receiver.url);
    const key = { 'idempotency-key': `verify-${path}` };
    const first = await app.post(`${path}/verify`, undefined, key);
    const again = await app.post(`${path}/verify`, undefined, key);
    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.equal(receiver.received.length, 1);
  });
});

suite('a changed URL', () => {
  test('asks a person for a second factor, and a key for nothing', async () => {
    const { path } = await createEndpoint(app, hook);
    const owner = await person(app);
    const refused = await app.patch(path, { url: `${hook}/2` }, owner.headers);
    assert.deepEqual(refused.body.error.details, [{ path: 'stepUpAction', issue: 'WEBHOOK_URL_CHANGE' }]);
    assert.equal((await app.patch(path, { timeoutMs: 2000 }, owner.headers)).status, 200);
    const stepUpToken = await owner.stepUp('WEBHOOK_URL_CHANGE');
    assert.equal((await app.patch(path, { url: `${hook}/2`, stepUpToken }, owner.headers)).status, 200);
    assert.equal((await app.patch(path, { url: `${hook}/3` })).status, 200);
  });

  test('gets nothing before its own challenge succeeds, and then what waited', async (test) => {
    const [old, moved] = [await startReceiver(test), await startReceiver(test)];
    const { path } = await verifiedEndpoint(app, old.url);
    await app.patch(path, { url: moved.url });
    await happen('contact.merged');
    await settle(context);
    assert.deepEqual([old.events(), moved.events()], [[], []]);
    assert.equal((await app.get(`${path}/deliveries`)).body.data[0].state, 'pending');
    await app.post(`${path}/verify`);
    await settle(context);
    assert.deepEqual(
      [old.events().length, moved.events().map(({ event }) => event.type)],
      [0, ['contact.merged']],
    );
  });
});

suite('resuming', () => {
  const suspend = (sid: string) =>
    app.sql('update webhook_endpoints set verified_at = $2, suspended_at = $2 where sid = $1', [
      sid,
      app.clock.now(),
    ]);

  test('a suspended endpoint asks a person for a second factor, and a key for nothing', async () => {
    const { sid, path } = await createEndpoint(app, hook);
    const owner = await person(app);
    await suspend(sid);
    const key = { 'idempotency-key': 'resume-suspended' };
    const refused = await app.post(`${path}/resume`, undefined, { ...owner.headers, ...key });
    assert.deepEqual(
      [refused.status, refused.body.error.details],
      [403, [{ path: 'stepUpAction', issue: 'WEBHOOK_ENDPOINT_REENABLE' }]],
    );
    assert.equal((await app.get(path)).body.status, 'suspended');
    const token = { 'x-step-up-token': await owner.stepUp('WEBHOOK_ENDPOINT_REENABLE') };
    const resumed = await app.post(`${path}/resume`, undefined, { ...owner.headers, ...key, ...token });
    assert.deepEqual([resumed.status, resumed.body.status], [200, 'active']);
    await suspend(sid);
    const again = await app.post(`${path}/resume`, undefined, { ...owner.headers, ...token });
    assert.equal(again.body.error.code, 'STEP_UP_REQUIRED');
    assert.equal((await app.post(`${path}/resume`)).body.status, 'active');
  });

  test('one that is only paused asks nobody', async () => {
    const { path } = await createEndpoint(app, hook);
    const owner = await person(app);
    await app.post(`${path}/pause`);
    assert.equal((await app.post(`${path}/resume`, undefined, owner.headers)).body.pausedAt, null);
  });
});

suite('a pause', () => {
  test('keeps what happens and lets it flow on resume, in order', async (test) => {
    const receiver = await startReceiver(test);
    const { path } = await verifiedEndpoint(app, receiver.url, { concurrencyCap: 1 });
    assert.equal((await app.post(`${path}/pause`)).body.status, 'paused');
    const types = ['contact.created', 'contact.updated', 'contact.merged'];
    for (const type of types) await happen(type);
    await settle(context);
    assert.deepEqual(receiver.events(), []);
    assert.equal((await app.post(`${path}/resume`)).body.status, 'active');
    await settle(context);
    assert.deepEqual(
      receiver.events().map(({ event }) => event.type),
      types,
    );
  });
  test('twice is one pause, and resuming what runs changes nothing', async () => {
    const { path } = await createEndpoint(app, hook);
    const first = await app.post(`${path}/pause`);
    app.clock.advance(1000);
    assert.equal((await app.post(`${path}/pause`)).body.pausedAt, first.body.pausedAt);
    assert.equal((await app.post(`${path}/resume`)).body.pausedAt, null);
    assert.equal((await app.post(`${path}/resume`)).status, 200);
  });
});

suite('a disabled endpoint', () => {
  test('gets nothing, can do nothing, and keeps its log', async (test) => {
    const receiver = await startReceiver(test);
    const { path, sid } = await verifiedEndpoint(app, receiver.url);
    await app.post(`${path}/pause`);
    await happen();
    await settle(context);
    assert.equal((await app.delete(path)).status, 204);
    assert.equal((await app.delete(path)).status, 204);
    assert.equal(
      await app.count(`graphile_worker.jobs where task_identifier = '${closeDeliveries.name}'`),
      1,
    );
    const work = { write: (job: never) => inAccount(app, job), signal: AbortSignal.abort() };
    // A worker that stops may not end the job, which would never be run again.
    await assert.rejects(closeDeliveries.run(work as never, { endpointSid: sid }));
    const other = { ...work, signal: new AbortController().signal };
    await closeDeliveries.run(other as never, { endpointSid: sid });
    await happen();
    await settle(context);
    assert.deepEqual(receiver.events(), []);
    const { data } = (await app.get(`${path}/deliveries?eventId=${await lastEvent(2)}`)).body;
    assert.deepEqual(
      [data.length, data[0].state, data[0].error.code],
      [1, 'failed', 'WEBHOOK_DELIVERY_ERROR'],
    );
    assert.equal((await app.get(path)).body.status, 'disabled');
    for (const move of [
      'pause',
      'resume',
      'verify',
      'test',
      'secret/rotate',
      'secret/end-overlap',
      'deliveries/retry',
    ]) {
      const body = move.endsWith('retry') ? { state: 'failed' } : move.endsWith('rotate') ? {} : undefined;
      const reply = await app.post(`${path}/${move}`, body);
      assert.deepEqual([reply.status, reply.body.error.code], [409, 'CONFLICT'], move);
    }
    assert.equal((await app.patch(path, { timeoutMs: 2000 })).status, 409);
  });
  /** The event before the last ones. */
  const lastEvent = async (back: number) =>
    (
      await app.sql<{ sid: string }>(
        'select sid from events where account_sid = $1 order by sequence desc limit 1 offset $2',
        [app.accountSid, back - 1],
      )
    )[0]!.sid;
});

suite('a test', () => {
  const testOf = async (url: string, settings: object = {}) => {
    const { path } = await createEndpoint(app, url, { timeoutMs: 30_000, ...settings });
    const reply = await app.post(`${path}/test`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  test('tells that all is well, shows what was sent, and stands in the log', async (test) => {
    const receiver = await startReceiver(test, (_received, response) =>
      response.writeHead(202).end('thanks'),
    );
    const { path } = await createEndpoint(app, receiver.url);
    const { body } = await app.post(`${path}/test`);
    assert.deepEqual(
      [body.delivered, body.status, body.failure, body.problems, body.answer, body.tls],
      [true, 202, null, [], 'thanks', 'none'],
    );
    assert.equal(body.request.body, receiver.received[0]!.raw);
    assert.equal(
      body.request.headers['x-service-signature'],
      receiver.received[0]!.headers['x-service-signature'],
    );
    const logged = (await app.get(`${path}/deliveries/${body.deliverySid}`)).body;
    assert.deepEqual([logged.state, logged.attempts.length, logged.eventType], ['delivered', 1, 'test.ping']);
    assert.equal(
      (await app.get(`${app.at}/events/${body.eventSid}`)).body.data.endpointSid,
      body.endpointSid,
    );
  });
  test('says what was wrong', async (test) => {
    const slow = await startReceiver(test, () => {});
    const broken = await startReceiver(test, (_received, response) => response.writeHead(500).end('boom'));
    const cases = [
      [await testOf(slow.url, { timeoutMs: 1000 }), 'timeout', /in time/],
      [await testOf(broken.url), 'status', /500 instead of 2xx/],
      [await testOf(`http://127.0.0.1:${await freePort()}/`), 'connect', /connection/],
      [await testOf('https://no-such-name.invalid/'), 'dns', /resolved/],
    ];
    for (const [body, failure, words] of cases) {
      assert.deepEqual([body.delivered, body.failure], [false, failure]);
      assert.match(body.problems[0], words as RegExp);
    }
  });
  test('goes to its endpoint only, and is not tried again', async (test) => {
    const [asked, other] = [await startReceiver(test), await startReceiver(test)];
    await verifiedEndpoint(app, other.url);
    const { path } = await verifiedEndpoint(app, asked.url);
    asked.answer = (_received, response) => response.writeHead(500).end();
    await app.post(`${path}/test`);
    await settle(context);
    app.clock.advance(3_600_000);
    await settle(context);
    assert.deepEqual([asked.received.length, other.received.length], [2, 1]);
  });
});

suite('a status callback', () => {
  const named = async (callback: { url: string } | { sid: string }) =>
    (await inAccount(app, (t) => findStatusCallbacks(t, [callback])))[0];
  test('must be a verified endpoint of the account', async (test) => {
    const receiver = await startReceiver(test);
    const { sid } = await verifiedEndpoint(app, receiver.url);
    const waiting = await createEndpoint(app, 'https://unverified.example/');
    assert.equal(await named({ sid }), sid);
    assert.equal(await named({ url: receiver.url }), sid);
    for (const other of [
      { sid: waiting.sid },
      { url: 'https://unverified.example/' },
      { url: `${receiver.url}?x` },
      { sid: 'WH00000000000000000000000000' },
    ]) {
      assert.equal(await named(other), null);
    }
    await app.delete(`${app.at}/webhooks/${sid}`);
    assert.equal(await named({ sid }), null);
  });
  test('hears of its message whatever it subscribes to, once, and of no other', async (test) => {
    const receiver = await startReceiver(test);
    const { sid } = await verifiedEndpoint(app, receiver.url, { eventFilters: ['message.failed'] });
    await happen('message.sent', { object: 'message', sid: 'SM1', statusCallbackSid: sid });
    await happen('message.sent', { object: 'message', sid: 'SM2', statusCallbackSid: null });
    await happen('message.failed', { object: 'message', sid: 'SM3', statusCallbackSid: sid });
    await happen('contact.created', { object: 'contact', sid: 'CT1', statusCallbackSid: sid });
    await settle(context);
    assert.deepEqual(
      receiver.events().map(({ event }) => event.data.sid),
      ['SM1', 'SM3'],
    );
  });
});

test('a key of another environment cannot see the endpoint', async () => {
  const { path } = await createEndpoint(app, hook);
  assert.equal((await app.get(path, bearer(app.liveKey))).status, 404);
});
