import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { person } from '../../../../test/harness/people.ts';
import { asBrowser, cookieOf, signIn, withPassword } from '../../../../test/harness/sign-in.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const outcome = ({ status, body }: Reply) => [status, body?.error?.code];
const minutes = 60_000;
const alive = async (headers: object) => (await app.get('/v1/auth/session', headers)).status === 200;

suite('a session', () => {
  test('tells its page who is signed in and what to send with writes', async () => {
    const ada = await withPassword(app);
    const reply = await signIn(app, ada.email);
    const own = await app.get('/v1/auth/session', asBrowser(reply));
    assert.deepEqual(own.body, reply.body.session);
    assert.equal(own.headers.get('cache-control'), 'no-store');
  });

  test('ends with sign-out, which takes the cookie away', async () => {
    const browser = asBrowser(await signIn(app, (await withPassword(app)).email));
    const out = await app.post('/v1/auth/sign-out', undefined, browser);
    assert.equal(out.status, 204);
    assert.match(out.headers.get('set-cookie')!, /^__Host-godwit-session-live=;.*-sandbox=;.*Max-Age=0$/);
    assert.deepEqual(outcome(await app.get('/v1/auth/session', browser)), [401, 'AUTHENTICATION_ERROR']);
  });

  test('ends after an hour without use, and lives on with it', async () => {
    const { headers } = await person(app);
    for (let i = 0; i < 3; i += 1) {
      app.clock.advance(59 * minutes);
      assert.ok(await alive(headers));
    }
    app.clock.advance(60 * minutes);
    assert.ok(!(await alive(headers)));
  });

  test('lives for its whole idle limit after its last use, however soon that followed another', async () => {
    const { headers } = await person(app);
    app.clock.advance(30_000);
    assert.ok(await alive(headers));
    app.clock.advance(1);
    assert.ok(await alive(headers));
    app.clock.advance(60 * minutes - 1);
    assert.ok(await alive(headers));
    app.clock.advance(60 * minutes);
    assert.ok(!(await alive(headers)));
  });

  test('ends after a day, however much it is used', async () => {
    const { headers } = await person(app);
    for (let hour = 0; hour < 47; hour += 1) {
      app.clock.advance(30 * minutes);
      assert.ok(await alive(headers), `after ${hour / 2} hours`);
    }
    app.clock.advance(30 * minutes);
    assert.ok(!(await alive(headers)));
  });

  test('is shortened by a policy at once and never lengthened', async () => {
    const { headers, organizationId } = await person(app, {
      accountSid: (await app.newAccount()).accountSid,
    });
    const policy = (hours: number, idle: number) =>
      app.sql(
        `insert into auth_policies values ($1, 2, false, false, true, false, $2, $3, false, now(), 'test')
         on conflict (organization_id) do update set session_absolute_timeout_hours = $2,
           session_idle_timeout_minutes = $3`,
        [organizationId, hours, idle],
      );
    await policy(2160, 1440);
    app.clock.advance(23 * 60 * minutes);
    assert.ok(await alive(headers));
    await policy(1, 1440);
    assert.ok(!(await alive(headers)));
    await policy(24, 15);
    app.clock.advance(15 * minutes);
    assert.ok(!(await alive(headers)));
    await policy(2160, 1440);
    app.clock.advance(60 * minutes);
    assert.ok(!(await alive(headers)), 'it was begun for 24 hours');
  });
});

suite('opening the other environment', () => {
  test('opens a session beside the first, with its own id, cookie and CSRF token', async () => {
    const before = await signIn(app, (await withPassword(app)).email);
    const switched = await app.patch('/v1/auth/session', { environment: 'live' }, asBrowser(before));
    assert.equal(switched.status, 200, switched.text);
    assert.equal(switched.body.environment, 'live');
    assert.notEqual(switched.body.id, before.body.session.id);
    assert.notEqual(switched.body.csrfToken, before.body.session.csrfToken);
    assert.ok(await alive(asBrowser(before)));
    assert.ok(await alive(asBrowser(switched)));
    const mixed = { ...asBrowser(switched), 'x-csrf-token': before.body.session.csrfToken };
    assert.equal((await app.post('/v1/auth/sign-out', undefined, mixed)).status, 403);
  });

  test('shows the other environment and hides the first', async () => {
    const ada = await withPassword(app);
    const sandbox = await signIn(app, ada.email);
    const keys = async (reply: Reply) =>
      (await app.get(`${app.at}/api-keys`, asBrowser(reply))).body.data.map(
        ({ livemode }: { livemode: boolean }) => livemode,
      );
    assert.ok((await keys(sandbox)).every((livemode: boolean) => !livemode));
    const live = await app.patch('/v1/auth/session', { environment: 'live' }, asBrowser(sandbox));
    assert.ok((await keys(live)).every((livemode: boolean) => livemode));
  });

  test('for the environment it has gives the session another id, cookie and CSRF token, and ends the old ones', async () => {
    const before = await signIn(app, (await withPassword(app)).email);
    const renewed = await app.patch('/v1/auth/session', { environment: 'sandbox' }, asBrowser(before));
    assert.notEqual(renewed.body.id, before.body.session.id);
    assert.ok(!(await alive(asBrowser(before))));
    assert.ok(await alive(asBrowser(renewed)));
  });

  test('replaces what this browser had open there', async () => {
    const ada = await withPassword(app);
    const live = await signIn(app, ada.email, { environment: 'live' });
    const sandbox = asBrowser(await signIn(app, ada.email));
    const both = { ...sandbox, cookie: `${sandbox.cookie}; ${cookieOf(live)}`, 'x-environment': 'sandbox' };
    const again = await app.patch('/v1/auth/session', { environment: 'live' }, both);
    assert.equal(again.status, 200, again.text);
    assert.ok(!(await alive(asBrowser(live))));
    assert.ok(await alive(asBrowser(again)));
    assert.ok(await alive(sandbox));
  });

  test('does not make the session last longer', async () => {
    const first = await signIn(app, (await withPassword(app)).email);
    app.clock.advance(50 * minutes);
    const second = await app.patch('/v1/auth/session', { environment: 'live' }, asBrowser(first));
    assert.equal(second.body.expiresAt, first.body.session.expiresAt);
    assert.match(second.headers.get('set-cookie')!, /Max-Age=83400$/);
  });
});

suite("one's own sessions", () => {
  test('are listed, newest first, and only those that are open', async () => {
    const ada = await withPassword(app);
    const first = await signIn(app, ada.email);
    app.clock.advance(1000);
    const second = await signIn(app, ada.email);
    await app.delete(`/v1/auth/sessions/${ada.sessionId}`, undefined, asBrowser(first));
    const list = (await app.get('/v1/auth/sessions', asBrowser(first))).body;
    assert.deepEqual(
      list.data.map(({ id, current }: { id: string; current: boolean }) => [id, current]),
      [
        [second.body.session.id, false],
        [first.body.session.id, true],
      ],
    );
    const page = (await app.get('/v1/auth/sessions?limit=1', asBrowser(first))).body;
    const rest = await app.get(`/v1/auth/sessions?limit=1&cursor=${page.nextCursor}`, asBrowser(first));
    assert.equal(rest.body.data[0].id, first.body.session.id);
    assert.ok(!('csrfToken' in list.data[0]));
  });

  test('can be ended one by one; those of others do not exist', async () => {
    const ada = await withPassword(app);
    const eve = await withPassword(app);
    const one = await signIn(app, ada.email);
    const two = await signIn(app, ada.email);
    const foreign = `/v1/auth/sessions/${one.body.session.id}`;
    const eves = asBrowser(await signIn(app, eve.email));
    assert.deepEqual(outcome(await app.delete(foreign, undefined, eves)), [404, 'NOT_FOUND']);
    assert.ok(await alive(asBrowser(one)));
    assert.equal((await app.delete(foreign, undefined, asBrowser(two))).status, 204);
    assert.ok(!(await alive(asBrowser(one))));
    const own = await app.delete(`/v1/auth/sessions/${two.body.session.id}`, undefined, asBrowser(two));
    assert.match(cookieOf(own), /=$/);
    assert.ok(!(await alive(asBrowser(two))));
  });
});

suite('ending every session of a user', () => {
  const path = (userSid: string) => `${app.at}/identity/users/${userSid}/sessions/revoke-all`;

  test('needs a second factor for exactly that, and works at once in both environments', async () => {
    const owner = await person(app);
    const ada = await withPassword(app);
    const live = await ada.signInAgain({ livemode: true });
    const refused = await app.post(path(ada.userSid), { stepUpToken: 'none' }, owner.headers);
    assert.deepEqual(outcome(refused), [403, 'STEP_UP_REQUIRED']);
    assert.deepEqual(refused.body.error.details, [{ path: 'stepUpAction', issue: 'USER_SESSIONS_REVOKE' }]);
    const stepUpToken = await owner.stepUp('USER_SESSIONS_REVOKE');
    const reply = await app.post(path(ada.userSid), { stepUpToken }, owner.headers);
    assert.deepEqual([reply.status, reply.body.revoked], [200, 2], reply.text);
    assert.ok(!(await alive(ada.headers)));
    assert.ok(!(await alive(live.headers)));
    assert.ok(await alive(owner.headers));
  });

  test('a key alone cannot; with the token of a person it can', async () => {
    const owner = await person(app);
    const ada = await withPassword(app);
    const alone = await app.post(path(ada.userSid), { stepUpToken: '' }, bearer(app.sandboxKey));
    assert.deepEqual(outcome(alone), [403, 'STEP_UP_REQUIRED']);
    const stepUpToken = await owner.stepUp('USER_SESSIONS_REVOKE');
    const both = await app.post(path(ada.userSid), { stepUpToken }, bearer(app.sandboxKey));
    assert.deepEqual([both.status, both.body.revoked], [200, 1], both.text);
  });

  test('takes a role on the whole organization', async () => {
    const local = await person(app, { roles: ['ADMIN'], scopeKind: 'ACCOUNT' });
    const ada = await withPassword(app);
    const stepUpToken = await local.stepUp('USER_SESSIONS_REVOKE');
    const reply = await app.post(path(ada.userSid), { stepUpToken }, local.headers);
    assert.deepEqual(outcome(reply), [403, 'AUTHORIZATION_ERROR']);
    assert.ok(await alive(ada.headers));
  });
});
