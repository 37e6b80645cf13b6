import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { bearer, type Reply, type TestApp } from '../../../test/harness/app.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { type Person, person } from '../../../test/harness/people.ts';
import { newSid } from '../../platform/ids.ts';

const newApp = ownAccounts();

const inbox = async (app: TestApp, name = 'Orders'): Promise<string> => {
  const reply = await app.post(`${app.at}/inboxes`, { name });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.sid;
};

const bindTo = (
  app: TestApp,
  inboxSid: string,
  who: { userSid: string } | { keyId: string },
  role = 'AGENT',
) =>
  app.sql(
    `insert into role_bindings (id, organization_id, account_sid, inbox_sid, principal_type, principal_ref, role,
       scope_kind, environment, created_by, created_at)
     select $1, organization_id, sid, $3, $4, $5, $6, 'INBOX', 'sandbox', 'system:test', $7 from accounts where sid = $2`,
    [
      randomUUID(),
      app.accountSid,
      inboxSid,
      'userSid' in who ? 'USER' : 'API_KEY',
      'userSid' in who ? who.userSid : who.keyId,
      role,
      app.clock.now(),
    ],
  );

const join = async (app: TestApp, inboxSid: string, { userSid }: { userSid: string }) => {
  const reply = await app.put(`${app.at}/inboxes/${inboxSid}/members/${userSid}`);
  assert.equal(reply.status, 200, reply.text);
  return reply;
};

const agent = (app: TestApp) => person(app, { roles: [], factor: 'none' });
const sids = ({ body }: Reply): string[] => body.data.map(({ sid }: { sid: string }) => sid);
const code = ({ status, body }: Reply) => [status, body?.error?.code];

suite('inboxes', () => {
  test('are made, listed newest first, read and renamed', async () => {
    const app = await newApp();
    const made = await app.post(`${app.at}/inboxes`, { name: 'Orders' });
    assert.equal(made.headers.get('location'), `${app.at}/inboxes/${made.body.sid}`);
    const second = await inbox(app, 'Returns');
    assert.deepEqual(sids(await app.get(`${app.at}/inboxes`)), [second, made.body.sid]);
    const renamed = await app.patch(`${app.at}/inboxes/${second}`, { name: 'Refunds' });
    assert.deepEqual((await app.get(`${app.at}/inboxes/${second}`)).body, renamed.body);
    assert.equal((await app.patch(`${app.at}/inboxes/${second}`, { name: ' ' })).status, 400);
    assert.deepEqual(await app.emitted(), ['inbox.created', 'inbox.created', 'inbox.updated']);
  });

  test('have members: people of the organization, added once and removed once', async () => {
    const app = await newApp();
    const sid = await inbox(app);
    const them = await agent(app);
    const first = await join(app, sid, them);
    assert.deepEqual((await join(app, sid, them)).body, first.body);
    assert.equal((await app.get(`${app.at}/inboxes/${sid}`)).body.memberCount, 1);
    const { body: list } = await app.get(`${app.at}/inboxes/${sid}/members`);
    assert.deepEqual(list.data, [first.body]);
    const at = `${app.at}/inboxes/${sid}/members/${them.userSid}`;
    assert.deepEqual([(await app.delete(at)).status, (await app.delete(at)).status], [204, 204]);
    assert.deepEqual(await app.emitted(), ['inbox.created', 'inbox.member_added', 'inbox.member_removed']);
  });

  test('do not take strangers, nor people who have left', async () => {
    const app = await newApp();
    const sid = await inbox(app);
    const stranger = await app.newAccount();
    const theirs = await person(app, { accountSid: stranger.accountSid, factor: 'none' });
    const gone = await agent(app);
    await app.sql("update users set status = 'DEACTIVATED' where sid = $1", [gone.userSid]);
    const add = (userSid: string) => app.put(`${app.at}/inboxes/${sid}/members/${userSid}`);
    assert.deepEqual(code(await add(theirs.userSid)), [404, 'NOT_FOUND']);
    assert.deepEqual(code(await add(newSid('US', app.clock.now()))), [404, 'NOT_FOUND']);
    assert.deepEqual(code(await add(gone.userSid)), [409, 'CONFLICT']);
    assert.equal(await app.count('inbox_members'), 0);
  });

  test('fifty who add the same person at once leave one member', async () => {
    const app = await newApp();
    const sid = await inbox(app);
    const them = await agent(app);
    await Promise.all(Array.from({ length: 50 }, () => join(app, sid, them)));
    assert.equal(await app.count('inbox_members'), 1);
    assert.equal(await app.count("audit_entries where action = 'inbox.member_added'"), 1);
  });
});

suite('a role bound to an inbox', () => {
  test('shows a person the inboxes they are bound to and a member of, and no other', async () => {
    const app = await newApp();
    const [both, boundOnly, memberOnly, neither] = [
      await inbox(app, 'both'),
      await inbox(app, 'bound only'),
      await inbox(app, 'member only'),
      await inbox(app, 'neither'),
    ];
    const them = await agent(app);
    await bindTo(app, both, them);
    await bindTo(app, boundOnly, them);
    await join(app, both, them);
    await join(app, memberOnly, them);
    assert.deepEqual(sids(await app.get(`${app.at}/inboxes`, them.headers)), [both]);
    assert.equal((await app.get(`${app.at}/inboxes/${both}`, them.headers)).status, 200);
    for (const sid of [boundOnly, memberOnly, neither, newSid('IB', app.clock.now())]) {
      assert.deepEqual(code(await app.get(`${app.at}/inboxes/${sid}`, them.headers)), [404, 'NOT_FOUND']);
      assert.deepEqual(code(await app.get(`${app.at}/inboxes/${sid}/members`, them.headers)), [
        404,
        'NOT_FOUND',
      ]);
    }
  });

  test('opens nothing on the account, not even what its role would hold there', async () => {
    const app = await newApp();
    const sid = await inbox(app);
    const them = await agent(app);
    await bindTo(app, sid, them, 'ADMIN');
    await join(app, sid, them);
    for (const path of ['api-keys', 'audit-events', 'role-bindings', 'approvals', 'contacts']) {
      const reply = await app.get(`${app.at}/${path}`, them.headers);
      assert.deepEqual(code(reply), [403, 'AUTHORIZATION_ERROR'], path);
    }
    const made = await app.post(`${app.at}/inboxes`, { name: 'Mine' }, them.headers);
    assert.deepEqual(code(made), [403, 'AUTHORIZATION_ERROR']);
  });

  test('lets its manager rename it and choose its members, and an agent only look', async () => {
    const app = await newApp();
    const [own, other] = [await inbox(app), await inbox(app)];
    const [manager, helper] = [await agent(app), await agent(app)];
    await bindTo(app, own, manager, 'INBOX_MANAGER');
    await bindTo(app, own, helper, 'AGENT');
    for (const them of [manager, helper]) await join(app, own, them);
    const rename = (who: Person, sid: string) =>
      app.patch(`${app.at}/inboxes/${sid}`, { name: 'x' }, who.headers);
    const invite = (who: Person, sid: string) =>
      app.put(`${app.at}/inboxes/${sid}/members/${helper.userSid}`, undefined, who.headers);
    assert.deepEqual([(await rename(manager, own)).status, (await invite(manager, own)).status], [200, 200]);
    assert.deepEqual(
      [(await rename(manager, other)).status, (await invite(manager, other)).status],
      [404, 404],
    );
    assert.deepEqual([(await rename(helper, own)).status, (await invite(helper, own)).status], [403, 403]);
  });

  test('lets a person add their second factor, also while the policy lets them do nothing else yet', async () => {
    const app = await newApp();
    const sid = await inbox(app);
    const them = await agent(app);
    await bindTo(app, sid, them);
    await join(app, sid, them);
    const enroll = () =>
      app.post(`${app.at}/identity/mfa/enrollments`, { method: 'TOTP', providerKey: 'totp' }, them.headers);
    assert.equal((await enroll()).status, 201);
    const policy = (await app.get(`${app.at}/identity/auth-policy`)).body;
    const owner = await person(app);
    const { autoDisableInactiveApiKeys, passwordLoginEnabled, recoveryRevokesMfa, ssoEnforced } = policy;
    const { sessionAbsoluteTimeoutHours, sessionIdleTimeoutMinutes } = policy;
    const change = {
      autoDisableInactiveApiKeys,
      passwordLoginEnabled,
      recoveryRevokesMfa,
      ssoEnforced,
      sessionAbsoluteTimeoutHours,
      sessionIdleTimeoutMinutes,
      mfaRequiredForAllRoles: true,
      expectedVersion: policy.version,
      stepUpToken: await owner.stepUp('AUTH_POLICY_CHANGE'),
    };
    assert.equal((await app.put(`${app.at}/identity/auth-policy`, change, owner.headers)).status, 200);
    assert.deepEqual(code(await app.get(`${app.at}/inboxes`, them.headers)), [403, 'AUTHORIZATION_ERROR']);
    assert.equal((await enroll()).status, 201);
  });

  test('gives a key that inbox alone', async () => {
    const app = await newApp();
    const [own] = [await inbox(app), await inbox(app)];
    const key = await app.key(['contacts:read']);
    await bindTo(app, own, { keyId: key.id });
    assert.deepEqual(sids(await app.get(`${app.at}/inboxes`, bearer(key.key))), [own]);
  });

  test('ends with membership and with the binding', async () => {
    const app = await newApp();
    const sid = await inbox(app);
    const them = await agent(app);
    await bindTo(app, sid, them);
    await join(app, sid, them);
    await app.delete(`${app.at}/inboxes/${sid}/members/${them.userSid}`);
    assert.deepEqual(sids(await app.get(`${app.at}/inboxes`, them.headers)), []);
    await join(app, sid, them);
    await app.sql('update role_bindings set revoked_at = $1 where principal_ref = $2', [
      app.clock.now(),
      them.userSid,
    ]);
    assert.deepEqual(code(await app.get(`${app.at}/inboxes`, them.headers)), [403, 'AUTHORIZATION_ERROR']);
  });

  test('keeps the answers stored under a key to whoever earned them', async () => {
    const app = await newApp();
    const [mine, theirs] = [await inbox(app, 'mine'), await inbox(app, 'theirs')];
    const [me, them] = [await agent(app), await agent(app)];
    for (const [sid, who] of [
      [mine, me],
      [theirs, them],
    ] as const) {
      await bindTo(app, sid, who, 'INBOX_MANAGER');
      await join(app, sid, who);
    }
    const headers = { 'idempotency-key': 'rename' };
    const rename = (who: Person) =>
      app.patch(`${app.at}/inboxes/${theirs}`, { name: 'Secret name' }, { ...who.headers, ...headers });
    assert.equal((await rename(them)).status, 200);
    assert.deepEqual(code(await rename(me)), [404, 'NOT_FOUND']);
  });

  test('shows exactly the bound and joined inboxes, whatever the mixture', async () => {
    const app = await newApp();
    const all = [await inbox(app, 'a'), await inbox(app, 'b'), await inbox(app, 'c')];
    const some = fc.subarray(all);
    await fc.assert(
      fc.asyncProperty(some, some, async (bound, joined) => {
        const them = await agent(app);
        for (const sid of bound) await bindTo(app, sid, them);
        for (const sid of joined) await join(app, sid, them);
        const reply = await app.get(`${app.at}/inboxes`, them.headers);
        if (bound.length === 0) assert.equal(reply.status, 403);
        else {
          const expected = all.filter((sid) => bound.includes(sid) && joined.includes(sid)).reverse();
          assert.deepEqual(sids(reply), expected);
        }
      }),
      { numRuns: 25 },
    );
  });
});
