import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { asBrowser, cookieOf, signIn, withPassword } from '../../../../test/harness/sign-in.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const outcome = ({ status, body }: Reply) => [status, body?.error?.code, body?.error?.details?.[0]?.path];
const ambiguous = [400, 'VALIDATION_ERROR', 'X-Environment'];
const unknown = [401, 'AUTHENTICATION_ERROR', undefined];
const session = (headers: object) => app.get('/v1/auth/session', headers);
const environmentSeen = async (headers: object) => (await session(headers)).body.environment;

/** A browser with a session of each environment, and what a page of either sends. */
async function bothOpen() {
  const { email } = await withPassword(app);
  const live = asBrowser(await signIn(app, email, { environment: 'live' }));
  const sandbox = asBrowser(await signIn(app, email, {}, { cookie: live.cookie }));
  const cookie = `${live.cookie}; ${sandbox.cookie}`;
  return {
    email,
    cookie,
    live: { ...live, cookie, 'x-environment': 'live' },
    sandbox: { ...sandbox, cookie, 'x-environment': 'sandbox' },
  };
}

suite('a browser with a session of each environment', () => {
  test('reads and writes in the one its request names, each with its own CSRF token', async () => {
    const { live, sandbox } = await bothOpen();
    assert.deepEqual(await Promise.all([live, sandbox].map(environmentSeen)), ['live', 'sandbox']);
    const profile = (headers: object) => app.patch('/v1/auth/profile', { displayName: 'Ada' }, headers);
    assert.deepEqual([(await profile(live)).status, (await profile(sandbox)).status], [200, 200]);
    const crossed = { ...live, 'x-csrf-token': sandbox['x-csrf-token'] };
    assert.deepEqual(outcome(await profile(crossed)), [403, 'AUTHORIZATION_ERROR', 'X-CSRF-Token']);
    for (const [headers, livemode] of [
      [live, true],
      [sandbox, false],
    ] as const) {
      const { data } = (await app.get(`${app.at}/api-keys`, headers)).body;
      assert.ok(data.every((key: { livemode: boolean }) => key.livemode === livemode));
    }
  });

  test('is refused what names none, also when one of the two has ended', async () => {
    const { live, sandbox } = await bothOpen();
    const { 'x-environment': _, ...silent } = sandbox;
    assert.deepEqual(outcome(await session(silent)), ambiguous);
    const { id } = (await session(live)).body;
    assert.equal((await app.delete(`/v1/auth/sessions/${id}`, undefined, live)).status, 204);
    assert.deepEqual(outcome(await session(silent)), ambiguous);
    assert.deepEqual(outcome(await session(live)), unknown);
    assert.equal(await environmentSeen(sandbox), 'sandbox');
  });

  test('keeps one when it signs in to the other anew, and loses both when it signs out', async () => {
    const { email, live, sandbox, cookie } = await bothOpen();
    const again = await signIn(app, email, {}, { cookie });
    assert.equal(await environmentSeen(live), 'live');
    assert.deepEqual(outcome(await session(sandbox)), unknown);
    const held = { ...live, cookie: `${live.cookie.split(';')[0]}; ${cookieOf(again)}` };
    const out = await app.post('/v1/auth/sign-out', undefined, held);
    assert.equal(out.status, 204);
    assert.deepEqual(
      out.headers.getSetCookie().map((ended) => ended.split(';')[0]),
      ['__Host-godwit-session-live=', '__Host-godwit-session-sandbox=', '__Host-godwit-session='],
    );
    for (const environment of ['live', 'sandbox'])
      assert.deepEqual(outcome(await session({ ...held, 'x-environment': environment })), unknown);
  });
});

suite('a request that names an environment', () => {
  test('is not answered by a session of the other one', async () => {
    const { email } = await withPassword(app);
    const browser = asBrowser(await signIn(app, email));
    assert.deepEqual(outcome(await session({ ...browser, 'x-environment': 'live' })), unknown);
    const planted = { ...browser, cookie: browser.cookie.replace('-sandbox=', '-live=') };
    assert.deepEqual(outcome(await session({ ...planted, 'x-environment': 'live' })), unknown);
    assert.deepEqual(outcome(await session(planted)), unknown);
  });

  test('is refused with a key of the other one', async () => {
    const read = (environment: string) =>
      app.get('/v1/me', { ...bearer(app.sandboxKey), 'x-environment': environment });
    assert.equal((await read('sandbox')).status, 200);
    assert.deepEqual(outcome(await read('live')), [403, 'AUTHORIZATION_ERROR', 'X-Environment']);
  });

  test('must name one there is', async () => {
    const browser = asBrowser(await signIn(app, (await withPassword(app)).email));
    for (const named of ['', 'Live', 'live, sandbox', 'production', 'x'.repeat(4000)]) {
      assert.deepEqual(outcome(await session({ ...browser, 'x-environment': named })), ambiguous, named);
      assert.deepEqual(outcome(await app.get('/v1/me', { 'x-environment': named })), ambiguous, named);
    }
  });
});

suite('a session from before each environment had its cookie', () => {
  const former = ({ cookie, ...rest }: ReturnType<typeof asBrowser>) => ({
    ...rest,
    cookie: cookie.replace(/-(live|sandbox)=/, '='),
  });

  test('goes on in its own environment, whether that is named or not', async () => {
    const { email } = await withPassword(app);
    const browser = former(asBrowser(await signIn(app, email, { environment: 'live' })));
    assert.equal(await environmentSeen(browser), 'live');
    assert.equal(await environmentSeen({ ...browser, 'x-environment': 'live' }), 'live');
    assert.deepEqual(outcome(await session({ ...browser, 'x-environment': 'sandbox' })), unknown);
    const write = await app.patch('/v1/auth/profile', { displayName: 'Ada' }, browser);
    assert.equal(write.status, 200, write.text);
  });

  test('is replaced by a sign-in to its environment, and not by one to the other', async () => {
    const { email } = await withPassword(app);
    const browser = former(asBrowser(await signIn(app, email)));
    await signIn(app, email, { environment: 'live' }, { cookie: browser.cookie });
    assert.equal(await environmentSeen(browser), 'sandbox');
    await signIn(app, email, {}, { cookie: browser.cookie });
    assert.deepEqual(outcome(await session(browser)), unknown);
  });
});
