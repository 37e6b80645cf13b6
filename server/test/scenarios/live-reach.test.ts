// An installation whose sandboxes may reach this machine. Nothing that acts in live may, by whichever way a tenant names
// a URL, neither when it is configured nor when it is called.
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, beforeEach, suite, test } from 'node:test';
import { newSid } from '../../src/platform/ids.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { emitAnything } from '../harness/events.ts';
import { startHostileProvider } from '../harness/hostile-provider.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { type MediaApp, startMediaApp } from '../harness/media.ts';
import { person } from '../harness/people.ts';
import { activate, activeProvider, stage } from '../harness/providers.ts';
import { ssoBrowser } from '../harness/sso-browser.ts';
import { inAccount, loopContext, onThisMachine, settle } from '../harness/webhooks.ts';

const lifetime = sharedLifetime();
let app: MediaApp;
let live: { authorization: string };
/** A server on this machine, and how often it was asked. */
let host: string;
let asked = 0;

before(async () => {
  app = await startMediaApp(lifetime, { role: 'api', env: onThisMachine });
  const scopes = ['media:read', 'media:write', 'webhooks:read', 'webhooks:write'];
  live = { authorization: `Bearer ${(await app.key(scopes, { livemode: true })).key}` };
  const server = http.createServer((_request, answer) => {
    asked += 1;
    answer.end('ok');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  lifetime.after(async () => {
    server.closeAllConnections();
    server.close();
  });
});
beforeEach(() => {
  asked = 0;
});

test('the outbound client keeps the environments apart, also where a sandbox has a connection open', async () => {
  const outbound = createOutbound({ allowPrivateAddresses: true });
  const call = (livemode: boolean) =>
    outbound.request({ livemode, url: host, method: 'GET', timeoutMs: 60_000 });
  assert.equal((await call(false)).ok, true);
  const refused = await call(true);
  assert.deepEqual([refused.ok, asked], [false, 1]);
  assert.equal(!refused.ok && refused.failure, 'blocked');
  await outbound.close();
});

suite('media by URL', () => {
  test('a sandbox may name this machine, live may not', async () => {
    assert.equal((await app.post(`${app.at}/media`, { url: host })).status, 202);
    for (const [url, issue] of [
      [host, 'The URL must use https.'],
      [host.replace('http:', 'https:'), 'The address is not public.'],
      ['https://localhost:8443/a.jpg', 'The host name is not public.'],
    ]) {
      const reply = await app.post(`${app.at}/media`, { url }, live);
      assert.deepEqual([reply.status, reply.body.error?.details], [400, [{ path: 'url', issue }]], url);
    }
  });

  test('what live already has stored is not fetched', async () => {
    const sid = newSid('ME', app.clock.now());
    await app.sql(
      `insert into media (account_sid, livemode, sid, direction, status, requested_type, source_url, expires_at,
         created_at, updated_at)
       values ($1, true, $2, 'OUTBOUND', 'PENDING', 'AUTO', $3, $4::timestamptz + interval '1 day', $4, $4)`,
      [app.accountSid, sid, host, app.clock.now()],
    );
    await app.runJob('media.fetch', { mediaSid: sid }, true);
    const { body } = await app.get(`${app.at}/media/${sid}`, live);
    assert.deepEqual([body.status, body.scan.reasons[0].code, asked], ['REJECTED', 'FETCH_FAILED', 0]);
  });
});

suite('webhooks', () => {
  async function liveEndpoint(): Promise<string> {
    const sid = newSid('WH', app.clock.now());
    await app.sql(
      `insert into webhook_endpoints (account_sid, livemode, sid, url, event_filters, api_version, timeout_ms,
         concurrency_cap, sealed_secret, verified_at, subscribed_after, created_at, updated_at)
       values ($1, true, $2, $3, '{}', '2026-08-21', 1000, 1, $4, $5, 0, $5, $5)`,
      [app.accountSid, sid, host, app.sealer.seal('s', `webhook secret:${sid}`), app.clock.now()],
    );
    await app.sql(
      'insert into webhook_lanes (account_sid, livemode, endpoint_sid, open) values ($1, true, $2, true)',
      [app.accountSid, sid],
    );
    return sid;
  }

  test('a live endpoint is neither made for this machine nor moved to it', async () => {
    const owner = await person(app, { livemode: true });
    const stepUpToken = await owner.stepUp('WEBHOOK_ENDPOINT_CREATE');
    const made = await app.post(`${app.at}/webhooks`, { url: host, stepUpToken }, live);
    assert.deepEqual([made.status, made.body.error.details[0].path], [400, 'url']);
    const moved = await app.patch(`${app.at}/webhooks/${await liveEndpoint()}`, { url: host }, live);
    assert.deepEqual([moved.status, moved.body.error.details[0].path], [400, 'url']);
  });

  test('a ping, a challenge, an event and the status callback of a message do not leave for it', async () => {
    const sid = await liveEndpoint();
    const ping = await app.post(`${app.at}/webhooks/${sid}/test`, undefined, live);
    assert.deepEqual([ping.status, ping.body.failure], [200, 'blocked']);
    assert.equal((await app.post(`${app.at}/webhooks/${sid}/verify`, undefined, live)).status, 422);
    await app.sql("insert into event_cursors values ($1, true, 'webhooks', 0) on conflict do nothing", [
      app.accountSid,
    ]);
    await app.sql(`update webhook_endpoints set event_filters = '{contact.created}' where sid = $1`, [sid]);
    await inAccount(app, (t) => emitAnything(t, 'contact.created', { sid: 'CT1' }), true);
    await inAccount(
      app,
      (t) => emitAnything(t, 'message.sent', { sid: 'SM1', statusCallbackSid: sid }),
      true,
    );
    await settle(await loopContext(app, lifetime));
    const tried = await app.sql<{ type: string; failure: string }>(
      `select d.event_type as type, a.failure from webhook_attempts a join webhook_deliveries d on d.sid = a.delivery_sid
        where d.endpoint_sid = $1 order by d.event_sequence`,
      [sid],
    );
    const types = ['test.ping', 'test.ping', 'contact.created', 'message.sent'];
    assert.deepEqual(
      tried,
      types.map((type) => ({ type, failure: 'blocked' })),
    );
    assert.equal(asked, 0);
  });
});

suite('identity providers', () => {
  const oidc = (issuer: string, more: object = {}) => ({
    protocol: 'OIDC',
    publicConfig: { issuer, clientId: 'godwit', ...more },
  });

  test('only one a sandbox makes for sandbox roles may stand on this machine', async () => {
    const sandboxOwner = await person(app);
    const liveOwner = await person(app, { livemode: true });
    const issuer = host.slice(0, -1);
    assert.equal((await stage(app, sandboxOwner, oidc(issuer))).status, 201);
    for (const [maker, more] of [
      [liveOwner, {}],
      [liveOwner, { roleEnvironment: 'sandbox' }],
      [sandboxOwner, { roleEnvironment: 'live' }],
      [sandboxOwner, { roleEnvironment: 'both' }],
    ] as const) {
      const reply = await stage(app, maker, oidc(issuer, more));
      assert.equal(reply.status, 400, JSON.stringify(more));
      assert.equal(reply.body.error.details[0].path, 'publicConfig.issuer');
    }
    const saml = { idpEntityId: 'idp', entryPoint: 'http://idp.example.com/', certificates: ['x'] };
    const reply = await stage(app, liveOwner, { protocol: 'SAML', publicConfig: saml });
    assert.deepEqual(reply.body.error.details[0], {
      path: 'publicConfig.entryPoint',
      issue: 'The URL must use https.',
    });
  });

  test('live neither verifies one nor signs in through one that a sandbox made', async () => {
    const sandboxOwner = await person(app);
    const liveOwner = await person(app, { livemode: true });
    const idp = await startHostileProvider(lifetime, () => app.clock.now());
    const staged = await stage(app, sandboxOwner, oidc(idp.issuer));
    const refused = await activate(app, liveOwner, staged.body.id);
    assert.equal(refused.status, 409, refused.text);
    assert.match(refused.body.error.details[0].issue, /discovery document cannot be used/);
    const { id } = await activeProvider(app, sandboxOwner, oidc(idp.issuer));
    const browser = ssoBrowser(app);
    assert.equal((await browser.request(browser.start(id, 'environment=sandbox'))).status, 302);
    assert.equal((await browser.request(browser.start(id, 'environment=live'))).status, 401);
  });
});
