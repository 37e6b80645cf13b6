import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import {
  asBrowser,
  cookieOf,
  goodPassword,
  signIn,
  solve,
  withPassword,
} from '../../../../test/harness/sign-in.ts';
import { assertSameTime } from '../../../../test/harness/timing.ts';
import { hashesMade } from '../passwords/password-hash.ts';

let app: TestApp;
const endings: (() => Promise<void>)[] = [];
before(async () => {
  app = await startTestApp({ after: (work) => endings.push(work) });
});
after(async () => {
  for (const end of endings.reverse()) await end();
});
// Everybody here comes from one address: each test begins when the failures before it are forgotten.
beforeEach(() => app.clock.advance(20 * 60_000));

const outcome = ({ status, body }: Reply) => [status, body?.error?.code ?? body?.status];
const wrong = { password: 'not the password at all' };
/** What nobody may tell apart: everything but the request's own id. */
const seen = ({ status, headers, body }: Reply) => {
  const { requestId: _, ...error } = body.error;
  return { status, error, cookie: headers.get('set-cookie'), type: headers.get('content-type') };
};

const setPolicy = (organizationId: string, changes: Record<string, boolean | number>) => {
  const names = ['mfa_required_for_all_roles', 'password_login_enabled', 'sso_enforced'];
  const values = names.map((name) => changes[name] ?? name === 'password_login_enabled');
  return app.sql(
    `insert into auth_policies (organization_id, version, auto_disable_inactive_api_keys, mfa_required_for_all_roles,
       password_login_enabled, sso_enforced, recovery_revokes_mfa, session_absolute_timeout_hours,
       session_idle_timeout_minutes, updated_at, updated_by)
     values ($1, 2, false, $2, $3, $4, false, 24, 60, $5, 'test')
     on conflict (organization_id) do update set mfa_required_for_all_roles = $2, password_login_enabled = $3,
       sso_enforced = $4`,
    [organizationId, ...values, app.clock.now()],
  );
};

const strangerWithPassword = async (options: object = {}) =>
  withPassword(app, { accountSid: (await app.newAccount()).accountSid, ...options });

suite('a sign-in', () => {
  test('gives a session that may do what the roles say, and no more', async () => {
    const ada = await withPassword(app, { roles: ['VIEWER'] });
    const reply = await signIn(app, ada.email.toUpperCase());
    assert.deepEqual(outcome(reply), [200, 'signed_in']);
    assert.equal(reply.body.session.user.sid, ada.userSid);
    assert.equal((await app.get(`${app.at}/users`, asBrowser(reply))).status, 200);
    const invited = await app.post(`${app.at}/users`, { email: 'x@example.com' }, asBrowser(reply));
    assert.deepEqual(outcome(invited), [403, 'AUTHORIZATION_ERROR']);
  });

  test('stands in the live environment unless the sandbox is asked for', async () => {
    const ada = await withPassword(app);
    const live = await signIn(app, ada.email, { environment: undefined });
    assert.deepEqual([live.body.session.environment, live.body.session.livemode], ['live', true]);
    assert.equal((await signIn(app, ada.email)).body.session.environment, 'sandbox');
  });

  test('sets a cookie only this service over TLS gets back, and no cache keeps', async () => {
    const reply = await signIn(app, (await withPassword(app)).email);
    const cookie = reply.headers.get('set-cookie')!;
    assert.match(
      cookie,
      /^__Host-godwit-session=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=86400$/,
    );
    assert.equal(reply.headers.get('cache-control'), 'no-store');
  });

  test('always begins a new session, and ends the one the browser had', async () => {
    const ada = await withPassword(app);
    const first = await signIn(app, ada.email);
    const planted = `__Host-godwit-session=${'A'.repeat(43)}`;
    const second = await signIn(app, ada.email, {}, { cookie: `${planted}; ${cookieOf(first)}` });
    assert.notEqual(cookieOf(second), cookieOf(first));
    assert.notEqual(cookieOf(second), planted);
    const third = await signIn(app, ada.email, {}, { cookie: cookieOf(second) });
    assert.equal((await app.get('/v1/auth/session', asBrowser(second))).status, 401);
    assert.equal((await app.get('/v1/auth/session', asBrowser(third))).status, 200);
  });

  test('from a page of another site is refused', async () => {
    const ada = await withPassword(app);
    const foreign = await signIn(app, ada.email, {}, { origin: 'https://evil.example' });
    assert.deepEqual(outcome(foreign), [403, 'AUTHORIZATION_ERROR']);
    assert.equal((await signIn(app, ada.email, {}, { origin: new URL(app.url).origin })).status, 200);
  });

  test('is written down, and so is a failure', async () => {
    const ada = await withPassword(app);
    await signIn(app, ada.email, wrong);
    await signIn(app, ada.email);
    const entries = await app.sql<{ action: string; actor: string }>(
      'select action, actor from audit_entries where resource = $1 order by occurred_at, action',
      [ada.userSid],
    );
    assert.deepEqual(
      entries.map(({ action, actor }) => [action, actor]),
      [
        ['sign_in.failed', 'system:public'],
        ['sign_in.succeeded', `user:${ada.userSid}`],
      ],
    );
  });

  test('keeps a hash of another cost only until the password is next seen', async () => {
    const ada = await withPassword(app);
    const cheap = '$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$';
    const { argon2Sync } = await import('node:crypto');
    const parameters = {
      message: goodPassword,
      nonce: Buffer.alloc(16),
      memory: 8,
      passes: 1,
      parallelism: 1,
    };
    const tag = argon2Sync('argon2id', { ...parameters, tagLength: 32 })
      .toString('base64')
      .replace('=', '');
    await app.sql('update users set password_hash = $2 where sid = $1', [ada.userSid, cheap + tag]);
    assert.equal((await signIn(app, ada.email)).status, 200);
    const [row] = await app.sql<{ hash: string }>('select password_hash as hash from users where sid = $1', [
      ada.userSid,
    ]);
    assert.match(row!.hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.equal((await signIn(app, ada.email)).status, 200);
  });
});

suite('who there is', () => {
  const cases: Record<string, () => Promise<string>> = {
    'a wrong password': async () => (await withPassword(app)).email,
    'an unknown person': async () => 'nobody@example.com',
    'an address that cannot be one': async () => 'no address at all',
    'a deactivated user': async () => {
      const gone = await withPassword(app);
      await app.sql("update users set status = 'DEACTIVATED' where sid = $1", [gone.userSid]);
      return gone.email;
    },
    'a user who has no password': async () => {
      const sso = await withPassword(app);
      await app.sql('update users set password_hash = null where sid = $1', [sso.userSid]);
      return sso.email;
    },
  };

  test('cannot be told from the answer, nor from the hashing it costs', async () => {
    const answers: unknown[] = [];
    for (const [name, make] of Object.entries(cases)) {
      app.clock.advance(20 * 60_000);
      const email = await make();
      const password = name === 'a deactivated user' ? goodPassword : wrong.password;
      const before = hashesMade();
      const reply = await signIn(app, email, { password });
      assert.equal(hashesMade() - before, 1, name);
      assert.deepEqual(outcome(reply), [401, 'AUTHENTICATION_ERROR'], name);
      answers.push(seen(reply));
    }
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
  });

  test('cannot be told from the time: medians of unknown and known differ by few milliseconds', async () => {
    const { email } = await withPassword(app);
    const failure = async (who: string) => {
      app.clock.advance(20 * 60_000);
      await signIn(app, who, wrong);
    };
    // On a quiet machine they are below 2 ms apart; the bound leaves room for a busy one.
    await assertSameTime(
      15,
      () => failure(email),
      () => failure('nobody@example.com'),
    );
  });

  test('is counted alike: the challenge is asked for unknown people too', async () => {
    for (let i = 0; i < 5; i += 1) await signIn(app, 'ghost@example.com', wrong);
    assert.deepEqual(outcome(await signIn(app, 'ghost@example.com', wrong)), [401, 'CAPTCHA_REQUIRED']);
  });
});

suite('guessing', () => {
  const fail = async (email: string, times: number) => {
    for (let i = 0; i < times; i += 1) {
      assert.deepEqual(outcome(await signIn(app, email, wrong)), [401, 'AUTHENTICATION_ERROR']);
    }
  };

  test('is met with a challenge after 5 failures, which also the right password must bring', async () => {
    const { email } = await withPassword(app);
    await fail(email, 5);
    assert.deepEqual(outcome(await signIn(app, email)), [401, 'CAPTCHA_REQUIRED']);
    assert.deepEqual(outcome(await signIn(app, email, { captcha: await solve(app) })), [200, 'signed_in']);
    // A success ends it.
    assert.deepEqual(outcome(await signIn(app, email)), [200, 'signed_in']);
  });

  test('at many people from one address is met with a challenge, whatever else succeeds there', async () => {
    const { email } = await withPassword(app);
    for (let i = 0; i < 5; i += 1) {
      await fail(`spray-${i}@example.com`, 1);
      if (i < 4) assert.deepEqual(outcome(await signIn(app, email)), [200, 'signed_in']);
    }
    assert.deepEqual(outcome(await signIn(app, email)), [401, 'CAPTCHA_REQUIRED']);
  });

  test('is forgotten after a quarter of an hour', async () => {
    const { email } = await withPassword(app);
    await fail(email, 5);
    app.clock.advance(15 * 60_000);
    assert.deepEqual(outcome(await signIn(app, email)), [200, 'signed_in']);
  });

  test('a solved challenge works once, for 10 minutes, and only as it was given out', async () => {
    const { email } = await withPassword(app);
    await fail(email, 5);
    const captcha = await solve(app);
    assert.deepEqual(outcome(await signIn(app, email, { ...wrong, captcha })), [401, 'AUTHENTICATION_ERROR']);
    assert.deepEqual(outcome(await signIn(app, email, { captcha })), [401, 'CAPTCHA_INVALID']);
    const late = await solve(app);
    app.clock.advance(10 * 60_000);
    assert.deepEqual(outcome(await signIn(app, email, { captcha: late })), [401, 'CAPTCHA_INVALID']);
    const forged = JSON.parse(Buffer.from(await solve(app), 'base64').toString());
    forged.challenge.parameters.cost = 1;
    for (const bad of [
      Buffer.from(JSON.stringify(forged)).toString('base64'),
      'nonsense',
      '',
      Buffer.from('{"challenge":{"signature":"x"},"solution":{}}').toString('base64'),
      Buffer.from('null').toString('base64'),
    ]) {
      assert.deepEqual(outcome(await signIn(app, email, { captcha: bad })), [401, 'CAPTCHA_INVALID']);
    }
  });

  test('in parallel is no more guesses than one after the other', async () => {
    const { email } = await withPassword(app);
    const before = hashesMade();
    const replies = await Promise.all(Array.from({ length: 50 }, () => signIn(app, email, wrong)));
    assert.ok(hashesMade() - before <= 5, `${hashesMade() - before} guesses were judged`);
    for (const reply of replies) {
      assert.ok(
        ['AUTHENTICATION_ERROR', 'RATE_LIMITED', 'CAPTCHA_REQUIRED'].includes(reply.body.error.code),
        reply.text,
      );
      if (reply.status === 429) assert.equal(reply.headers.get('retry-after'), '1');
    }
  });

  test('two at a time does not slip past the challenge together', async () => {
    for (let round = 0; round < 5; round += 1) {
      app.clock.advance(20 * 60_000);
      const { email } = await withPassword(app);
      await fail(email, 4);
      const before = hashesMade();
      await Promise.all(Array.from({ length: 10 }, () => signIn(app, email, wrong)));
      assert.ok(hashesMade() - before <= 1, `${hashesMade() - before} guesses were judged`);
    }
  });

  test('with solved challenges still ends at 25 in a quarter of an hour', async () => {
    const { email } = await withPassword(app);
    await fail(email, 5);
    await app.sql("update attempt_counters set failures = 25 where subject like 'password:%'");
    const reply = await signIn(app, email, { captcha: await solve(app) });
    assert.deepEqual(outcome(reply), [429, 'RATE_LIMITED']);
  });
});

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
    await setPolicy(ada.organizationId, { password_login_enabled: false });
    assert.deepEqual(outcome(await signIn(app, ada.email)), [403, 'AUTHORIZATION_ERROR']);
    assert.deepEqual(outcome(await signIn(app, ada.email, wrong)), [401, 'AUTHENTICATION_ERROR']);
  });

  test('with single sign-on enforced only an owner with a second factor breaks the glass, on the record', async () => {
    const owner = await strangerWithPassword({ factor: 'totp' });
    const bare = await withPassword(app, { accountSid: owner.accountSid });
    const admin = await withPassword(app, { accountSid: owner.accountSid, roles: ['ADMIN'], factor: 'totp' });
    await setPolicy(owner.organizationId, { sso_enforced: true });
    assert.deepEqual(outcome(await signIn(app, admin.email)), [403, 'AUTHORIZATION_ERROR']);
    assert.deepEqual(outcome(await signIn(app, bare.email)), [403, 'AUTHORIZATION_ERROR']);
    assert.deepEqual(outcome(await signIn(app, owner.email)), [200, 'second_factor_required']);
    assert.equal(await app.count("audit_entries where action = 'sign_in.break_glass'"), 1);
  });

  test('that demands a second factor of all leaves who has none only the way to add one', async () => {
    const ada = await strangerWithPassword();
    await setPolicy(ada.organizationId, { mfa_required_for_all_roles: true });
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
