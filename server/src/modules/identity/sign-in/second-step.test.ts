import assert from 'node:assert/strict';
import { before, beforeEach, suite, test } from 'node:test';
import { type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { person } from '../../../../test/harness/people.ts';
import { activeProvider, suspend } from '../../../../test/harness/providers.ts';
import { asBrowser, setPolicy, signIn, withPassword } from '../../../../test/harness/sign-in.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});
// Everybody here comes from one address: each test begins when the failures before it are forgotten.
beforeEach(() => app.clock.advance(20 * 60_000));

const outcome = ({ status, body }: Reply) => [status, body?.error?.code ?? body?.status];
const wrong = { password: 'not the password at all' };

const strangerWithPassword = async (options: object = {}) =>
  withPassword(app, { accountSid: (await app.newAccount()).accountSid, ...options });

suite('the second step', () => {
  const begin = async (email: string) => {
    const reply = await signIn(app, email);
    assert.deepEqual(outcome(reply), [200, 'second_factor_required']);
    assert.equal(reply.headers.get('set-cookie'), null);
    return reply.body;
  };
  const finish = (signInToken: string, proof: object) =>
    app.post('/v1/auth/sign-in/second-factor', { signInToken, ...proof }, { authorization: undefined });
  const totp = (assertion: string) => ({ method: 'TOTP', assertion });

  test('is asked of whoever has a second factor, and gives the session', async () => {
    const ada = await withPassword(app, { factor: 'totp' });
    const { signInToken, methods, session } = await begin(ada.email);
    assert.deepEqual([methods, session], [['TOTP', 'RECOVERY_CODE'], null]);
    const reply = await finish(signInToken, totp(ada.totp!.code()));
    assert.deepEqual(outcome(reply), [200, 'signed_in']);
    assert.deepEqual(reply.body.session.methods, ['password', 'totp']);
    assert.equal((await app.get(`${app.at}/users`, asBrowser(reply))).status, 200);
  });

  test('takes its token once and within 10 minutes', async () => {
    const ada = await withPassword(app, { factor: 'totp' });
    const first = await begin(ada.email);
    assert.equal((await finish(first.signInToken, totp(ada.totp!.code()))).status, 200);
    app.clock.advance(60_000);
    const again = await finish(first.signInToken, totp(ada.totp!.code()));
    assert.deepEqual(outcome(again), [401, 'AUTHENTICATION_ERROR']);
    const second = await begin(ada.email);
    app.clock.advance(10 * 60_000);
    const late = await finish(second.signInToken, totp(ada.totp!.code()));
    assert.deepEqual(outcome(late), [401, 'AUTHENTICATION_ERROR']);
  });

  test('locks the method after 5 failures, for a quarter of an hour', async () => {
    const ada = await withPassword(app, { factor: 'totp' });
    const { signInToken } = await begin(ada.email);
    for (let i = 0; i < 5; i += 1) {
      assert.deepEqual(outcome(await finish(signInToken, totp('000000'))), [401, 'AUTHENTICATION_ERROR']);
    }
    const right = await finish(signInToken, totp(ada.totp!.code()));
    assert.deepEqual(outcome(right), [401, 'AUTHENTICATION_ERROR']);
    app.clock.advance(15 * 60_000);
    const { signInToken: later } = await begin(ada.email);
    assert.equal((await finish(later, totp(ada.totp!.code()))).status, 200);
  });

  test('gives a session that ends when what backs its factor is suspended, and no other does', async () => {
    const { accountSid } = await app.newAccount();
    const admin = await person(app, { accountSid });
    const provider = { protocol: 'TOTP', providerKey: 'totp', publicConfig: {} };
    const { id } = await activeProvider(app, admin, provider);
    const withFactor = async (options: object) => {
      const who = await withPassword(app, { factor: 'totp', ...options });
      const { signInToken } = await begin(who.email);
      return finish(signInToken, totp(who.totp!.code()));
    };
    const ada = await withFactor({ accountSid });
    const moved = await withFactor({ accountSid });
    const live = await app.patch('/v1/auth/session', { environment: 'live' }, asBrowser(moved));
    const plain = await signIn(app, (await withPassword(app, { accountSid })).email);
    const elsewhere = await withFactor({});
    const alive = async (reply: Reply) =>
      (await app.get('/v1/auth/session', asBrowser(reply))).status === 200;
    const all = [ada, live, plain, elsewhere];
    assert.deepEqual(await Promise.all(all.map(alive)), [true, true, true, true]);
    assert.equal((await suspend(app, admin, id)).status, 200);
    assert.deepEqual(await Promise.all(all.map(alive)), [false, false, true, true]);
    const [entry] = await app.sql<{ payload: string }>(
      "select payload from audit_entries where action = 'identity_provider.sessions_ended' and resource = $1",
      [id],
    );
    assert.equal(JSON.parse(entry!.payload).facts.sessions, 3);
  });

  test('a suspension during the second step leaves no session behind', async () => {
    const { accountSid } = await app.newAccount();
    const admin = await person(app, { accountSid });
    const provider = { protocol: 'TOTP', providerKey: 'totp', publicConfig: {} };
    const { id } = await activeProvider(app, admin, provider);
    const people: { token: string; code: string }[] = [];
    for (let i = 0; i < 8; i += 1) {
      const who = await withPassword(app, { accountSid, factor: 'totp' });
      people.push({ token: (await begin(who.email)).signInToken, code: who.totp!.code() });
    }
    const [suspended, ...replies] = await Promise.all([
      suspend(app, admin, id),
      ...people.map(({ token, code }) => finish(token, totp(code))),
    ]);
    assert.equal(suspended.status, 200, suspended.text);
    for (const reply of replies.filter(({ status }) => status === 200)) {
      assert.equal((await app.get('/v1/auth/session', asBrowser(reply))).status, 401);
    }
  });

  test('is still asked for when guessing has turned the factor off', async () => {
    const ada = await withPassword(app, { factor: 'totp' });
    await app.sql('update mfa_credentials set disabled_at = $2 where user_sid = $1', [
      ada.userSid,
      app.clock.now(),
    ]);
    const { methods, signInToken } = await begin(ada.email);
    assert.deepEqual(methods, ['RECOVERY_CODE']);
    assert.equal((await finish(signInToken, totp(ada.totp!.code()))).status, 401);
  });

  test('belongs to the one who began it', async () => {
    const ada = await withPassword(app, { factor: 'totp' });
    const eve = await withPassword(app, { factor: 'totp' });
    const { signInToken } = await begin(ada.email);
    assert.equal((await finish(signInToken, totp(eve.totp!.code()))).status, 401);
    assert.equal((await finish('A'.repeat(43), totp(ada.totp!.code()))).status, 401);
  });

  test('is worth nothing once the user is deactivated', async () => {
    const ada = await withPassword(app, { factor: 'totp' });
    const { signInToken } = await begin(ada.email);
    await app.sql("update users set status = 'DEACTIVATED' where sid = $1", [ada.userSid]);
    assert.equal((await finish(signInToken, totp(ada.totp!.code()))).status, 401);
  });
});

suite('the policy', () => {
  test('without passwords nobody signs in by one, and is told only after the right one', async () => {
    const ada = await strangerWithPassword({ factor: 'totp' });
    await setPolicy(app, ada.organizationId, { password_login_enabled: false });
    assert.deepEqual(outcome(await signIn(app, ada.email)), [403, 'AUTHORIZATION_ERROR']);
    assert.deepEqual(outcome(await signIn(app, ada.email, wrong)), [401, 'AUTHENTICATION_ERROR']);
  });

  test('with single sign-on enforced only an owner with a second factor breaks the glass, on the record', async () => {
    const owner = await strangerWithPassword({ factor: 'totp' });
    const bare = await withPassword(app, { accountSid: owner.accountSid });
    const admin = await withPassword(app, { accountSid: owner.accountSid, roles: ['ADMIN'], factor: 'totp' });
    await setPolicy(app, owner.organizationId, { sso_enforced: true });
    assert.deepEqual(outcome(await signIn(app, admin.email)), [403, 'AUTHORIZATION_ERROR']);
    assert.deepEqual(outcome(await signIn(app, bare.email)), [403, 'AUTHORIZATION_ERROR']);
    assert.deepEqual(outcome(await signIn(app, owner.email)), [200, 'second_factor_required']);
    assert.equal(await app.count("audit_entries where action = 'sign_in.break_glass'"), 1);
  });

  test('that demands a second factor of all leaves who has none only the way to add one', async () => {
    const ada = await strangerWithPassword();
    await setPolicy(app, ada.organizationId, { mfa_required_for_all_roles: true });
    const at = `/v1/accounts/${ada.accountSid}`;
    const reply = await signIn(app, ada.email);
    assert.equal(reply.body.session.enrollmentOnly, true);
    const browser = asBrowser(reply);
    assert.deepEqual(outcome(await app.get(`${at}/users`, browser)), [403, 'AUTHORIZATION_ERROR']);
    const me = (await app.get('/v1/me', browser)).body;
    assert.deepEqual(
      me.accounts.map(({ scopes }: { scopes: string[] }) => scopes),
      [['api:access']],
    );
    const enrollment = { method: 'TOTP', providerKey: 'totp' };
    assert.equal((await app.post(`${at}/identity/mfa/enrollments`, enrollment, browser)).status, 201);
    // Also a session that was open before the policy.
    assert.deepEqual(outcome(await app.get(`${at}/users`, ada.headers)), [403, 'AUTHORIZATION_ERROR']);
  });
});
