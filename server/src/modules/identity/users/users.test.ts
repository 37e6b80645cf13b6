import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, type Reply } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { assertLimitReached } from '../../../../test/harness/limits.ts';
import { type MailingApp, startMailingApp, tokenIn } from '../../../../test/harness/outbox.ts';
import { person } from '../../../../test/harness/people.ts';
import { asBrowser, goodPassword, signIn, withPassword } from '../../../../test/harness/sign-in.ts';

let app: MailingApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startMailingApp(lifetime);
});

const outcome = ({ status, body }: Reply) => [status, body?.error?.code];
const newEmail = () => `${crypto.randomUUID()}@example.com`;
const invite = (body: object, headers: object = {}) => app.post(`${app.at}/users`, body, headers);
const accept = (token: string, more: object = {}) =>
  app.post(
    '/v1/auth/invitations/accept',
    { token, password: goodPassword, displayName: 'Ada Lovelace', ...more },
    { authorization: undefined },
  );
const actions = async (resource: string) =>
  (
    await app.sql<{ action: string }>(
      'select action from audit_entries where resource = $1 order by action',
      [resource],
    )
  ).map(({ action }) => action);

suite('an invitation', () => {
  test('is mailed, accepted with a name and a password, and then the person signs in', async () => {
    const email = newEmail();
    const invited = await invite({ email, locale: 'fr' });
    assert.equal(invited.status, 201, invited.text);
    assert.equal(invited.headers.get('location'), `${app.at}/users/${invited.body.sid}`);
    assert.equal(invited.body.status, 'INVITED');
    const mail = await app.mailTo(email);
    assert.equal(mail.subject, 'Vous êtes invité à rejoindre Test');
    assert.ok(mail.text.includes(`${app.url}/console/invitation#token=`), mail.text);
    const joined = await accept(tokenIn(mail));
    assert.deepEqual(
      [joined.status, joined.body.status, joined.body.displayName, joined.body.invitation],
      [200, 'ACTIVE', 'Ada Lovelace', null],
      joined.text,
    );
    assert.equal((await signIn(app, email)).status, 200);
    assert.deepEqual(await actions(invited.body.sid), ['sign_in.succeeded', 'user.invited', 'user.joined']);
  });

  test('leaves its token neither in the queue nor in the database', async () => {
    const email = newEmail();
    await invite({ email });
    const token = tokenIn(await app.mailTo(email));
    const jobs = JSON.stringify(await app.sql('select * from graphile_worker._private_jobs'));
    const rows = JSON.stringify(await app.sql('select * from invitations'));
    assert.ok(!jobs.includes(token) && !rows.includes(token) && token.length === 43);
  });

  test('works once, also when it is accepted many times at once', async () => {
    const email = newEmail();
    await invite({ email });
    const token = tokenIn(await app.mailTo(email));
    const replies = await Promise.all(Array.from({ length: 6 }, () => accept(token)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      assert.ok(['VALIDATION_ERROR', 'RATE_LIMITED'].includes(reply.body.error.code), reply.text);
    }
    const again = await accept(token);
    assert.deepEqual(outcome(again), [400, 'VALIDATION_ERROR']);
    assert.equal(again.body.error.details[0].path, 'token');
  });

  test('ends after 7 days', async () => {
    const email = newEmail();
    await invite({ email });
    const token = tokenIn(await app.mailTo(email));
    app.clock.advance(7 * 86_400_000);
    assert.deepEqual(outcome(await accept(token)), [400, 'VALIDATION_ERROR']);
  });

  test('sent again has a new link, and the old one ends', async () => {
    const email = newEmail();
    const { sid } = (await invite({ email })).body;
    const first = tokenIn(await app.mailTo(email));
    app.clock.advance(20_000);
    assertLimitReached(await app.post(`${app.at}/users/${sid}/invitation`), {
      name: 'invitation-mails',
      policy: 'q=1;w=60',
      seconds: 40,
    });
    app.clock.advance(40_000);
    assert.equal((await app.post(`${app.at}/users/${sid}/invitation`)).status, 200);
    const second = tokenIn(await app.mailTo(email, 2));
    assert.notEqual(second, first);
    assert.deepEqual(outcome(await accept(first)), [400, 'VALIDATION_ERROR']);
    assert.equal((await accept(second)).status, 200);
    assert.deepEqual(outcome(await app.post(`${app.at}/users/${sid}/invitation`)), [409, 'CONFLICT']);
  });

  test('withdrawn leads nowhere, and leaves nothing of the person but the audit entry', async () => {
    const email = newEmail();
    const { sid } = (await invite({ email })).body;
    const token = tokenIn(await app.mailTo(email));
    assert.equal((await app.delete(`${app.at}/users/${sid}/invitation`)).status, 204);
    assert.deepEqual(outcome(await accept(token)), [400, 'VALIDATION_ERROR']);
    assert.deepEqual(outcome(await app.get(`${app.at}/users/${sid}`)), [404, 'NOT_FOUND']);
    assert.equal(await app.count(`users where email = '${email}'`), 0);
    assert.equal((await invite({ email })).status, 201);
  });

  test('twice to one address is a conflict in one organization and nobody’s business in another', async () => {
    const email = newEmail();
    const first = await invite({ email });
    assert.deepEqual(outcome(await invite({ email: email.toUpperCase() })), [409, 'CONFLICT']);
    const other = await app.newAccount();
    const second = await app.post(
      `/v1/accounts/${other.accountSid}/users`,
      { email },
      bearer(other.sandboxKey),
    );
    const shape = ({ status, body }: Reply) => [status, Object.keys(body), body.status, body.email];
    assert.deepEqual(shape(second), shape(first));
  });

  test('to an address that has a password elsewhere is told so only to who reads that mailbox', async () => {
    const email = newEmail();
    await invite({ email });
    assert.equal((await accept(tokenIn(await app.mailTo(email)))).status, 200);
    const other = await app.newAccount();
    await app.post(`/v1/accounts/${other.accountSid}/users`, { email }, bearer(other.sandboxKey));
    const second = await accept(tokenIn(await app.mailTo(email, 2)));
    assert.deepEqual(outcome(second), [409, 'CONFLICT']);
  });

  test('into an organization without passwords sets none', async () => {
    const { accountSid, sandboxKey } = await app.newAccount();
    const email = newEmail();
    await app.post(`/v1/accounts/${accountSid}/users`, { email }, bearer(sandboxKey));
    const token = tokenIn(await app.mailTo(email));
    const policy = (passwords: boolean, sso: boolean) =>
      app.sql(
        `insert into auth_policies
         select organization_id, 2, false, false, $2, false, 24, 60, $3, now(), 'test' from accounts where sid = $1
         on conflict (organization_id) do update set password_login_enabled = $2, sso_enforced = $3`,
        [accountSid, passwords, sso],
      );
    for (const [passwords, sso] of [
      [false, false],
      [true, true],
    ] as const) {
      await policy(passwords, sso);
      assert.deepEqual(outcome(await accept(token)), [403, 'AUTHORIZATION_ERROR']);
    }
    await policy(true, false);
    assert.equal((await accept(token)).status, 200);
  });

  test('refuses what could end a mail header, and passwords tried first', async () => {
    for (const email of [
      'a@example.com\r\nBcc: b@example.com',
      'a b@example.com',
      '<a@example.com>',
      'a@b@c.d',
    ]) {
      assert.deepEqual(outcome(await invite({ email })), [400, 'VALIDATION_ERROR'], email);
    }
    const named = await invite({ email: newEmail(), displayName: 'Ada\r\nBcc: b@example.com' });
    assert.deepEqual(outcome(named), [400, 'VALIDATION_ERROR']);
    const email = newEmail();
    await invite({ email });
    const token = tokenIn(await app.mailTo(email));
    for (const password of [
      'short',
      'password1234',
      '123456789012',
      'aaaaaaaaaaaa',
      `${email.split('@')[0]}1`,
    ]) {
      const reply = await accept(token, { password });
      assert.deepEqual(outcome(reply), [400, 'VALIDATION_ERROR'], password);
      assert.equal(reply.body.error.details[0].path, 'password');
    }
    assert.equal((await accept(token)).status, 200);
  });
});

suite('users', () => {
  test('are listed, found and filtered within their organization, in either environment', async () => {
    const { sid } = (await invite({ email: newEmail() })).body;
    const list = await app.get(`${app.at}/users?status=INVITED&limit=100`, bearer(app.liveKey));
    assert.ok(list.body.data.some((user: { sid: string }) => user.sid === sid));
    assert.ok(list.body.data.every(({ status }: { status: string }) => status === 'INVITED'));
    assert.equal((await app.get(`${app.at}/users/${sid}`, bearer(app.liveKey))).body.sid, sid);
    const first = (await app.get(`${app.at}/users?limit=1`)).body;
    const next = (await app.get(`${app.at}/users?limit=1&cursor=${first.nextCursor}`)).body;
    assert.ok(next.data[0].sid < first.data[0].sid);
  });

  test('change their own name and language, and nobody else’s', async () => {
    const ada = await withPassword(app);
    const browser = asBrowser(await signIn(app, ada.email));
    const reply = await app.patch('/v1/auth/profile', { displayName: 'Ada', locale: 'fr' }, browser);
    assert.deepEqual([reply.status, reply.body.displayName, reply.body.locale], [200, 'Ada', 'fr']);
    assert.deepEqual(outcome(await app.patch('/v1/auth/profile', { displayName: 'Key' })), [
      403,
      'AUTHORIZATION_ERROR',
    ]);
  });

  test('see themselves and the accounts they reach at /v1/me', async () => {
    const ada = await withPassword(app, { roles: ['VIEWER'] });
    const me = await app.get('/v1/me', asBrowser(await signIn(app, ada.email)));
    assert.equal(me.status, 200, me.text);
    assert.deepEqual(
      [me.body.principal, me.body.accountSid, me.body.user.sid, me.body.livemode],
      [{ type: 'user', ref: ada.userSid }, null, ada.userSid, false],
    );
    assert.deepEqual(
      me.body.accounts.map(({ accountSid }: { accountSid: string }) => accountSid),
      [app.accountSid],
    );
    assert.ok(me.body.accounts[0].scopes.includes('users:read'));
    const key = await app.get('/v1/me');
    assert.deepEqual(
      [key.body.accountSid, 'user' in key.body, 'accounts' in key.body],
      [app.accountSid, false, false],
    );
    const nobody = await withPassword(app, { roles: [] });
    const bare = await app.get('/v1/me', asBrowser(await signIn(app, nobody.email)));
    assert.deepEqual([bare.status, bare.body.accounts], [200, []]);
  });
});

suite('deactivation', () => {
  const deactivate = (sid: string, headers: object = {}) =>
    app.post(`${app.at}/users/${sid}/deactivate`, { reason: 'Left' }, headers);

  test('ends sessions and roles at once, and a sign-in afterwards fails', async () => {
    const owner = await person(app);
    const ada = await withPassword(app, { roles: ['ADMIN'] });
    const browser = asBrowser(await signIn(app, ada.email));
    const reply = await deactivate(ada.userSid, owner.headers);
    assert.deepEqual([reply.status, reply.body.status], [200, 'DEACTIVATED'], reply.text);
    assert.deepEqual(outcome(await app.get('/v1/auth/session', browser)), [401, 'AUTHENTICATION_ERROR']);
    assert.deepEqual(outcome(await signIn(app, ada.email)), [401, 'AUTHENTICATION_ERROR']);
    const bindings = `role_bindings where principal_ref = '${ada.userSid}' and revoked_at is null`;
    assert.equal(await app.count(bindings), 0);
    assert.deepEqual(await actions(ada.userSid), ['sign_in.failed', 'sign_in.succeeded', 'user.deactivated']);
    assert.equal((await deactivate(ada.userSid, owner.headers)).status, 200, 'a second time changes nothing');
  });

  test('is undone by reactivation, without the roles', async () => {
    const ada = await withPassword(app, { roles: ['ADMIN'] });
    await deactivate(ada.userSid);
    const back = await app.post(`${app.at}/users/${ada.userSid}/reactivate`);
    assert.deepEqual([back.status, back.body.status], [200, 'ACTIVE'], back.text);
    const browser = asBrowser(await signIn(app, ada.email));
    assert.deepEqual(outcome(await app.get(`${app.at}/users`, browser)), [403, 'AUTHORIZATION_ERROR']);
  });

  test('of an owner takes an owner', async () => {
    const owner = await person(app);
    const other = await person(app);
    const admin = await person(app, { roles: ['ADMIN'] });
    assert.deepEqual(outcome(await deactivate(other.userSid, admin.headers)), [403, 'AUTHORIZATION_ERROR']);
    assert.deepEqual(outcome(await deactivate(other.userSid)), [403, 'AUTHORIZATION_ERROR']);
    assert.equal((await deactivate(other.userSid, owner.headers)).status, 200);
  });

  test('takes a role on the whole organization', async () => {
    const local = await person(app, { roles: ['ADMIN'], scopeKind: 'ACCOUNT' });
    const ada = await withPassword(app, { roles: ['VIEWER'] });
    assert.deepEqual(outcome(await deactivate(ada.userSid, local.headers)), [403, 'AUTHORIZATION_ERROR']);
  });

  test('never takes the last owner, also when two owners remove each other at once', async () => {
    const { accountSid } = await app.newAccount();
    const one = await person(app, { accountSid });
    const two = await person(app, { accountSid });
    const at = `/v1/accounts/${accountSid}/users`;
    const replies = await Promise.all([
      app.post(`${at}/${two.userSid}/deactivate`, { reason: 'You' }, one.headers),
      app.post(`${at}/${one.userSid}/deactivate`, { reason: 'No, you' }, two.headers),
    ]);
    // The slower one finds the other the last owner, or finds itself without a role or a session already.
    const [done, refused] = replies.map(({ status }) => status).sort();
    assert.equal(done, 200);
    assert.ok([401, 403, 409].includes(refused!), String(refused));
    const left = await app.count(
      `users where status = 'ACTIVE' and sid in ('${one.userSid}', '${two.userSid}')`,
    );
    assert.equal(left, 1);
  });

  test('of who has not accepted yet is a conflict', async () => {
    const { sid } = (await invite({ email: newEmail() })).body;
    assert.deepEqual(outcome(await deactivate(sid)), [409, 'CONFLICT']);
  });
});
