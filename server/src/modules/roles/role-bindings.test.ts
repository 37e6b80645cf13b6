import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite, test } from 'node:test';
import { bearer, type Reply, type TestApp } from '../../../test/harness/app.ts';
import { waitersAre } from '../../../test/harness/locks.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { type Person, person } from '../../../test/harness/people.ts';
import { until } from '../../../test/harness/until.ts';
import { roleHooks } from '../../main/hooks.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { newSid } from '../../platform/ids.ts';
import { silentLog } from '../../platform/observability/logging.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { revokeRoleBinding } from './bindings.ts';
import type { NewRoleBinding } from './schema.ts';

const newApp = ownAccounts();

const path = (app: TestApp) => `${app.at}/role-bindings`;

type Wanted = Partial<NewRoleBinding> & { principalRef: string };

async function bind(app: TestApp, by: Person, wanted: Wanted, headers: object = {}): Promise<Reply> {
  const stepUpToken = await by.stepUp('ROLE_BINDING_CREATE');
  const body = { principalType: 'USER', role: 'VIEWER', scopeKind: 'ACCOUNT', stepUpToken, ...wanted };
  return app.post(path(app), body, { ...by.headers, ...headers });
}

async function revoke(app: TestApp, by: Person, id: string, headers: object = by.headers): Promise<Reply> {
  const body = { reason: 'Left the team', stepUpToken: await by.stepUp('ROLE_BINDING_REVOKE') };
  return app.delete(`${path(app)}/${id}`, body, headers);
}

const newcomer = (app: TestApp) => person(app, { roles: [], factor: 'none' });
const mayRead = async (app: TestApp, { headers }: { headers: object }) =>
  (await app.get(`${app.at}/api-keys`, headers)).status === 200;

const ownerBinding = async (app: TestApp, { userSid }: Person) =>
  (
    await app.sql<{ id: string }>(
      "select id from role_bindings where role = 'OWNER' and principal_ref = $1 and revoked_at is null",
      [userSid],
    )
  )[0]!.id;

const ownersLeft = async (app: TestApp, { organizationId }: Person) =>
  (
    await app.sql(
      "select from role_bindings where role = 'OWNER' and organization_id = $1 and revoked_at is null",
      [organizationId],
    )
  ).length;

function refused(reply: Reply, status: number, code: string, at?: string): void {
  assert.deepEqual([reply.status, reply.body?.error?.code], [status, code], reply.text);
  if (at)
    assert.ok(
      reply.body.error.details.some((detail: { path: string }) => detail.path === at),
      reply.text,
    );
}

suite('the list of roles', () => {
  test('tells every role with its scopes, a page at a time, and which can be given', async () => {
    const app = await newApp();
    const first = (await app.get(`${app.at}/roles?limit=8`)).body;
    const rest = (await app.get(`${app.at}/roles?limit=8&cursor=${first.nextCursor}`)).body;
    const roles = [...first.data, ...rest.data];
    assert.equal(rest.hasMore, false);
    assert.deepEqual(
      roles.filter(({ grantable }) => !grantable).map(({ role }) => role),
      ['PLATFORM_STAFF', 'PLATFORM_COMPLIANCE'],
    );
    assert.ok(roles.find(({ role }) => role === 'OWNER').scopes.includes('organization:own'));
    assert.deepEqual(
      roles.filter(({ scopes }) => scopes.includes('legal_holds:manage')).map(({ role }) => role),
      ['OWNER', 'ADMIN', 'COMPLIANCE_MANAGER'],
    );
  });
});

suite('giving a role', () => {
  test('takes effect at once, for sessions that are already open, and taking it away ends it at once', async () => {
    const app = await newApp();
    const owner = await person(app);
    const them = await newcomer(app);
    assert.equal(await mayRead(app, them), false);
    const made = await bind(app, owner, { principalRef: them.userSid });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.headers.get('location'), `${path(app)}/${made.body.id}`);
    assert.equal(made.body.environment, 'both');
    assert.equal(await mayRead(app, them), true);
    assert.equal((await revoke(app, owner, made.body.id)).status, 204);
    assert.equal(await mayRead(app, them), false);
    const listed = (await app.get(path(app))).body.data.map(({ id }: { id: string }) => id);
    assert.ok(!listed.includes(made.body.id));
    assert.deepEqual(await app.emitted(), ['role_binding.created', 'role_binding.revoked']);
    const acts = await app.sql<{ action: string }>(
      "select action from audit_entries where action like 'role_%' and account_sid = $1 order by sequence",
      [app.accountSid],
    );
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['role_binding.created', 'role_binding.revoked'],
    );
  });

  test('to an API key reaches processes that remember the key, and so does taking it away', async () => {
    const app = await newApp();
    const owner = await person(app);
    const key = await app.key(['contacts:read']);
    const headers = bearer(key.key);
    assert.equal(await mayRead(app, { headers }), false);
    const wanted = { principalType: 'API_KEY', principalRef: key.id, environment: 'sandbox' } as const;
    const made = await bind(app, owner, wanted);
    assert.equal(made.status, 201, made.text);
    await eventually(() => mayRead(app, { headers }));
    await revoke(app, owner, made.body.id);
    await eventually(async () => !(await mayRead(app, { headers })));
  });

  test('to an API key ends to the second when it expires, remembered or not', async () => {
    const app = await newApp();
    const owner = await person(app);
    const key = await app.key(['contacts:read']);
    const headers = bearer(key.key);
    const expiresAt = new Date(app.clock.now().getTime() + 3_000).toISOString();
    await bind(app, owner, {
      principalType: 'API_KEY',
      principalRef: key.id,
      environment: 'sandbox',
      expiresAt,
    });
    await eventually(() => mayRead(app, { headers }));
    app.clock.advance(2_999);
    assert.equal(await mayRead(app, { headers }), true);
    app.clock.advance(1);
    assert.equal(await mayRead(app, { headers }), false);
  });

  test('holds in its environment and until it expires', async () => {
    const app = await newApp();
    const owner = await person(app);
    const them = await newcomer(app);
    const expiresAt = new Date(app.clock.now().getTime() + 60_000).toISOString();
    await bind(app, owner, { principalRef: them.userSid, environment: 'sandbox', expiresAt });
    const live = await them.signInAgain({ livemode: true });
    assert.deepEqual([await mayRead(app, them), await mayRead(app, live)], [true, false]);
    app.clock.advance(60_000);
    assert.equal(await mayRead(app, them), false);
  });

  test('demands a step-up token from everybody, and one for revoking is not one for giving', async () => {
    const app = await newApp();
    const owner = await person(app);
    const them = await newcomer(app);
    const body = { principalType: 'USER', principalRef: them.userSid, role: 'VIEWER', scopeKind: 'ACCOUNT' };
    for (const headers of [owner.headers, {}]) {
      const reply = await app.post(path(app), { ...body, stepUpToken: 'nonsense' }, headers);
      refused(reply, 403, 'STEP_UP_REQUIRED', 'stepUpAction');
    }
    const stepUpToken = await owner.stepUp('ROLE_BINDING_REVOKE');
    refused(await app.post(path(app), { ...body, stepUpToken }, owner.headers), 403, 'STEP_UP_REQUIRED');
    assert.deepEqual(await app.sql('select from role_bindings where principal_ref = $1', [them.userSid]), []);
  });

  test('refuses what makes no sense, naming the field', async () => {
    const app = await newApp();
    const owner = await person(app);
    const { userSid } = await newcomer(app);
    const inboxSid = (await app.post(`${app.at}/inboxes`, { name: 'Orders' })).body.sid;
    const past = app.clock.now().toISOString();
    const wrong: [string, Partial<NewRoleBinding>][] = [
      ['role', { role: 'KING' }],
      ['inboxSid', { scopeKind: 'INBOX' }],
      ['inboxSid', { inboxSid }],
      ['scopeKind', { scopeKind: 'SUBACCOUNT' }],
      ['expiresAt', { expiresAt: past }],
      ['environment', { scopeKind: 'INBOX', inboxSid, environment: 'live' }],
      ['scopeKind', { role: 'OWNER' }],
      ['environment', { role: 'OWNER', scopeKind: 'ORGANIZATION', environment: 'live' }],
    ];
    for (const [at, wanted] of wrong) {
      refused(await bind(app, owner, { principalRef: userSid, ...wanted }), 400, 'VALIDATION_ERROR', at);
    }
  });

  test('knows only people of the organization, keys of the account and inboxes of the account', async () => {
    const app = await newApp();
    const owner = await person(app);
    const stranger = await app.newAccount();
    const theirs = await person(app, { accountSid: stranger.accountSid, factor: 'none' });
    const theirKey = await app.key(['contacts:read'], { accountSid: stranger.accountSid });
    const liveKey = await app.key(['contacts:read'], { livemode: true });
    const theirInbox = (
      await app.post(
        `/v1/accounts/${stranger.accountSid}/inboxes`,
        { name: 'Theirs' },
        bearer(stranger.sandboxKey),
      )
    ).body.sid;
    const { userSid } = await newcomer(app);
    const nobody = newSid('US', app.clock.now());
    for (const principalRef of [theirs.userSid, nobody, 'US', "x'; drop table users; --", '']) {
      refused(await bind(app, owner, { principalRef }), 404, 'NOT_FOUND', 'principalRef');
    }
    for (const principalRef of [theirKey.id, liveKey.id, randomUUID(), userSid]) {
      const wanted = { principalType: 'API_KEY', principalRef } as const;
      refused(await bind(app, owner, wanted), 404, 'NOT_FOUND', 'principalRef');
    }
    for (const inboxSid of [theirInbox, newSid('IB', app.clock.now())]) {
      const wanted = { principalRef: userSid, scopeKind: 'INBOX', inboxSid } as const;
      refused(await bind(app, owner, wanted), 404, 'NOT_FOUND', 'inboxSid');
    }
  });

  test('of the platform’s staff is not the customer’s to give', async () => {
    const app = await newApp();
    const owner = await person(app);
    const { userSid } = await newcomer(app);
    for (const role of ['PLATFORM_STAFF', 'PLATFORM_COMPLIANCE']) {
      refused(await bind(app, owner, { principalRef: userSid, role }), 403, 'AUTHORIZATION_ERROR', 'role');
    }
  });
});

suite('nobody gives or takes more than they hold', () => {
  test('not by a role that holds more', async () => {
    const app = await newApp();
    await person(app);
    const admin = await person(app, { roles: ['ADMIN'] });
    const { userSid } = await newcomer(app);
    const wanted = { principalRef: userSid, role: 'OWNER', scopeKind: 'ORGANIZATION' } as const;
    refused(await bind(app, admin, wanted), 403, 'AUTHORIZATION_ERROR', 'role');
    assert.equal((await bind(app, admin, { principalRef: userSid, role: 'ADMIN' })).status, 201);
  });

  test('not on the organization by a role on one account', async () => {
    const app = await newApp();
    const admin = await person(app, { roles: ['ADMIN'], scopeKind: 'ACCOUNT' });
    const { userSid } = await newcomer(app);
    const wanted = { principalRef: userSid, scopeKind: 'ORGANIZATION' } as const;
    refused(await bind(app, admin, wanted), 403, 'AUTHORIZATION_ERROR', 'role');
    assert.equal((await bind(app, admin, { principalRef: userSid, scopeKind: 'ACCOUNT' })).status, 201);
  });

  test('not in an environment they do not work in', async () => {
    const app = await newApp();
    const admin = await person(app, { roles: ['ADMIN'], environment: 'sandbox' });
    const principalRef = (await newcomer(app)).userSid;
    for (const environment of ['live', 'both', undefined] as const) {
      const reply = await bind(app, admin, { principalRef, ...(environment && { environment }) });
      refused(reply, 403, 'AUTHORIZATION_ERROR', 'role');
    }
    assert.equal((await bind(app, admin, { principalRef, environment: 'sandbox' })).status, 201);
  });

  test('not with a key, beyond the key’s own scopes, account and environment', async () => {
    const app = await newApp();
    const owner = await person(app);
    const { scopes } = (await app.get(`${app.at}/roles`)).body.data.find(
      ({ role }: { role: string }) => role === 'VIEWER',
    );
    const key = await app.key(['roles:write', ...scopes]);
    const asKey = { cookie: undefined, ...bearer(key.key) };
    const principalRef = (await newcomer(app)).userSid;
    const sandbox = { principalRef, environment: 'sandbox' } as const;
    refused(
      await bind(app, owner, { ...sandbox, role: 'DEVELOPER' }, asKey),
      403,
      'AUTHORIZATION_ERROR',
      'role',
    );
    refused(
      await bind(app, owner, { principalRef, environment: 'both' }, asKey),
      403,
      'AUTHORIZATION_ERROR',
      'role',
    );
    refused(
      await bind(app, owner, { ...sandbox, scopeKind: 'ORGANIZATION' }, asKey),
      403,
      'AUTHORIZATION_ERROR',
      'role',
    );
    const made = await bind(app, owner, sandbox, asKey);
    assert.deepEqual([made.status, made.body.createdBy], [201, `api_key:${key.id}`], made.text);
  });

  test('not after their own role has expired or was taken', async () => {
    const app = await newApp();
    const owner = await person(app);
    const admin = await person(app, { roles: ['ADMIN'], scopeKind: 'ACCOUNT' });
    await app.sql("update role_bindings set expires_at = $1 where role = 'ADMIN' and principal_ref = $2", [
      new Date(app.clock.now().getTime() + 1_000),
      admin.userSid,
    ]);
    await bind(app, owner, { principalRef: admin.userSid, role: 'COMPLIANCE_MANAGER' });
    const stepUpToken = await admin.stepUp('ROLE_BINDING_CREATE');
    app.clock.advance(1_000);
    const body = { principalType: 'USER', principalRef: admin.userSid, role: 'VIEWER', scopeKind: 'ACCOUNT' };
    refused(
      await app.post(path(app), { ...body, stepUpToken }, admin.headers),
      403,
      'AUTHORIZATION_ERROR',
      'scope',
    );
  });

  test('and takes away no role that is above their own', async () => {
    const app = await newApp();
    const [owner, admin] = [await person(app), await person(app, { roles: ['ADMIN'] })];
    await person(app);
    refused(await revoke(app, admin, await ownerBinding(app, owner)), 403, 'AUTHORIZATION_ERROR', 'role');
  });
});

suite('a subaccount', () => {
  const withSubaccount = async (app: TestApp) => {
    const sub = newSid('AC', app.clock.now());
    await app.sql(
      `insert into accounts (sid, organization_id, parent_account_sid, name, region, created_at, updated_at)
       select $1, organization_id, sid, 'Sub', region, $3, $3 from accounts where sid = $2`,
      [sub, app.accountSid, app.clock.now()],
    );
    return sub;
  };

  test('takes bindings of its own, which do not reach its parent; its parent’s reach it', async () => {
    const app = await newApp();
    const sub = await withSubaccount(app);
    const admin = await person(app, { roles: ['ADMIN'], scopeKind: 'ACCOUNT' });
    const them = await newcomer(app);
    const at = `/v1/accounts/${sub}`;
    const token = await app.post(
      `${at}/identity/step-up`,
      { action: 'ROLE_BINDING_CREATE', method: 'TOTP', assertion: admin.totp!.code() },
      admin.headers,
    );
    const stepUpToken = token.body.stepUpToken;
    const body = {
      principalType: 'USER',
      principalRef: them.userSid,
      role: 'VIEWER',
      scopeKind: 'SUBACCOUNT',
    };
    const made = await app.post(`${at}/role-bindings`, { ...body, stepUpToken }, admin.headers);
    assert.equal(made.status, 201, made.text);
    assert.equal((await app.get(`${at}/api-keys`, them.headers)).status, 200);
    assert.equal(await mayRead(app, them), false);
    const seen = (await app.get(`${at}/role-bindings`, admin.headers)).body.data;
    assert.deepEqual(seen.map(({ scopeKind }: { scopeKind: string }) => scopeKind).sort(), [
      'ACCOUNT',
      'SUBACCOUNT',
    ]);
    const above = (await app.get(path(app), admin.headers)).body.data;
    assert.ok(!above.some(({ id }: { id: string }) => id === made.body.id));
  });
});

suite('owners', () => {
  test('the only one makes the second alone; the third needs the word of another', async () => {
    const app = await newApp();
    const founder = await person(app);
    const [second, third] = [await person(app, { roles: [] }), await newcomer(app)];
    const wanted = { role: 'OWNER', scopeKind: 'ORGANIZATION' } as const;
    assert.equal((await bind(app, founder, { principalRef: second.userSid, ...wanted })).status, 201);
    refused(await bind(app, founder, { principalRef: third.userSid, ...wanted }), 403, 'APPROVAL_REQUIRED');
  });

  test('must be people who can act', async () => {
    const app = await newApp();
    const owner = await person(app);
    const invited = await newcomer(app);
    await app.sql("update users set status = 'INVITED' where sid = $1", [invited.userSid]);
    const wanted = { role: 'OWNER', scopeKind: 'ORGANIZATION' } as const;
    refused(await bind(app, owner, { principalRef: invited.userSid, ...wanted }), 409, 'CONFLICT');
    const key = await app.key(['contacts:read']);
    refused(
      await bind(app, owner, { principalType: 'API_KEY', principalRef: key.id, ...wanted }),
      400,
      'VALIDATION_ERROR',
      'principalType',
    );
  });

  test('the last that does not expire stays', async () => {
    const app = await newApp();
    const owner = await person(app);
    const second = await person(app);
    const expiresAt = new Date(app.clock.now().getTime() + 86_400_000);
    const expiring = await ownerBinding(app, second);
    await app.sql('update role_bindings set expires_at = $2 where id = $1', [expiring, expiresAt]);
    refused(await revoke(app, owner, await ownerBinding(app, owner)), 409, 'CONFLICT');
    assert.equal((await revoke(app, owner, expiring)).status, 204);
    refused(await revoke(app, owner, await ownerBinding(app, owner)), 409, 'CONFLICT');
  });

  test('one who was deactivated does not count as remaining', async () => {
    const app = await newApp();
    const [owner, gone] = [await person(app), await person(app)];
    await app.sql("update users set status = 'DEACTIVATED' where sid = $1", [gone.userSid]);
    refused(await revoke(app, owner, await ownerBinding(app, owner)), 409, 'CONFLICT');
  });

  test('one whose removal is about to commit no longer counts for the next', async () => {
    const app = await newApp();
    const [first, second] = [await person(app), await person(app)];
    const ids = [await ownerBinding(app, first), await ownerBinding(app, second)];
    const remove = (id: string, pause: () => Promise<void> = async () => {}) =>
      app.database.write(
        { accountSid: app.accountSid, livemode: false },
        {
          principal: systemPrincipal('test', false),
          now: app.clock.now(),
          requestId: 'test',
          log: silentLog,
        },
        async (t) => {
          await revokeRoleBinding(roleHooks, t, id, 'Coup');
          await pause();
        },
      );
    const paused = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const one = remove(ids[0]!, () => {
      paused.resolve();
      return go.promise;
    });
    await paused.promise;
    const other = remove(ids[1]!);
    await Promise.race([other.catch(() => {}), waitersAre(app, 1)]);
    go.resolve();
    await one;
    await assert.rejects(other, (error) => error instanceof ApiError && error.code === 'CONFLICT');
    assert.equal(await ownersLeft(app, first), 1);
  });

  test('two who remove each other fifty times at once leave one', async () => {
    const app = await newApp();
    const [first, second] = [await person(app), await person(app)];
    const targets = [await ownerBinding(app, first), await ownerBinding(app, second)];
    const tokens = async (by: Person) => {
      const found: string[] = [];
      for (let i = 0; i < 25; i += 1) found.push(await by.stepUp('ROLE_BINDING_REVOKE'));
      return found;
    };
    const [firsts, seconds] = [await tokens(first), await tokens(second)];
    const attempts = firsts.flatMap((stepUpToken, i) => [
      { by: first, id: targets[1]!, stepUpToken },
      { by: second, id: targets[0]!, stepUpToken: seconds[i]! },
    ]);
    const replies = await Promise.all(
      attempts.map(({ by, id, stepUpToken }) =>
        app.delete(`${path(app)}/${id}`, { reason: 'Coup', stepUpToken }, by.headers),
      ),
    );
    assert.equal(replies.filter(({ status }) => status === 204).length, 1);
    assert.ok(replies.every(({ status }) => [204, 403, 404, 409].includes(status)));
    assert.equal(await ownersLeft(app, first), 1);
  });
});

suite('a binding', () => {
  test('is never changed: revoking it twice is no second revocation', async () => {
    const app = await newApp();
    const owner = await person(app);
    const { userSid } = await newcomer(app);
    const { body } = await bind(app, owner, { principalRef: userSid });
    assert.equal((await revoke(app, owner, body.id)).status, 204);
    refused(await revoke(app, owner, body.id), 404, 'NOT_FOUND');
    assert.equal(await app.count("audit_entries where action = 'role_binding.revoked'"), 1);
  });

  test('of another account of the organization is neither seen nor revoked from here', async () => {
    const app = await newApp();
    const owner = await person(app);
    const sister = newSid('AC', app.clock.now());
    await app.sql(
      `insert into accounts (sid, organization_id, name, region, created_at, updated_at)
       select $1, organization_id, 'Sister', region, $3, $3 from accounts where sid = $2`,
      [sister, app.accountSid, app.clock.now()],
    );
    await person(app, { accountSid: sister, scopeKind: 'ACCOUNT', roles: ['VIEWER'], factor: 'none' });
    const [binding] = await app.sql<{ id: string }>('select id from role_bindings where account_sid = $1', [
      sister,
    ]);
    const listed = (await app.get(path(app))).body.data;
    assert.ok(!listed.some(({ id }: { id: string }) => id === binding!.id));
    refused(await revoke(app, owner, binding!.id), 404, 'NOT_FOUND');
  });
});

const eventually = (holds: () => Promise<boolean>) => until('it comes true', holds);
