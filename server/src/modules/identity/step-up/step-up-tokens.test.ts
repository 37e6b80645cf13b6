import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../../test/harness/people.ts';
import { silentLog } from '../../../platform/observability/logging.ts';
import { sweepCeremonies } from '../mfa/crons.ts';

const minute = 60_000;
let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const makeKey = (headers: object, stepUpToken: string) =>
  app.post(`${app.at}/api-keys`, { name: 'By hand', scopes: ['contacts:read'], stepUpToken }, headers);
const reset = async (headers: object, stepUpToken: string) => {
  const { userSid } = await person(app, { roles: ['VIEWER'] });
  return app.post(`${app.at}/identity/users/${userSid}/mfa/reset`, { stepUpToken }, headers);
};
const exchange = (who: Person, headers: object = {}) =>
  app.post(
    `${app.at}/identity/step-up`,
    { action: 'API_KEY_CREATE', method: 'TOTP', assertion: who.totp!.code() },
    { ...who.headers, ...headers },
  );

suite('a token', () => {
  test('opens its action once, also when 50 requests bring it at once', async () => {
    const owner = await person(app);
    const token = await owner.stepUp('API_KEY_CREATE');
    const before = await app.count('api_keys');
    const replies = await Promise.all(Array.from({ length: 50 }, () => makeKey(owner.headers, token)));
    const statuses = replies.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array(49).fill(403)]);
    assert.equal(await app.count('api_keys'), before + 1);
  });

  test('is good for five minutes and not a moment longer', async () => {
    const owner = await person(app);
    const [first, second] = [await owner.stepUp('API_KEY_CREATE'), await owner.stepUp('API_KEY_CREATE')];
    app.clock.advance(5 * minute - 1);
    assert.equal((await makeKey(owner.headers, first)).status, 201);
    app.clock.advance(1);
    assert.equal((await makeKey(owner.headers, second)).status, 403);
  });

  test('is as good as before when its action was refused for another reason', async () => {
    const owner = await person(app);
    const stepUpToken = await owner.stepUp('API_KEY_CREATE');
    const asked = { name: 'Too much', scopes: ['nobody:holds'], stepUpToken };
    assert.equal(
      (await app.post(`${app.at}/api-keys`, asked, owner.headers)).body.error.code,
      'AUTHORIZATION_ERROR',
    );
    assert.equal((await makeKey(owner.headers, stepUpToken)).status, 201);
  });

  test('is stored only as a hash', async () => {
    const owner = await person(app);
    const token = await owner.stepUp('API_KEY_CREATE');
    assert.match(token, /^[A-Za-z0-9_-]{43}$/);
    const hex = Buffer.from(token).toString('hex');
    const [row] = await app.sql<{ text: string }>(
      'select k::text as text from step_up_tokens k where user_sid = $1',
      [owner.userSid],
    );
    assert.ok(!row!.text.includes(token) && !row!.text.includes(hex));
  });

  test('is told again to whoever repeats the exchange, and the code is spent once', async () => {
    const owner = await person(app);
    const key = { 'idempotency-key': 'exchange-1' };
    const first = await exchange(owner, key);
    const again = await exchange(owner, key);
    assert.deepEqual([again.status, again.body], [201, first.body]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal((await exchange(owner)).status, 401);
  });

  test('ends with the sign-out of its session', async () => {
    const owner = await person(app);
    const token = await owner.stepUp('MFA_RESET');
    const { key } = await app.key(['roles:write']);
    assert.equal((await app.post('/v1/auth/sign-out', undefined, owner.headers)).status, 204);
    assert.equal((await reset(bearer(key), token)).body.error.code, 'STEP_UP_REQUIRED');
  });
});

test('every action the contract names can be exchanged, and no other', async () => {
  const owner = await person(app);
  for (const action of [
    'API_KEY_CREATE',
    'API_KEY_ROTATE',
    'WEBHOOK_ENDPOINT_CREATE',
    'WEBHOOK_URL_CHANGE',
    'WEBHOOK_SECRET_ROTATE',
    'WEBHOOK_ENDPOINT_REENABLE',
    'LEGAL_HOLD_RELEASE',
    'RETENTION_POLICY_CHANGE',
  ]) {
    assert.match(await owner.stepUp(action), /^[A-Za-z0-9_-]{43}$/);
  }
  const made = { action: 'LEGAL_HOLD', method: 'TOTP', assertion: owner.totp!.code() };
  assert.equal((await app.post(`${app.at}/identity/step-up`, made, owner.headers)).status, 400);
});

test('what is wrong with a request is said before its second factor is asked for', async () => {
  const owner = await person(app);
  const expiresAt = '2001-01-01T00:00:00Z';
  const wrong: [string, object, string][] = [
    ['webhooks', { url: 'https://127.0.0.1/hook' }, 'url'],
    ['api-keys', { name: 'Old', scopes: ['contacts:read'], expiresAt }, 'expiresAt'],
    ['wabas', { name: 'Depot', accessToken: 'for-live-only' }, 'accessToken'],
    [
      'identity/providers',
      { protocol: 'TOTP', providerKey: 'odd', publicConfig: { digits: 8 }, reason: 'x' },
      'publicConfig.digits',
    ],
    [
      'role-bindings',
      { principalType: 'USER', principalRef: owner.userSid, role: 'VIEWER', scopeKind: 'INBOX' },
      'inboxSid',
    ],
  ];
  for (const [path, body, field] of wrong) {
    const { status, body: answer } = await app.post(`${app.at}/${path}`, body, owner.headers);
    const paths = answer.error.details.map(({ path: named }: { path: string }) => named);
    assert.deepEqual([status, paths], [400, [field]], path);
  }
});

suite('an API key', () => {
  test('presents the token of a person of its account, and the audit names both', async () => {
    const owner = await person(app);
    const token = await owner.stepUp('MFA_RESET');
    const { key, id } = await app.key(['roles:write']);
    assert.equal((await reset(bearer(key), token)).status, 200);
    const [entry] = await app.sql<{ actor: string; payload: string }>(
      "select actor, payload from audit_entries where action = 'step_up.used' order by sequence desc limit 1",
    );
    const { facts } = JSON.parse(entry!.payload);
    assert.deepEqual(
      [entry!.actor, facts.userSid, facts.sessionId, facts.action, facts.method],
      [`api_key:${id}`, owner.userSid, owner.sessionId, 'MFA_RESET', 'TOTP'],
    );
  });

  test('of the other environment cannot', async () => {
    const owner = await person(app);
    const token = await owner.stepUp('MFA_RESET');
    const { key } = await app.key(['roles:write'], { livemode: true });
    assert.equal((await reset(bearer(key), token)).body.error.code, 'STEP_UP_REQUIRED');
  });
});

test('what can no longer be used is swept after a day, and nothing else', async () => {
  const owner = await person(app);
  await owner.stepUp('API_KEY_CREATE');
  app.clock.advance(23 * 60 * minute);
  const again = await owner.signInAgain();
  await owner.stepUp('API_KEY_CREATE', again.headers);
  app.clock.advance(2 * 60 * minute);
  const { database, sealer } = app;
  const context = { database, sealer, now: () => app.clock.now(), log: silentLog };
  await sweepCeremonies.run(context as never);
  assert.equal(await app.count(`step_up_tokens where user_sid = '${owner.userSid}'`), 1);
});
