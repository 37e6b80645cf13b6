import assert from 'node:assert/strict';
import { before, beforeEach, suite, test } from 'node:test';
import { type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { assertLimitReached } from '../../../../test/harness/limits.ts';
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
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
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
      /^__Host-godwit-session-sandbox=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=86400$/,
    );
    assert.equal(reply.headers.get('cache-control'), 'no-store');
  });

  test('always begins a new session, and ends the one the browser had', async () => {
    const ada = await withPassword(app);
    const first = await signIn(app, ada.email);
    const planted = `__Host-godwit-session-sandbox=${'A'.repeat(43)}`;
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
    // On a busy machine some find no free connection to the database in time, which is no guess either.
    const refusals = ['AUTHENTICATION_ERROR', 'RATE_LIMITED', 'CAPTCHA_REQUIRED', 'INTERNAL_TEMPORARY_ERROR'];
    for (const reply of replies) {
      assert.ok(refusals.includes(reply.body.error.code), reply.text);
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
    app.clock.advance(5 * 60_000);
    const reply = await signIn(app, email, { captcha: await solve(app) });
    assertLimitReached(reply, { name: 'sign-ins', policy: 'q=25;w=900', seconds: 600 });
    app.clock.advance(600_000);
    assert.deepEqual(outcome(await signIn(app, email)), [200, 'signed_in']);
  });
});
