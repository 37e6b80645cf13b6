import assert from 'node:assert/strict';
import { before, beforeEach, suite, test } from 'node:test';
import type { Reply } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { assertLimitReached } from '../../../../test/harness/limits.ts';
import { type MailingApp, startMailingApp, tokenIn } from '../../../../test/harness/outbox.ts';
import { asBrowser, goodPassword, signIn, solve, withPassword } from '../../../../test/harness/sign-in.ts';
import { assertSameTime } from '../../../../test/harness/timing.ts';

let app: MailingApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startMailingApp(lifetime);
});
beforeEach(() => app.clock.advance(20 * 60_000));

const newPassword = 'an even better one than before';
const outcome = ({ status, body }: Reply) => [status, body?.error?.code];
const nobody = { authorization: undefined };
const forgot = (email: string, more: object = {}) =>
  app.post('/v1/auth/password/forgot', { email, ...more }, nobody);
const reset = (token: string, password = newPassword) =>
  app.post('/v1/auth/password/reset', { token, newPassword: password }, nobody);
const alive = async (headers: object) => (await app.get('/v1/auth/session', headers)).status === 200;

suite('changing a password', () => {
  const change = (headers: object, currentPassword = goodPassword, password = newPassword) =>
    app.post('/v1/auth/password/change', { currentPassword, newPassword: password }, headers);

  test('ends every other session and gives this one a new token', async () => {
    const ada = await withPassword(app);
    const here = asBrowser(await signIn(app, ada.email));
    const there = asBrowser(await signIn(app, ada.email));
    const reply = await change(here);
    assert.equal(reply.status, 200, reply.text);
    assert.ok(!(await alive(here)) && !(await alive(there)));
    assert.ok(await alive(asBrowser(reply)));
    assert.equal((await signIn(app, ada.email)).status, 401);
    assert.equal((await signIn(app, ada.email, { password: newPassword })).status, 200);
    assert.equal((await app.mailTo(ada.email)).subject, 'Your password was changed');
  });

  test('takes the current one, and does not let it be guessed', async () => {
    const ada = await withPassword(app);
    const browser = asBrowser(await signIn(app, ada.email));
    for (let i = 0; i < 5; i += 1) {
      const reply = await change(browser, 'a wrong password');
      assert.deepEqual(outcome(reply), [400, 'VALIDATION_ERROR']);
      assert.equal(reply.body.error.details[0].path, 'currentPassword');
    }
    app.clock.advance(60_000);
    assertLimitReached(await change(browser), {
      name: 'password-changes',
      policy: 'q=5;w=900',
      seconds: 840,
    });
  });

  test('refuses one that is tried first', async () => {
    const ada = await withPassword(app);
    const browser = asBrowser(await signIn(app, ada.email));
    for (const weak of ['Password1234!', 'qwerty123456', '987654321098', ada.email]) {
      assert.deepEqual(outcome(await change(browser, goodPassword, weak)), [400, 'VALIDATION_ERROR'], weak);
    }
  });
});

suite('recovering a password', () => {
  test('by the link in the mail, which works once, ends every session', async () => {
    const ada = await withPassword(app);
    const browser = asBrowser(await signIn(app, ada.email));
    assert.equal((await forgot(ada.email)).status, 202);
    const mail = await app.mailTo(ada.email);
    assert.ok(mail.text.includes(`${app.url}/console/password-reset#token=`));
    const reply = await reset(tokenIn(mail));
    assert.deepEqual([reply.status, reply.body.mfaRevoked], [200, false], reply.text);
    assert.ok(!(await alive(browser)));
    assert.equal((await signIn(app, ada.email, { password: newPassword })).status, 200);
    assert.deepEqual(outcome(await reset(tokenIn(mail))), [400, 'VALIDATION_ERROR']);
  });

  test('answers alike whoever asks, and mails nobody who is not there', async () => {
    const ada = await withPassword(app);
    const gone = await withPassword(app);
    await app.sql("update users set status = 'DEACTIVATED' where sid = $1", [gone.userSid]);
    const replies = [await forgot(ada.email), await forgot('ghost@example.com'), await forgot(gone.email)];
    for (const { status, text } of replies) assert.deepEqual([status, text], [202, replies[0]!.text]);
    await app.mailTo(ada.email);
    assert.equal((await app.mailsTo('ghost@example.com')).length, 0);
    assert.equal((await app.mailsTo(gone.email)).length, 0);
  });

  test('takes the same time whoever asks', async () => {
    const ada = await withPassword(app);
    const ask = async (email: string) => {
      app.clock.advance(20 * 60_000);
      await forgot(email);
    };
    await assertSameTime(
      10,
      () => ask(ada.email),
      () => ask('ghost@example.com'),
    );
  });

  test('the link ends after an hour, with a new password, and with the user', async () => {
    const ada = await withPassword(app);
    await forgot(ada.email);
    const late = tokenIn(await app.mailTo(ada.email));
    app.clock.advance(60 * 60_000);
    assert.deepEqual(outcome(await reset(late)), [400, 'VALIDATION_ERROR']);
    await forgot(ada.email);
    const first = tokenIn(await app.mailTo(ada.email, 2));
    await forgot(ada.email);
    const second = tokenIn(await app.mailTo(ada.email, 3));
    assert.equal((await reset(first)).status, 200);
    assert.deepEqual(outcome(await reset(second)), [400, 'VALIDATION_ERROR']);
  });

  test('mails one person at most 3 times in a quarter of an hour, and says nothing of it', async () => {
    const ada = await withPassword(app);
    for (let i = 0; i < 5; i += 1) assert.equal((await forgot(ada.email)).status, 202);
    assert.deepEqual(outcome(await forgot(ada.email)), [401, 'CAPTCHA_REQUIRED']);
    assert.equal((await forgot(ada.email, { captcha: await solve(app) })).status, 202);
    assert.equal(await app.count(`password_resets where user_sid = '${ada.userSid}'`), 3);
  });

  test('keeps second factors, or removes them where the policy says so', async () => {
    const ada = await withPassword(app, { accountSid: (await app.newAccount()).accountSid, factor: 'totp' });
    const recover = async (count: number) => {
      await forgot(ada.email);
      return reset(tokenIn(await app.mailTo(ada.email, count)), `${newPassword} ${count}`);
    };
    assert.equal((await recover(1)).body.mfaRevoked, false);
    const kept = await signIn(app, ada.email, { password: `${newPassword} 1` });
    assert.equal(kept.body.status, 'second_factor_required');
    await app.sql(
      `insert into auth_policies values ($1, 2, false, false, true, true, 24, 60, false, now(), 'test')`,
      [ada.organizationId],
    );
    await app.mailTo(ada.email, 2); // the notice of the first change
    assert.equal((await recover(3)).body.mfaRevoked, true);
    const removed = await signIn(app, ada.email, { password: `${newPassword} 3` });
    assert.equal(removed.body.status, 'signed_in', removed.text);
    assert.equal(await app.count(`mfa_credentials where user_sid = '${ada.userSid}'`), 0);
  });
});
