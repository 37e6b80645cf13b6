import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../../test/harness/people.ts';
import { totpCode } from './totp.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const list = (who: Person, query = '') => app.get(`${app.at}/identity/mfa/credentials${query}`, who.headers);
const remove = async (who: Person, id: string, stepUpToken?: string) =>
  app.delete(
    `${app.at}/identity/mfa/credentials/${id}`,
    { stepUpToken: stepUpToken ?? (await who.stepUp('MFA_CREDENTIAL_DELETE')) },
    who.headers,
  );

async function addApp(who: Person): Promise<string> {
  await who.stepUp('MFA_ENROLLMENT_CREATE');
  const path = `${app.at}/identity/mfa/enrollments`;
  const { body } = await app.post(path, { method: 'TOTP', providerKey: 'totp' }, who.headers);
  const response = totpCode(body.totp.secret, app.clock.now());
  const done = await app.post(
    `${path}/${body.id}/complete`,
    { ceremonyRef: body.ceremonyRef, response },
    who.headers,
  );
  assert.equal(done.status, 201, done.text);
  return done.body.id;
}

const demandFactors = (organizationId: string) =>
  app.sql(
    `insert into auth_policies (organization_id, version, auto_disable_inactive_api_keys, mfa_required_for_all_roles,
       password_login_enabled, recovery_revokes_mfa, session_absolute_timeout_hours, session_idle_timeout_minutes,
       sso_enforced, updated_at, updated_by)
     values ($1, 2, false, true, true, false, 24, 60, false, $2, 'system:test')`,
    [organizationId, app.clock.now()],
  );

suite('listing', () => {
  test('shows ones own factors, newest first, page by page, and nobody else’s', async () => {
    const who = await person(app);
    await person(app);
    app.clock.advance(1_000);
    const second = await addApp(who);
    const first = await list(who, '?limit=1');
    assert.deepEqual([first.body.data[0].id, first.body.hasMore], [second, true]);
    const rest = await list(who, `?limit=1&cursor=${first.body.nextCursor}`);
    assert.deepEqual([rest.body.data[0].id, rest.body.hasMore], [who.totp!.credentialId, false]);
    assert.deepEqual(Object.keys(rest.body.data[0]).sort(), [
      'accountSid',
      'backedUp',
      'createdAt',
      'disabled',
      'displayName',
      'id',
      'lastUsedAt',
      'livemode',
      'method',
      'object',
      'providerKey',
      'usable',
      'userSid',
    ]);
  });
});

suite('removing', () => {
  test('ends the factor, the tokens it gave and, with the last one, the recovery codes', async () => {
    const who = await person(app);
    const rotate = { stepUpToken: await who.stepUp('MFA_RECOVERY_CODES_ROTATE') };
    const { codes } = (await app.post(`${app.at}/identity/mfa/recovery-codes/rotate`, rotate, who.headers))
      .body;
    const unused = await who.stepUp('API_KEY_CREATE');
    const removed = await remove(who, who.totp!.credentialId);
    assert.equal(removed.status, 204, removed.text);
    const body = { name: 'Late', scopes: ['contacts:read'], stepUpToken: unused };
    assert.equal((await app.post(`${app.at}/api-keys`, body, who.headers)).status, 403);
    const proof = { action: 'API_KEY_CREATE', method: 'RECOVERY_CODE', assertion: codes[0] };
    assert.equal((await app.post(`${app.at}/identity/step-up`, proof, who.headers)).status, 401);
    assert.deepEqual((await list(who)).body.data, []);
  });

  test('somebody else’s factor does not exist', async () => {
    const [who, other] = [await person(app), await person(app)];
    assert.equal((await remove(who, other.totp!.credentialId)).status, 404);
    assert.equal((await list(other)).body.data.length, 1);
  });

  test('a refused removal gives the token back, for nothing was done', async () => {
    const [who, other] = [await person(app), await person(app)];
    const token = await who.stepUp('MFA_CREDENTIAL_DELETE');
    assert.equal((await remove(who, other.totp!.credentialId, token)).status, 404);
    assert.equal((await remove(who, who.totp!.credentialId, token)).status, 204);
  });

  test('the last factor stays while the organization demands one, also when two go at once', async () => {
    const { accountSid } = await app.newAccount();
    const who = await person(app, { accountSid });
    const path = `/v1/accounts/${accountSid}/identity/mfa/credentials`;
    await demandFactors(who.organizationId);
    const alone = { stepUpToken: await who.stepUp('MFA_CREDENTIAL_DELETE') };
    const refused = await app.delete(`${path}/${who.totp!.credentialId}`, alone, who.headers);
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT']);
    const rotate = { stepUpToken: await who.stepUp('MFA_RECOVERY_CODES_ROTATE') };
    const at = `/v1/accounts/${accountSid}/identity`;
    const { codes } = (await app.post(`${at}/mfa/recovery-codes/rotate`, rotate, who.headers)).body;
    // Tokens from recovery codes, so that removing one factor does not end the token for the other.
    const token = async () => {
      const proof = { action: 'MFA_CREDENTIAL_DELETE', method: 'RECOVERY_CODE', assertion: codes.pop() };
      return (await app.post(`${at}/step-up`, proof, who.headers)).body.stepUpToken;
    };
    for (let round = 0; round < 4; round += 1) {
      await app.sql(
        `insert into mfa_credentials (id, organization_id, user_sid, method, provider_key, created_at)
         values (gen_random_uuid(), $1, $2, 'TOTP', 'totp', $3)`,
        [who.organizationId, who.userSid, app.clock.now()],
      );
      const ids: string[] = (await app.get(path, who.headers)).body.data.map(({ id }: { id: string }) => id);
      const tokens = [await token(), await token()];
      const replies = await Promise.all(
        ids.map((id, i) => app.delete(`${path}/${id}`, { stepUpToken: tokens[i] }, who.headers)),
      );
      assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 409]);
      assert.equal((await app.get(path, who.headers)).body.data.length, 1);
    }
  });
});

suite('a reset', () => {
  const reset = (by: Person, userSid: string, stepUpToken: string) =>
    app.post(`${app.at}/identity/users/${userSid}/mfa/reset`, { stepUpToken }, by.headers);

  test('takes everything a lost factor could still be used for', async () => {
    const [admin, lost] = [await person(app), await person(app, { roles: ['VIEWER'] })];
    const stepUpToken = await admin.stepUp('MFA_RESET');
    const reply = await reset(admin, lost.userSid, stepUpToken);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(
      [reply.body.credentialsRemoved, reply.body.recoveryCodesRemoved, reply.body.sessionsEnded],
      [1, 0, 1],
    );
    assert.equal((await list(lost)).status, 401);
    const back = await lost.signInAgain();
    const begun = await app.post(
      `${app.at}/identity/mfa/enrollments`,
      { method: 'TOTP', providerKey: 'totp' },
      back.headers,
    );
    assert.equal(begun.status, 201);
  });

  test('reaches no person of another organization', async () => {
    const { accountSid } = await app.newAccount();
    const [admin, stranger] = [await person(app), await person(app, { accountSid })];
    const reply = await reset(admin, stranger.userSid, await admin.stepUp('MFA_RESET'));
    assert.deepEqual([reply.status, reply.body.error.code], [404, 'NOT_FOUND']);
    assert.equal(await app.count(`mfa_credentials where user_sid = '${stranger.userSid}'`), 1);
  });

  test('of an owner is for owners, and anyone’s takes a role on the whole organization', async () => {
    const [owner, lost] = [await person(app), await person(app, { roles: ['VIEWER'] })];
    const admin = await person(app, { roles: ['ADMIN'] });
    const local = await person(app, { roles: ['ADMIN'], scopeKind: 'ACCOUNT' });
    const attempts = [
      [admin, owner],
      [local, lost],
    ] as const;
    for (const [by, of] of attempts) {
      const reply = await reset(by, of.userSid, await by.stepUp('MFA_RESET'));
      assert.deepEqual([reply.status, reply.body.error.code], [403, 'AUTHORIZATION_ERROR']);
    }
    assert.equal((await reset(admin, lost.userSid, await admin.stepUp('MFA_RESET'))).status, 200);
  });

  test('is done by an API key only with the token of a person, and names both', async () => {
    const [admin, lost] = [await person(app), await person(app, { roles: ['VIEWER'] })];
    const path = `${app.at}/identity/users/${lost.userSid}/mfa/reset`;
    const { key, id } = await app.key(['roles:write']);
    const alone = await app.post(path, { stepUpToken: 'x'.repeat(43) }, bearer(key));
    assert.equal(alone.body.error.code, 'STEP_UP_REQUIRED');
    const together = await app.post(path, { stepUpToken: await admin.stepUp('MFA_RESET') }, bearer(key));
    assert.equal(together.status, 200, together.text);
    const [entry] = await app.sql<{ actor: string; payload: string }>(
      "select actor, payload from audit_entries where action = 'step_up.used' order by sequence desc limit 1",
    );
    assert.equal(entry!.actor, `api_key:${id}`);
    assert.equal(JSON.parse(entry!.payload).facts.userSid, admin.userSid);
  });
});

test('operations about oneself are closed to API keys', async () => {
  const at = `${app.at}/identity/mfa`;
  const id = '0198c0de-0000-7000-8000-000000000000';
  const replies = [
    await app.get(`${at}/credentials`),
    await app.delete(`${at}/credentials/${id}`, { stepUpToken: 'x' }),
    await app.post(`${at}/enrollments`, { method: 'TOTP', providerKey: 'totp' }),
    await app.post(`${at}/enrollments/${id}/complete`, { ceremonyRef: 'x', response: 'x' }),
    await app.post(`${at}/recovery-codes/rotate`, { stepUpToken: 'x' }),
    await app.post(`${at}/verification-options`, { action: 'API_KEY_CREATE' }),
  ];
  for (const { status, body } of replies)
    assert.deepEqual([status, body.error.code], [403, 'AUTHORIZATION_ERROR']);
});
