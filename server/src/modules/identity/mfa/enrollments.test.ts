import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../../test/harness/people.ts';
import { totpCode } from './totp.ts';

const minute = 60_000;
let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const begin = (who: { headers: object }, more: object = {}) =>
  app.post(
    `${app.at}/identity/mfa/enrollments`,
    { method: 'TOTP', providerKey: 'totp', displayName: 'Phone', ...more },
    who.headers,
  );
type Begun = { id: string; ceremonyRef: string; totp: { secret: string; uri: string } };
const complete = (who: { headers: object }, { id, ceremonyRef, totp }: Begun, more: object = {}) =>
  app.post(
    `${app.at}/identity/mfa/enrollments/${id}/complete`,
    { ceremonyRef, response: totpCode(totp.secret, app.clock.now()), ...more },
    who.headers,
  );
const newcomer = () => person(app, { factor: 'none' });
const credentials = (who: Person) => app.count(`mfa_credentials where user_sid = '${who.userSid}'`);

test('an authenticator app is enrolled and the first factor brings ten recovery codes, told once', async () => {
  const who = await newcomer();
  const begun = await begin(who);
  assert.equal(begun.status, 201, begun.text);
  assert.ok(begun.body.totp.uri.includes(begun.body.totp.secret));
  assert.equal(await credentials(who), 0);
  const done = await complete(who, begun.body);
  assert.equal(done.status, 201, done.text);
  assert.equal(done.body.recoveryCodes.length, 10);
  const listed = await app.get(`${app.at}/identity/mfa/credentials`, who.headers);
  assert.deepEqual(
    listed.body.data.map(({ id, method, displayName }: Record<string, unknown>) => [id, method, displayName]),
    [[done.body.id, 'TOTP', 'Phone']],
  );
  const second = (await begin(who)).body;
  assert.equal((await complete(who, second)).body.recoveryCodes, null);
});

test('the secret is stored sealed', async () => {
  const who = await newcomer();
  const { body } = await begin(who);
  await complete(who, body);
  const rows = await app.sql<{ text: string }>(
    `select e::text as text from mfa_enrollments e where user_sid = $1
      union all select c::text from mfa_credentials c where user_sid = $1`,
    [who.userSid],
  );
  const hex = Buffer.from(body.totp.secret).toString('hex');
  assert.equal(rows.length, 2);
  for (const { text } of rows) assert.ok(!text.includes(body.totp.secret) && !text.includes(hex));
});

test('the code that proved the app proves nothing else', async () => {
  const who = await newcomer();
  const { body } = await begin(who);
  await complete(who, body);
  const assertion = totpCode(body.totp.secret, app.clock.now());
  const proof = { action: 'API_KEY_CREATE', method: 'TOTP', assertion };
  assert.equal((await app.post(`${app.at}/identity/step-up`, proof, who.headers)).status, 401);
});

test('a wrong answer adds nothing and may be corrected; a completed enrollment is over', async () => {
  const who = await newcomer();
  const { body } = await begin(who);
  const wrong = await complete(who, body, { response: '000000' });
  assert.deepEqual([wrong.status, wrong.body.error.details[0].path], [400, 'response']);
  const foreign = await complete(who, body, { ceremonyRef: 'another' });
  assert.deepEqual([foreign.status, foreign.body.error.details[0].path], [400, 'ceremonyRef']);
  assert.equal(await credentials(who), 0);
  assert.equal((await complete(who, body)).status, 201);
  assert.equal((await complete(who, body)).status, 409);
  assert.equal(await credentials(who), 1);
});

test('of 20 completions at once one adds a factor', async () => {
  const who = await newcomer();
  const { body } = await begin(who);
  const replies = await Promise.all(Array.from({ length: 20 }, () => complete(who, body)));
  assert.equal(replies.filter(({ status }) => status === 201).length, 1);
  assert.equal(await credentials(who), 1);
});

test('an enrollment ends after five minutes, and belongs to the session that began it', async () => {
  const who = await newcomer();
  const { body } = await begin(who);
  assert.equal((await complete(await who.signInAgain(), body)).status, 404);
  assert.equal((await complete(await newcomer(), body)).status, 404);
  app.clock.advance(5 * minute);
  assert.equal((await complete(who, body)).status, 404);
});

test('the same request sent twice begins one enrollment, and only its maker is told the secret again', async () => {
  const who = await newcomer();
  const key = { 'idempotency-key': 'enroll-1' };
  const first = await begin({ headers: { ...who.headers, ...key } });
  const again = await begin({ headers: { ...who.headers, ...key } });
  assert.deepEqual(again.body, first.body);
  const other = await newcomer();
  assert.notEqual((await begin({ headers: { ...other.headers, ...key } })).body.id, first.body.id);
});

test('whoever has a factor proves it in the same session before adding another', async () => {
  const who = await person(app);
  const taken = await who.signInAgain();
  const refused = await begin(taken);
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'STEP_UP_REQUIRED']);
  assert.deepEqual(refused.body.error.details, [{ path: 'stepUpAction', issue: 'MFA_ENROLLMENT_CREATE' }]);
  await who.stepUp('MFA_ENROLLMENT_CREATE', taken.headers);
  const begun = await begin(taken);
  assert.equal(begun.status, 201);
  assert.equal((await complete(taken, begun.body)).status, 201);
  assert.equal((await begin(who)).status, 403);
});

test('a session taken over before there was a factor cannot add one after', async () => {
  const who = await newcomer();
  const taken = await who.signInAgain();
  const waiting = (await begin(taken)).body;
  assert.equal((await complete(who, (await begin(who)).body)).status, 201);
  assert.equal((await complete(taken, waiting)).body.error.code, 'STEP_UP_REQUIRED');
  assert.equal(await credentials(who), 1);
});

test('a factor that was turned off still guards against adding another', async () => {
  const who = await person(app);
  await app.sql('update mfa_credentials set disabled_at = $1 where user_sid = $2', [
    app.clock.now(),
    who.userSid,
  ]);
  assert.equal((await begin(who)).body.error.code, 'STEP_UP_REQUIRED');
});

test('a factor comes from a provider of its kind that is active', async () => {
  const { accountSid } = await app.newAccount();
  const who = await person(app, { accountSid, factor: 'none' });
  const path = `/v1/accounts/${accountSid}/identity/mfa/enrollments`;
  const tryWith = async (method: string, providerKey: string) =>
    (await app.post(path, { method, providerKey }, who.headers)).status;
  const configure = (key: string, protocol: string, state: string) =>
    app.sql(
      `insert into identity_providers (id, organization_id, protocol, provider_key, public_config, state, reason,
         created_by, created_at, updated_at)
       values (gen_random_uuid(), $1, $2, $3, '{}', $4, 'test', 'test', $5, $5)
       on conflict (organization_id, provider_key) do update set state = excluded.state`,
      [who.organizationId, protocol, key, state, app.clock.now()],
    );
  assert.equal(await tryWith('TOTP', 'totp'), 201);
  assert.equal(await tryWith('WEBAUTHN', 'passkey'), 201);
  assert.equal(await tryWith('TOTP', 'passkey'), 400);
  assert.equal(await tryWith('WEBAUTHN', 'tokens'), 400);
  for (const [state, expected] of [
    ['STAGED', 400],
    ['VERIFIED', 400],
    ['ACTIVE', 201],
    ['SUSPENDED', 400],
  ] as const) {
    await configure('tokens', 'WEBAUTHN', state);
    assert.equal(await tryWith('WEBAUTHN', 'tokens'), expected, state);
  }
  await configure('passkey', 'WEBAUTHN', 'STAGED');
  assert.equal(await tryWith('WEBAUTHN', 'passkey'), 201);
  await configure('passkey', 'WEBAUTHN', 'SUSPENDED');
  assert.equal(await tryWith('WEBAUTHN', 'passkey'), 400);
  await configure('totp', 'OIDC', 'SUSPENDED');
  assert.equal(await tryWith('TOTP', 'totp'), 201);
});
