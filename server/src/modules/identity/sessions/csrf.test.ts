import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { asBrowser, signIn, withPassword } from '../../../../test/harness/sign-in.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const outcome = ({ status, body }: Reply) => [status, body?.error?.code];
const invite = (headers: object) =>
  app.post(`${app.at}/users`, { email: `${crypto.randomUUID()}@example.com` }, headers);

suite('a write in a browser session', () => {
  test('needs the CSRF token of that very session', async () => {
    const ada = await withPassword(app);
    const one = asBrowser(await signIn(app, ada.email));
    const other = asBrowser(await signIn(app, ada.email));
    const { 'x-csrf-token': _, ...without } = one;
    for (const headers of [
      without,
      { ...one, 'x-csrf-token': '' },
      { ...one, 'x-csrf-token': 'A'.repeat(43) },
      { ...one, 'x-csrf-token': other['x-csrf-token'] },
      { ...one, 'x-csrf-token': `${one['x-csrf-token']}, ${one['x-csrf-token']}` },
    ]) {
      const reply = await invite(headers);
      assert.deepEqual(outcome(reply), [403, 'AUTHORIZATION_ERROR'], JSON.stringify(headers));
      assert.equal(reply.body.error.details[0].path, 'X-CSRF-Token');
    }
    assert.equal((await invite(one)).status, 201);
    assert.equal(await app.count("users where status = 'INVITED'"), 1);
  });

  test('from a page of another origin is refused even with the right token', async () => {
    const session = asBrowser(await signIn(app, (await withPassword(app)).email));
    for (const origin of ['https://evil.example', 'null', 'http://localhost', `${app.url}.evil.example`]) {
      assert.deepEqual(outcome(await invite({ ...session, origin })), [403, 'AUTHORIZATION_ERROR'], origin);
    }
    assert.equal((await invite({ ...session, origin: new URL(app.url).origin })).status, 201);
  });

  test('must be JSON, which a form of another site cannot send', async () => {
    const session = asBrowser(await signIn(app, (await withPassword(app)).email));
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const reply = await app.send('POST', `${app.at}/users`, {
        body: '{"email":"x@example.com"}',
        headers: { ...session, 'content-type': type },
      });
      assert.deepEqual(outcome(reply), [400, 'VALIDATION_ERROR'], type);
    }
  });

  test('every operation about oneself is guarded, sign-out included', async () => {
    const { 'x-csrf-token': _, ...without } = asBrowser(await signIn(app, (await withPassword(app)).email));
    for (const [method, path, body] of [
      ['POST', '/v1/auth/sign-out', undefined],
      ['PATCH', '/v1/auth/session', { environment: 'live' }],
      ['PATCH', '/v1/auth/profile', { displayName: 'Eve' }],
      ['POST', '/v1/auth/password/change', { currentPassword: 'x', newPassword: 'x'.repeat(12) }],
      ['DELETE', `/v1/auth/sessions/${crypto.randomUUID()}`, undefined],
    ] as const) {
      const reply = await app.send(method, path, { headers: without, ...(body && { body }) });
      assert.deepEqual(outcome(reply), [403, 'AUTHORIZATION_ERROR'], path);
    }
    assert.equal((await app.get('/v1/auth/session', without)).status, 200);
  });
});

test('a bearer request is judged by its bearer alone, whatever cookies come along', async () => {
  const ada = await withPassword(app, { roles: ['VIEWER'] });
  const session = asBrowser(await signIn(app, ada.email));
  const me = await app.get('/v1/me', { ...session, ...bearer(app.sandboxKey) });
  assert.equal(me.body.principal.type, 'api_key');
  const bad = await app.get('/v1/me', { ...session, authorization: 'Bearer nonsense' });
  assert.deepEqual(outcome(bad), [401, 'AUTHENTICATION_ERROR']);
  // The key may write without any CSRF token, since no browser adds it by itself.
  assert.equal((await invite({ cookie: session.cookie, ...bearer(app.sandboxKey) })).status, 201);
});

test('operations about oneself are for people: a key gets 403', async () => {
  for (const path of ['/v1/auth/session', '/v1/auth/sessions']) {
    assert.deepEqual(outcome(await app.get(path)), [403, 'AUTHORIZATION_ERROR']);
  }
  assert.deepEqual(outcome(await app.post('/v1/auth/sign-out')), [403, 'AUTHORIZATION_ERROR']);
});
