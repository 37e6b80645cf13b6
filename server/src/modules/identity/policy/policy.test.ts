import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../../test/harness/people.ts';
import { silentLog } from '../../../platform/observability/logging.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { disableForgottenKeys } from './crons.ts';
import { allowPasswords } from './policy.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const outcome = ({ status, body }: Reply) => [status, body?.error?.code];
const pathOf = (accountSid: string) => `/v1/accounts/${accountSid}/identity/auth-policy`;
const asked = {
  autoDisableInactiveApiKeys: true,
  mfaRequiredForAllRoles: true,
  passwordLoginEnabled: true,
  recoveryRevokesMfa: true,
  sessionAbsoluteTimeoutHours: 8,
  sessionIdleTimeoutMinutes: 15,
  ssoEnforced: false,
};

/** An owner of an organization of their own, so that one test's policy is not another's. */
const newOwner = async () => person(app, { accountSid: (await app.newAccount()).accountSid });

const set = async (owner: Person, expectedVersion: number, changes: object = {}) => {
  const stepUpToken = await owner.stepUp('AUTH_POLICY_CHANGE');
  const body = { ...asked, expectedVersion, stepUpToken, ...changes };
  return app.put(pathOf(owner.accountSid), body, owner.headers);
};

suite('the authentication policy', () => {
  test('has defaults as version 1 until it is set', async () => {
    const owner = await newOwner();
    const reply = await app.get(pathOf(owner.accountSid), owner.headers);
    assert.deepEqual(reply.body, {
      object: 'auth_policy',
      organizationId: owner.organizationId,
      version: 1,
      autoDisableInactiveApiKeys: false,
      mfaRequiredForAllRoles: false,
      passwordLoginEnabled: true,
      recoveryRevokesMfa: false,
      sessionAbsoluteTimeoutHours: 24,
      sessionIdleTimeoutMinutes: 60,
      ssoEnforced: false,
      updatedAt: null,
      updatedBy: null,
    });
  });

  test('is replaced whole, one version further, and written down with before and after', async () => {
    const owner = await newOwner();
    const first = await set(owner, 1);
    assert.equal(first.status, 200, first.text);
    const { version, updatedBy, updatedAt, object: _, organizationId: __, ...flags } = first.body;
    assert.deepEqual([version, updatedBy], [2, `user:${owner.userSid}`]);
    assert.ok(updatedAt);
    assert.deepEqual(flags, asked);
    assert.deepEqual((await app.get(pathOf(owner.accountSid), owner.headers)).body, first.body);
    const [entry] = await app.sql<{ payload: string }>(
      "select payload from audit_entries where action = 'auth_policy.changed' and resource = $1",
      [owner.organizationId],
    );
    const { facts } = JSON.parse(entry!.payload);
    assert.deepEqual([facts.before.version, facts.after.version], [1, 2]);
  });

  test('a stale version is a conflict that names the current one and changes nothing', async () => {
    const owner = await newOwner();
    await set(owner, 1);
    for (const stale of [1, 3, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      const reply = await set(owner, stale, { ssoEnforced: false, recoveryRevokesMfa: false });
      assert.deepEqual(outcome(reply), [409, 'CONFLICT'], String(stale));
      assert.deepEqual(reply.body.error.details, [
        { path: 'expectedVersion', issue: 'must be 2, the current version' },
      ]);
    }
    const fresh = await newOwner();
    assert.deepEqual(outcome(await set(fresh, 2)), [409, 'CONFLICT']);
    assert.equal((await set(owner, 2)).body.version, 3);
  });

  test('of many changes to one version exactly one is made', async () => {
    const owner = await newOwner();
    const tokens: string[] = [];
    for (let i = 0; i < 8; i += 1) tokens.push(await owner.stepUp('AUTH_POLICY_CHANGE'));
    const replies = await Promise.all(
      tokens.map((stepUpToken) =>
        app.put(pathOf(owner.accountSid), { ...asked, expectedVersion: 1, stepUpToken }, owner.headers),
      ),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.equal(replies.filter(({ status }) => status === 409).length, 7);
  });

  test('needs a second factor from everyone, keys included', async () => {
    const owner = await newOwner();
    const body = { ...asked, expectedVersion: 1, stepUpToken: 'none' };
    const { accountSid, sandboxKey } = await app.newAccount();
    for (const [path, headers] of [
      [pathOf(owner.accountSid), owner.headers],
      [pathOf(accountSid), bearer(sandboxKey)],
    ] as const) {
      const reply = await app.put(path, body, headers);
      assert.deepEqual(outcome(reply), [403, 'STEP_UP_REQUIRED']);
      assert.deepEqual(reply.body.error.details, [{ path: 'stepUpAction', issue: 'AUTH_POLICY_CHANGE' }]);
    }
    const other = await owner.stepUp('USER_SESSIONS_REVOKE');
    const reply = await app.put(pathOf(owner.accountSid), { ...body, stepUpToken: other }, owner.headers);
    assert.deepEqual(outcome(reply), [403, 'STEP_UP_REQUIRED']);
  });

  test('cannot lock everybody out: without passwords there must be an active provider', async () => {
    const owner = await newOwner();
    for (const changes of [{ passwordLoginEnabled: false }, { ssoEnforced: true }]) {
      const reply = await set(owner, 1, changes);
      assert.deepEqual(outcome(reply), [409, 'CONFLICT']);
      assert.equal(reply.body.error.details[0].path, Object.keys(changes)[0]);
    }
    await app.sql(
      `insert into identity_providers (id, organization_id, protocol, provider_key, public_config, state, reason,
         created_by, created_at, updated_at)
       values (gen_random_uuid(), $1, 'OIDC', 'idp', '{}', 'ACTIVE', 'test', 'test', now(), now())`,
      [owner.organizationId],
    );
    assert.equal((await set(owner, 1, { passwordLoginEnabled: false })).status, 200);
    // The operator opens the door again when the provider is gone; a second time changes nothing.
    const tenant = { accountSid: owner.accountSid, livemode: true };
    const principal = systemPrincipal('operator', true);
    const requestContext = { principal, now: app.clock.now(), requestId: 'test', log: silentLog };
    await app.database.write(tenant, requestContext, allowPasswords);
    await app.database.write(tenant, requestContext, allowPasswords);
    const after = (await app.get(pathOf(owner.accountSid), owner.headers)).body;
    assert.deepEqual([after.passwordLoginEnabled, after.version], [true, 3]);
  });

  test('takes a role on the whole organization', async () => {
    const { accountSid } = await app.newAccount();
    const local = await person(app, { accountSid, roles: ['ADMIN'], scopeKind: 'ACCOUNT' });
    assert.deepEqual(outcome(await set(local, 1)), [403, 'AUTHORIZATION_ERROR']);
  });
});

suite('keys nobody uses', () => {
  const sweep = () =>
    disableForgottenKeys.run({
      database: app.database,
      now: () => app.clock.now(),
      log: silentLog,
      signal: new AbortController().signal,
    } as never);
  const days = 86_400_000;

  test('are disabled after 90 days where the policy says so, on the record, and nowhere else', async () => {
    const owner = await newOwner();
    const own = await app.key(['contacts:read'], { accountSid: owner.accountSid });
    const live = await app.key(['contacts:read'], { accountSid: owner.accountSid, livemode: true });
    const used = await app.key(['contacts:read'], { accountSid: owner.accountSid });
    const elsewhere = await app.key(['contacts:read']);
    await set(owner, 1);
    app.clock.advance(89 * days);
    await sweep();
    const disabled = async (id: string) =>
      (await app.count(`api_keys where id = '${id}' and disabled_at is not null`)) === 1;
    assert.ok(!(await disabled(own.id)));
    await app.sql('update api_keys set last_used_at = $2 where id = $1', [used.id, app.clock.now()]);
    app.clock.advance(2 * days);
    await sweep();
    await sweep();
    assert.deepEqual(await Promise.all([own, live, used, elsewhere].map(({ id }) => disabled(id))), [
      true,
      true,
      false,
      false,
    ]);
    const reply = await app.get('/v1/me', bearer(own.key));
    assert.deepEqual(outcome(reply), [401, 'API_KEY_DISABLED']);
    assert.equal(
      await app.count(`audit_entries where action = 'api_key.disabled' and resource = '${own.id}'`),
      1,
    );
  });
});
