import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { until } from '../../../test/harness/until.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Incoming } from '../../platform/http/operations/serving.ts';
import { silentLog } from '../../platform/observability/logging.ts';
import { generateMasterKey } from '../../platform/sealing.ts';
import { startKeyAuthentication } from './authenticate.ts';
import { keyText, newKeyParts } from './key-text.ts';

const newApp = ownAccounts();

async function create(app: TestApp, more: object = {}) {
  const { body } = await app.post(`${app.at}/api-keys`, { name: 'n', scopes: ['contacts:read'], ...more });
  return body as { id: string; key: string; keyId: string; signingSecret: string };
}

const change = async (app: TestApp, id: string, body: object) => {
  const answer = await app.patch(`${app.at}/api-keys/${id}`, body);
  assert.equal(answer.status, 200, answer.text);
};

const withLast = (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
const codeOf = ({ body }: Reply) => body.error?.code ?? 'accepted';

/** Other processes hear of a change a moment after its commit. The clock stands still: nothing is forgotten by itself. */
const soon = (check: () => Promise<boolean>, what: string) => until(what, check);

test('whatever is wrong with a credential, the refusal is the same to the byte', async () => {
  const app = await newApp();
  const good = await create(app);
  const expiring = await create(app, { expiresAt: '2026-08-21T10:00:01Z' });
  const elsewhere = await create(app, { allowedCidrs: ['192.0.2.0/24', '2001:db8::/32'] });
  const disabled = await create(app);
  await change(app, disabled.id, { disabled: true });
  app.clock.advance(1_000);

  const unknown = keyText(newKeyParts(false));
  const refusals: Record<string, object> = {
    nothing: { authorization: '' },
    'an unknown key': bearer(unknown),
    'a wrong secret': bearer(withLast(good.key)),
    'a wrong secret of a disabled key': bearer(withLast(disabled.key)),
    'a secret of another key': bearer(good.keyId + disabled.key.slice(24)),
    'the other environment': bearer(good.key.replace('gw_test', 'gw_live')),
    'an unknown environment': bearer(good.key.replace('gw_test', 'gw_prod')),
    'an expired key': bearer(expiring.key),
    'a key from a wrong address': bearer(elsewhere.key),
    'a shortened key': bearer(good.key.slice(0, -1)),
    'a lengthened key': bearer(`${good.key}0`),
    'a key in capitals': bearer(good.key.toUpperCase()),
    'the public part': bearer(good.keyId),
    'another scheme': { authorization: `Basic ${Buffer.from(`${good.key}:`).toString('base64')}` },
    'no scheme': { authorization: good.key },
    'two keys': bearer(`${good.key} ${good.key}`),
    'an empty key': { authorization: 'Bearer ' },
    'a key in the query': { authorization: '', 'x-api-key': good.key },
    'an unknown signer': { authorization: '', 'x-service-key': unknown.slice(0, 24) },
    'a malformed signer': { authorization: '', 'x-service-key': good.key },
  };
  const seen = new Map<string, string>();
  for (const [name, headers] of Object.entries(refusals)) {
    const answer = await app.get('/v1/me', headers);
    assert.equal(answer.status, 401, name);
    const body = answer.text.replace(answer.body.error.requestId, '');
    const names = [...answer.headers.keys()].join();
    seen.set(`${names}\n${body}`, name);
  }
  assert.deepEqual([...seen.values()].length, 1, [...seen.entries()].join('\n'));
  assert.match([...seen.keys()][0]!, /"code":"AUTHENTICATION_ERROR"/);
  assert.equal((await app.get('/v1/me', bearer(good.key))).status, 200);
});

test('the scheme may be written in any case', async () => {
  const app = await newApp();
  for (const scheme of ['Bearer', 'bearer', 'BEARER'])
    assert.equal((await app.get('/v1/me', { authorization: `${scheme} ${app.sandboxKey}` })).status, 200);
});

test('that a key is disabled is told only to whoever holds it', async () => {
  const app = await newApp();
  const { id, key } = await create(app, {
    allowedCidrs: ['192.0.2.0/24'],
    expiresAt: '2026-08-21T11:00:00Z',
  });
  await change(app, id, { disabled: true });
  assert.equal(codeOf(await app.get('/v1/me', bearer(withLast(key)))), 'AUTHENTICATION_ERROR');
  assert.equal(codeOf(await app.get('/v1/me', bearer(key))), 'API_KEY_DISABLED');
  app.clock.advance(3_600_000);
  assert.equal(codeOf(await app.get('/v1/me', bearer(key))), 'API_KEY_DISABLED');
  const refusal = await app.get('/v1/me', bearer(key));
  assert.deepEqual([refusal.status, refusal.headers.get('www-authenticate')], [401, 'Bearer']);
});

test('a disabled key is refused at once, and an enabled one works again', async () => {
  const app = await newApp();
  const { id, key } = await create(app);
  for (let round = 0; round < 5; round += 1) {
    await soon(async () => (await app.get('/v1/me', bearer(key))).status === 200, 'enabling');
    await change(app, id, { disabled: true });
    await soon(async () => codeOf(await app.get('/v1/me', bearer(key))) === 'API_KEY_DISABLED', 'disabling');
    await change(app, id, { disabled: false });
  }
});

test('a key ends at the moment it expires', async () => {
  const app = await newApp();
  const { id, key } = await create(app, { expiresAt: '2026-08-21T11:00:00.500Z' });
  const status = async () => (await app.get('/v1/me', bearer(key))).status;
  assert.equal(await status(), 200);
  app.clock.set('2026-08-21T11:00:00.499Z');
  assert.equal(await status(), 200);
  app.clock.set('2026-08-21T11:00:00.500Z');
  assert.equal(await status(), 401);
  await change(app, id, { expiresAt: '2026-08-21T11:00:01Z' });
  await soon(async () => (await status()) === 200, 'a later end');
  app.clock.advance(500);
  assert.equal(await status(), 401);
});

test('an allow-list is kept to, for IPv4, IPv6 and the one written as the other', async (context) => {
  const app = await startTestApp(context, { env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const tries = async (allowedCidrs: string[], addresses: Record<string, boolean>) => {
    const { key } = await create(app, { allowedCidrs });
    for (const [address, allowed] of Object.entries(addresses)) {
      const answer = await app.get('/v1/me', { ...bearer(key), 'x-forwarded-for': address });
      assert.equal(answer.status, allowed ? 200 : 401, `${address} in ${allowedCidrs}`);
    }
    app.clock.advance(60_000);
  };
  await tries([], { '203.0.113.9': true, '2001:db8::1': true });
  await tries(['192.0.2.0/24'], {
    '192.0.2.0': true,
    '192.0.2.255': true,
    '::ffff:192.0.2.7': true,
    '::ffff:c000:207': true,
    '192.0.1.255': false,
    '192.0.3.0': false,
    '2002:c000:207::': false,
    '64:ff9b::192.0.2.7': false,
  });
  await tries(['192.0.2.7/32', '10.0.0.0/8'], {
    '192.0.2.7': true,
    '10.255.255.255': true,
    '192.0.2.8': false,
  });
  await tries(['2001:db8:1::/48'], {
    '2001:db8:1::': true,
    '2001:DB8:1:ffff:ffff:ffff:ffff:ffff': true,
    '2001:0db8:0001:0000::1': true,
    '2001:db8:2::': false,
    '192.0.2.7': false,
  });
  await tries(['::ffff:192.0.2.0/120'], { '192.0.2.7': true, '::ffff:192.0.2.7': true, '192.0.3.7': false });
  await tries(['0.0.0.0/0'], { '192.0.2.7': true, '2001:db8::1': false });
  await tries(['::/0'], { '192.0.2.7': false, '2001:db8::1': true });
});

test('every process hears of a change, wherever it was made', async (context) => {
  const env = { MASTER_KEY: generateMasterKey() };
  const app = await startTestApp(context, { env });
  const endings: (() => Promise<void>)[] = [];
  const lifetime = { after: (end: () => Promise<void>) => void endings.push(end) };
  const other = await startTestApp(lifetime, { env, databaseUrl: app.databaseUrl });
  const made = await create(app);
  const there = async () => codeOf(await other.get('/v1/me', bearer(made.key)));
  assert.equal(await there(), 'accepted');
  await change(app, made.id, { disabled: true });
  await soon(async () => (await there()) === 'API_KEY_DISABLED', 'disabling in the other process');
  await change(app, made.id, { disabled: false });
  await soon(async () => (await there()) === 'accepted', 'enabling in the other process');
  await app.post(`${app.at}/api-keys/${made.id}/rotate`);
  await soon(
    async () => (await there()) === 'AUTHENTICATION_ERROR',
    'the end of the old text in the other process',
  );
  for (const end of endings) await end();
});

test('a change whose announcement was lost holds at the next request', async (context) => {
  const app = await startTestApp(context);
  const { id, key } = await create(app);
  const code = async () => codeOf(await app.get('/v1/me', bearer(key)));
  assert.equal(await code(), 'accepted');
  await app.sql('alter table api_keys disable trigger announce');
  await app.sql('update api_keys set disabled_at = now() where id = $1', [id]);
  assert.equal(await code(), 'API_KEY_DISABLED');
  await app.sql('update api_keys set disabled_at = null where id = $1', [id]);
  assert.equal(await code(), 'accepted');
});

test('what a clock in the future remembered is not believed when the clock is set back', async (context) => {
  const app = await startTestApp(context);
  const { id, key } = await create(app);
  app.clock.advance(3_600_000);
  assert.equal(codeOf(await app.get('/v1/me', bearer(key))), 'accepted');
  await app.sql('alter table api_keys disable trigger announce');
  await app.sql('update api_keys set disabled_at = now() where id = $1', [id]);
  app.clock.advance(-3_600_000);
  assert.equal(codeOf(await app.get('/v1/me', bearer(key))), 'API_KEY_DISABLED');
});

test('a row that was read before a change is not remembered after it', async () => {
  const app = await newApp();
  const { id, key } = await create(app);
  let announced = () => {};
  const heard = new Promise<void>((resolve) => {
    announced = resolve;
  });
  let holdBack = true;
  // The first look-up gets its row before the change and hands it on only after the change was announced.
  const slow: Database = {
    ...app.database,
    async system(work) {
      const result = await app.database.system(work);
      if (!holdBack) return result;
      holdBack = false;
      await change(app, id, { disabled: true });
      await heard;
      return result;
    },
    listen: (channel, onNotify, onLost) =>
      app.database.listen(
        channel,
        (payload) => {
          onNotify(payload);
          announced();
        },
        onLost,
      ),
  };
  const keys = await startKeyAuthentication({ database: slow, sealer: app.sealer, log: silentLog });
  const incoming = { headers: bearer(key), address: '127.0.0.1' } as unknown as Incoming;
  const ask = () => keys.authenticator(incoming, app.clock.now());
  assert.equal((await ask())?.principal.ref, id, 'it was right when it was asked');
  await assert.rejects(ask, { code: 'API_KEY_DISABLED' });
  await keys.stop();
});

test('a key that many ask for at once is read once, and again by whoever asks after a change', async () => {
  const app = await newApp();
  const { id, key } = await create(app);
  let reads = 0;
  let letGo = () => {};
  let forget: (payload: string) => void = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const slow: Database = {
    ...app.database,
    async system(work) {
      reads += 1;
      const result = await app.database.system(work);
      await held;
      return result;
    },
    async listen(_channel, onNotify) {
      forget = onNotify;
      return async () => {};
    },
  };
  const keys = await startKeyAuthentication({ database: slow, sealer: app.sealer, log: silentLog });
  const incoming = { headers: bearer(key), address: '127.0.0.1' } as unknown as Incoming;
  const ask = () => keys.authenticator(incoming, app.clock.now());
  const early = Array.from({ length: 50 }, ask);
  forget('*');
  const late = Array.from({ length: 50 }, ask);
  letGo();
  const found = await Promise.all([...early, ...late]);
  assert.deepEqual(new Set(found.map((one) => one?.principal.ref)), new Set([id]));
  assert.equal(reads, 2);
  await keys.stop();
});

test('a key reaches its own account and environment only', async () => {
  const app = await newApp();
  const stranger = await app.newAccount();
  const nobody = app.accountSid.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const refusals: string[] = [];
  for (const account of [stranger.accountSid, nobody, 'AC1', 'nonsense']) {
    const answer = await app.get(`/v1/accounts/${account}/authorizations`);
    assert.equal(answer.status, 403);
    refusals.push(answer.text.replace(answer.body.error.requestId, ''));
  }
  assert.equal(new Set(refusals).size, 1);
});
