import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp, testStart } from '../../../test/harness/app.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { until } from '../../../test/harness/until.ts';
import { generateMasterKey } from '../../platform/sealing.ts';
import { verifyAudit } from '../audit/index.ts';

const newApp = ownAccounts();

const wanted = { name: 'Order service', scopes: ['contacts:write', 'contacts:read'] };

async function create(app: TestApp, body: object = wanted, headers: object = {}) {
  const answer = await app.post(`${app.at}/api-keys`, body, headers);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

function assertRefusal(answer: Reply, status: number, code: string, details?: object[]): void {
  assert.deepEqual([answer.status, answer.body.error.code], [status, code], answer.text);
  if (details) assert.deepEqual(answer.body.error.details, details);
}

const scopesOf = async (app: TestApp, key: string) => (await app.get('/v1/me', bearer(key))).body.scopes;

// ---- Making

test('a new key works at once and shows its text and signing secret only then', async () => {
  const app = await newApp();
  const answer = await app.post(`${app.at}/api-keys`, wanted);
  assert.equal(answer.status, 201);
  const { key, signingSecret, ...shown } = answer.body;
  assert.match(key, /^gw_test_[0-9a-z]{16}_[0-9a-z]{52}$/);
  assert.equal(Buffer.from(signingSecret, 'base64url').length, 32);
  const { body: me } = await app.get('/v1/me');
  assert.deepEqual(shown, {
    object: 'api_key',
    id: shown.id,
    accountSid: app.accountSid,
    livemode: false,
    name: 'Order service',
    keyId: key.slice(0, 24),
    scopes: ['contacts:read', 'contacts:write'],
    allowedCidrs: [],
    signingRequired: false,
    requestsPerSecond: null,
    disabled: false,
    createdBy: `api_key:${me.principal.ref}`,
    expiresAt: null,
    lastUsedAt: null,
    createdAt: testStart,
    updatedAt: testStart,
  });
  const location = answer.headers.get('location')!;
  assert.equal(location, `${app.at}/api-keys/${shown.id}`);
  assert.deepEqual((await app.get(location)).body, shown);
  const { body: list } = await app.get(`${app.at}/api-keys`);
  assert.deepEqual(
    list.data.find(({ id }: { id: string }) => id === shown.id),
    shown,
  );
  assert.deepEqual(await scopesOf(app, key), shown.scopes);
});

test('nothing the database keeps tells a secret', async () => {
  const app = await newApp();
  const made = await create(app);
  const rotated = (await app.post(`${app.at}/api-keys/${made.id}/rotate`)).body;
  const secrets = [made, rotated].flatMap(({ key, signingSecret }) => [key.slice(25), signingSecret]);
  const hidden = secrets.flatMap((text) => {
    const bytes = Buffer.from(text);
    return [text, bytes.toString('hex'), bytes.toString('base64').slice(0, -4)];
  });
  const tables = await app.sql<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'graphile_worker')",
  );
  assert.ok(tables.length > 10);
  let looked = 0;
  for (const { name } of tables) {
    for (const { text } of await app.sql<{ text: string }>(`select t::text as text from ${name} as t`)) {
      looked += 1;
      for (const secret of hidden) assert.ok(!text.includes(secret), `${name} holds a secret`);
    }
  }
  assert.ok(looked > 5);
});

test('a key stands in the environment of the credential that made it, and only there', async () => {
  const app = await newApp();
  const live = await create(app, wanted, bearer(app.liveKey));
  assert.match(live.key, /^gw_live_/);
  assert.equal(live.livemode, true);
  assert.equal((await app.get('/v1/me', bearer(live.key))).body.livemode, true);
  assertRefusal(await app.get(`${app.at}/api-keys/${live.id}`), 404, 'NOT_FOUND');
  const { body: list } = await app.get(`${app.at}/api-keys`);
  assert.ok(list.data.every(({ livemode }: { livemode: boolean }) => !livemode));
  const answer = await app.post(`${app.at}/api-keys`, { ...wanted, livemode: true });
  assertRefusal(answer, 400, 'VALIDATION_ERROR', [{ path: 'livemode', issue: 'is not a known property' }]);
});

test('nobody makes a key that holds more than they do', async () => {
  const app = await newApp();
  const maker = await app.key(['api_keys:write', 'contacts:read']);
  const asked = { name: 'n', scopes: ['contacts:read', 'contacts:write', 'made:up'] };
  assertRefusal(await app.post(`${app.at}/api-keys`, asked, bearer(maker.key)), 403, 'AUTHORIZATION_ERROR', [
    { path: 'scopes[1]', issue: 'contacts:write is not held by the caller' },
    { path: 'scopes[2]', issue: 'made:up is not held by the caller' },
  ]);
  assert.equal(await app.count("api_keys where name = 'n'"), 0);
  const made = await create(app, { name: 'n', scopes: ['contacts:read'] }, bearer(maker.key));
  assert.deepEqual(await scopesOf(app, made.key), ['contacts:read']);
});

test('a key that could not be used as meant is not made', async () => {
  const app = await newApp();
  const range = 'must be a CIDR range such as 192.0.2.0/24';
  for (const [change, path, issue] of [
    [{ name: '' }, 'name', 'must be at least 1 character'],
    [{ name: 'n'.repeat(129) }, 'name', 'must be at most 128 characters'],
    [{ scopes: [] }, 'scopes', 'must have at least 1 item'],
    [{ scopes: ['contacts:read', 'contacts:read'] }, 'scopes', 'must not repeat an item'],
    [{ scopes: ['everything'] }, 'scopes[0]', 'must match ^[a-z_]+:[a-z_]+$'],
    [{ expiresAt: testStart }, 'expiresAt', 'must be in the future'],
    [{ expiresAt: '2026-08-21T11:59:59+02:00' }, 'expiresAt', 'must be in the future'],
    [{ allowedCidrs: ['192.0.2.1'] }, 'allowedCidrs[0]', range],
    [{ allowedCidrs: ['0.0.0.0/0', '192.0.2.0/33'] }, 'allowedCidrs[1]', range],
    [{ allowedCidrs: ['::/129'] }, 'allowedCidrs[0]', range],
    // Some read the first as 8.0.0.0/8, and the second as 10.0.0.1/8.
    [{ allowedCidrs: ['010.0.0.0/8'] }, 'allowedCidrs[0]', range],
    [{ allowedCidrs: ['10.1/8'] }, 'allowedCidrs[0]', range],
    [{ allowedCidrs: ['localhost/8'] }, 'allowedCidrs[0]', range],
    [{ requestsPerSecond: 5 }, 'requestsPerSecond', 'is not a known property'],
  ] as const)
    assertRefusal(await app.post(`${app.at}/api-keys`, { ...wanted, ...change }), 400, 'VALIDATION_ERROR', [
      { path, issue },
    ]);
  assert.equal(await app.count("api_keys where name = 'Order service'"), 0);
});

// ---- Replays

test('the maker of a key gets its secret again under the same Idempotency-Key, and nobody else does', async () => {
  const app = await newApp();
  const key = { 'idempotency-key': 'make-one' };
  const first = await app.post(`${app.at}/api-keys`, wanted, key);
  const again = await app.post(`${app.at}/api-keys`, wanted, key);
  assert.deepEqual([first.status, again.status], [201, 201]);
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get('location'), first.headers.get('location'));
  assert.deepEqual(
    [first, again].map(({ headers }) => headers.get('idempotent-replayed')),
    [null, 'true'],
  );

  const colleague = await create(app, { name: 'Colleague', scopes: ['api_keys:write', ...wanted.scopes] });
  const other = await app.post(`${app.at}/api-keys`, wanted, { ...key, ...bearer(colleague.key) });
  assertRefusal(other, 409, 'IDEMPOTENCY_KEY_REUSED');
  assert.ok(!other.text.includes(first.body.key.slice(25)));
  assert.equal(await app.count("api_keys where name = 'Order service'"), 1);
});

test('a rotation is replayed to its maker only, and rotates once', async () => {
  const app = await newApp();
  const { id } = await create(app);
  const colleague = await create(app, { name: 'Colleague', scopes: ['api_keys:write', ...wanted.scopes] });
  const key = { 'idempotency-key': 'rotate-one' };
  const path = `${app.at}/api-keys/${id}/rotate`;
  const first = await app.post(path, {}, key);
  assert.equal((await app.post(path, {}, key)).text, first.text);
  assertRefusal(
    await app.post(path, {}, { ...key, ...bearer(colleague.key) }),
    409,
    'IDEMPOTENCY_KEY_REUSED',
  );
  assert.deepEqual(await scopesOf(app, first.body.key), ['contacts:read', 'contacts:write']);
});

// ---- Reading

test('keys are listed newest first', async () => {
  const app = await newApp();
  const names = ['a', 'b', 'c'];
  for (const name of names) {
    app.clock.advance(1_000);
    await create(app, { ...wanted, name });
  }
  const { body } = await app.get(`${app.at}/api-keys?limit=3`);
  assert.deepEqual(
    body.data.map(({ name }: { name: string }) => name),
    ['c', 'b', 'a'],
  );
  const { body: rest } = await app.get(`${app.at}/api-keys?cursor=${body.nextCursor}`);
  assert.deepEqual(
    [rest.data.map(({ name }: { name: string }) => name), rest.hasMore],
    [['First sandbox key'], false],
  );
});

test('a key of another account, of the other environment or of nobody does not exist, all alike', async () => {
  const app = await newApp();
  const stranger = await app.newAccount();
  const [foreign] = await app.sql<{ id: string }>('select id from api_keys where account_sid = $1', [
    stranger.accountSid,
  ]);
  const live = await create(app, wanted, bearer(app.liveKey));
  const answers: string[] = [];
  for (const id of [foreign!.id, live.id, randomUUID()]) {
    const path = `${app.at}/api-keys/${id}`;
    for (const answer of [
      await app.get(path),
      await app.patch(path, { disabled: true }),
      await app.post(`${path}/rotate`),
    ]) {
      assertRefusal(answer, 404, 'NOT_FOUND');
      answers.push(answer.text.replace(answer.body.error.requestId, ''));
    }
  }
  assert.equal(new Set(answers).size, 1);
  assert.equal(await app.count('api_keys where disabled_at is not null'), 0);
});

// ---- Changing

test('a key can be renamed and confined, and what is not named stays', async () => {
  const app = await newApp();
  const { key: _key, signingSecret: _secret, ...made } = await create(app);
  const path = `${app.at}/api-keys/${made.id}`;
  app.clock.advance(60_000);
  const updatedAt = app.clock.now().toISOString();
  for (const change of [
    { name: 'Renamed' },
    { allowedCidrs: ['192.0.2.0/24', '2001:db8::/32'] },
    { signingRequired: true },
    { expiresAt: '2027-01-01T00:00:00.000Z' },
    { disabled: true },
    { expiresAt: null, disabled: false, signingRequired: false, allowedCidrs: [] },
  ]) {
    const answer = await app.patch(path, change);
    Object.assign(made, change, { updatedAt });
    assert.deepEqual([answer.status, answer.body], [200, made]);
    assert.deepEqual((await app.get(path)).body, made);
  }
});

test('the scopes of a key never change', async () => {
  const app = await newApp();
  const { id } = await create(app);
  const answer = await app.patch(`${app.at}/api-keys/${id}`, { scopes: ['contacts:read'] });
  assertRefusal(answer, 400, 'VALIDATION_ERROR', [{ path: 'scopes', issue: 'is not a known property' }]);
});

test('a rotated key keeps its name and rights and ends its old text and signing secret', async () => {
  const app = await newApp();
  const made = await create(app);
  assert.deepEqual(await scopesOf(app, made.key), made.scopes);
  app.clock.advance(1_000);
  const { status, body } = await app.post(`${app.at}/api-keys/${made.id}/rotate`);
  assert.equal(status, 200);
  const { key, signingSecret, keyId, updatedAt, lastUsedAt, ...same } = body;
  for (const [name, value] of Object.entries(same)) assert.deepEqual(value, made[name], name);
  assert.notEqual(key, made.key);
  assert.notEqual(signingSecret, made.signingSecret);
  assert.equal(keyId, key.slice(0, 24));
  assert.equal(updatedAt, app.clock.now().toISOString());
  assert.deepEqual(await scopesOf(app, key), made.scopes);
  // The announcement that makes processes forget the old text takes a moment.
  await until('the old text is refused', async () => {
    return (await app.get('/v1/me', bearer(made.key))).status === 401;
  });
});

test('whoever does not hold all that a key can do may disable it and nothing else', async () => {
  const app = await newApp();
  const strong = await create(app, { ...wanted, allowedCidrs: ['127.0.0.0/8'], signingRequired: false });
  const weak = bearer((await app.key(['api_keys:write', 'contacts:read'])).key);
  const path = `${app.at}/api-keys/${strong.id}`;
  const details = [{ path: 'scopes[1]', issue: 'contacts:write is not held by the caller' }];
  assertRefusal(await app.post(`${path}/rotate`, {}, weak), 403, 'AUTHORIZATION_ERROR', details);
  for (const change of [
    { allowedCidrs: [] },
    { signingRequired: false },
    { expiresAt: null },
    { disabled: false },
    { disabled: true, allowedCidrs: [] },
    { name: 'Mine' },
  ])
    assertRefusal(await app.patch(path, change, weak), 403, 'AUTHORIZATION_ERROR', details);
  assert.deepEqual(
    await scopesOf(app, strong.key),
    ['contacts:read', 'contacts:write'],
    'the old text still works',
  );
  assert.equal((await app.get(path)).body.name, 'Order service');
  assert.equal((await app.patch(path, { disabled: true }, weak)).status, 200);
});

test('a key cannot end itself, and may do anything else to itself that it may do to others', async () => {
  const app = await newApp();
  const own = await create(app, { name: 'n', scopes: ['api_keys:write'] });
  const path = `${app.at}/api-keys/${own.id}`;
  const past = '2026-08-21T09:59:59Z';
  for (const [change, at] of [
    [{ disabled: true }, 'disabled'],
    [{ disabled: true, name: 'x' }, 'disabled'],
    [{ expiresAt: past }, 'expiresAt'],
  ] as const) {
    const issue = 'would end the key this request is made with';
    assertRefusal(await app.patch(path, change, bearer(own.key)), 409, 'CONFLICT', [{ path: at, issue }]);
  }
  const renamed = await app.patch(path, { name: 'Mine', disabled: false }, bearer(own.key));
  assert.deepEqual([renamed.status, renamed.body.name], [200, 'Mine']);
  assert.equal((await app.patch(path, { disabled: true })).status, 200);
});

test('the roles of a key count among what it can do', async () => {
  const app = await newApp();
  const plain = await create(app, { name: 'n', scopes: ['contacts:read'] });
  const weak = bearer((await app.key(['api_keys:write', 'contacts:read'])).key);
  const rotate = () => app.post(`${app.at}/api-keys/${plain.id}/rotate`, {}, weak);
  assert.equal((await rotate()).status, 200);
  await app.sql(
    `insert into role_bindings (id, organization_id, account_sid, principal_type, principal_ref, role, scope_kind,
       environment, created_by, created_at)
     select gen_random_uuid(), organization_id, sid, 'API_KEY', $2, 'ADMIN', 'ACCOUNT', 'both', 'test', now()
       from accounts where sid = $1`,
    [app.accountSid, plain.id],
  );
  assertRefusal(await rotate(), 403, 'AUTHORIZATION_ERROR');
});

// ---- What is written down

test('every act on a key is in the audit chain, with who did it and without its secrets', async () => {
  const app = await newApp();
  const made = await create(app);
  const path = `${app.at}/api-keys/${made.id}`;
  await app.patch(path, { disabled: true });
  await app.post(`${path}/rotate`);
  const rows = await app.sql<{ action: string; actor: string; payload: string }>(
    'select action, actor, payload from audit_entries where resource = $1 order by sequence',
    [made.id],
  );
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['api_key.created', 'api_key.changed', 'api_key.rotated'],
  );
  const { body: me } = await app.get('/v1/me');
  for (const { actor } of rows) assert.equal(actor, `api_key:${me.principal.ref}`);
  const facts = rows.map(({ payload }) => JSON.parse(payload).facts);
  assert.deepEqual(facts, [{ name: made.name, scopes: made.scopes }, { disabled: true }, {}]);
  for await (const { broken } of verifyAudit(app.database)) assert.equal(broken, null);
});

test('a refused act leaves no audit entry', async () => {
  const app = await newApp();
  const before = await app.count('audit_entries');
  const weak = bearer((await app.key(['api_keys:write'])).key);
  const issued = await app.count('audit_entries');
  await app.post(`${app.at}/api-keys`, wanted, weak);
  assert.equal(await app.count('audit_entries'), issued);
  assert.equal(issued, before + 1);
});

test('a key tells when it was last used', async (context) => {
  const masterKey = { MASTER_KEY: generateMasterKey() };
  const app = await startTestApp(context, { env: masterKey });
  const made = await create(app);
  const path = `${app.at}/api-keys/${made.id}`;
  assert.equal((await app.get(path)).body.lastUsedAt, null);

  // What a process has noted it writes down every few seconds, and at the latest when it stops.
  const endings: (() => Promise<void>)[] = [];
  const second = await startTestApp(
    { after: (end) => endings.push(end) },
    { databaseUrl: app.databaseUrl, env: masterKey },
  );
  await second.get('/v1/me', bearer(made.key));
  second.clock.advance(1_500);
  await second.get('/v1/me', bearer(made.key));
  await second.get('/v1/me', bearer(made.key.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'))));
  for (const end of endings) await end();
  const { body } = await app.get(path);
  assert.deepEqual([body.lastUsedAt, body.updatedAt], ['2026-08-21T10:00:01.500Z', testStart]);
});
