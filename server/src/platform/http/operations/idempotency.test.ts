import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { ownAccounts } from '../../../../test/harness/own-account.ts';
import { programIn } from '../../../../test/harness/program.ts';
import { sha256 } from '../../hashing.ts';
import { generateMasterKey } from '../../sealing.ts';
import { openKeyedHash } from '../key-secret.ts';
import { fingerprintOf } from './idempotency.ts';

const instruction = { task: 'TEMPLATE_APPEAL', resourceRef: 'welcome', instruction: 'Please appeal.' };
const keyed = (key: string, more: object = {}) => ({ 'idempotency-key': key, ...more });
const effects = async (app: TestApp) => ({
  rows: await app.count('authorizations'),
  events: await app.count("events where type = 'authorization.recorded'"),
  audits: await app.count("audit_entries where action = 'authorization.recorded'"),
});
const oneEffect = { rows: 1, events: 1, audits: 1 };
const ownAccount = ownAccounts();

test('200 requests at once with one key make one effect', async () => {
  const app = await ownAccount();
  const replies = await Promise.all(
    Array.from({ length: 200 }, () => app.post(`${app.at}/authorizations`, instruction, keyed('storm'))),
  );
  const made = replies.filter(({ status }) => status === 201);
  assert.ok(made.length > 0);
  assert.equal(new Set(made.map(({ text }) => text)).size, 1);
  assert.equal(made.filter(({ headers }) => !headers.get('idempotent-replayed')).length, 1);
  for (const { status, body } of replies.filter((reply) => reply.status !== 201)) {
    assert.deepEqual([status, body.error.code, body.error.retryable], [409, 'IDEMPOTENCY_IN_PROGRESS', true]);
  }
  assert.deepEqual(await effects(app), oneEffect);
});

for (const moment of ['before-commit', 'before-answer']) {
  test(`a process killed ${moment} leaves a state from which the retry gives exactly one effect`, async (context) => {
    const masterKey = generateMasterKey();
    const app = await startTestApp(context, { env: { MASTER_KEY: masterKey } });
    const child = spawn(
      process.execPath,
      [
        ...programIn(new URL('../../../../test/harness/crashing-service.ts', import.meta.url)),
        app.databaseUrl,
        moment,
      ],
      { env: { ...process.env, PORT: '0', MASTER_KEY: masterKey }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const exit = once(child, 'exit');
    const [url] = await once(createInterface(child.stdout!), 'line');
    const dying = fetch(`${url}${app.at}/authorizations`, {
      method: 'POST',
      headers: { ...bearer(app.sandboxKey), ...keyed('fatal'), 'content-type': 'application/json' },
      body: JSON.stringify(instruction),
    });
    await assert.rejects(dying);
    assert.equal((await exit)[1], 'SIGKILL');
    // The system clock made that row; the retry comes a minute later.
    app.clock.set(new Date(Date.now() + 60_000));

    const retry = await app.post(`${app.at}/authorizations`, instruction, keyed('fatal'));
    assert.equal(retry.status, 201);
    assert.equal(retry.headers.get('idempotent-replayed'), moment === 'before-answer' ? 'true' : null);
    assert.deepEqual(await effects(app), oneEffect);
  });
}

test('the same key with another body, path or method is refused and changes nothing', async () => {
  const app = await ownAccount();
  await app.post(`${app.at}/authorizations`, instruction, keyed('once'));
  const others = [
    () => app.post(`${app.at}/authorizations`, { ...instruction, resourceRef: 'other' }, keyed('once')),
    () => app.post(`${app.at}/authorizations`, `${JSON.stringify(instruction)} `, keyed('once')),
    () => app.post(`${app.at}/api-keys`, { name: 'x', scopes: ['contacts:read'] }, keyed('once')),
  ];
  for (const send of others) {
    const { status, body } = await send();
    assert.deepEqual([status, body.error.code], [409, 'IDEMPOTENCY_KEY_REUSED']);
  }
  assert.deepEqual(await effects(app), oneEffect);
});

test('a key is free again after 24 hours, and not a moment sooner', async () => {
  const app = await ownAccount();
  const send = () => app.post(`${app.at}/authorizations`, instruction, keyed('daily'));
  const first = await send();
  app.clock.advance(24 * 3_600_000 - 1);
  assert.equal((await send()).text, first.text);
  app.clock.advance(1);
  const next = await send();
  assert.notEqual(next.body.id, first.body.id);
  assert.equal(await app.count('authorizations'), 2);
  assert.equal((await send()).text, next.text);
});

test('a refusal is not stored: the same key runs again', async () => {
  const app = await ownAccount();
  const blank = { ...instruction, instruction: ' ' };
  assert.equal((await app.post(`${app.at}/authorizations`, blank, keyed('heals'))).status, 400);
  assert.equal(await app.count('idempotency_keys'), 0);
  assert.equal((await app.post(`${app.at}/authorizations`, instruction, keyed('heals'))).status, 201);
});

test("accounts and environments do not see each other's keys", async () => {
  const app = await ownAccount();
  const other = await app.newAccount();
  const send = (accountSid: string, key: string) =>
    app.post(`/v1/accounts/${accountSid}/authorizations`, instruction, {
      ...keyed('shared'),
      ...bearer(key),
    });
  const replies = [
    await send(app.accountSid, app.sandboxKey),
    await send(app.accountSid, app.liveKey),
    await send(other.accountSid, other.sandboxKey),
  ];
  assert.deepEqual(
    replies.map(({ status }) => status),
    [201, 201, 201],
  );
  assert.equal(new Set(replies.map(({ body }) => body.id)).size, 3);
});

test('a stored answer is sealed', async () => {
  const app = await ownAccount();
  await app.post(`${app.at}/api-keys`, { name: 'Please appeal', scopes: ['contacts:read'] }, keyed('sealed'));
  const [row] = await app.sql<{ text: string }>(
    "select encode(body, 'escape') as text from idempotency_keys where account_sid = $1",
    [app.accountSid],
  );
  assert.ok(!row!.text.includes('Please appeal'));
});

test('an answer that an event tells word for word is stored once, and replayed from the event', async () => {
  const app = await ownAccount();
  const send = () => app.post(`${app.at}/authorizations`, instruction, keyed('told'));
  const first = await send();
  const rows = await app.sql(
    `select k.body, k.status, e.data::text as data from idempotency_keys k join events e on e.sid = k.event_sid
     where k.account_sid = $1`,
    [app.accountSid],
  );
  assert.deepEqual(rows, [{ body: null, status: 201, data: first.text }]);
  const again = await send();
  assert.deepEqual([again.status, again.text], [201, first.text]);
  assert.equal(again.headers.get('location'), first.headers.get('location'));
});

test('neither a key nor a body can be read from what is kept, or found by guessing it', async () => {
  const app = await ownAccount();
  const key = '+33612345678';
  await app.post(`${app.at}/authorizations`, instruction, keyed(key));
  const [row] = await app.sql<{ key: string; fingerprint: Buffer }>(
    'select key, fingerprint from idempotency_keys where account_sid = $1',
    [app.accountSid],
  );
  const guesses = [
    key,
    ...(['base64url', 'hex', 'base64'] as const).map((form) => sha256(key).toString(form)),
  ];
  assert.ok(!guesses.includes(row!.key), row!.key);
  const guessed = fingerprintOf('POST', `${app.at}/authorizations`, JSON.stringify(instruction));
  assert.ok(!row!.fingerprint.equals(guessed));
});

test('keys that an earlier version kept in clear are concealed at the next start, and answered as before', async () => {
  const app = await ownAccount();
  const first = await app.post(`${app.at}/authorizations`, instruction, keyed('earlier'));
  const fingerprint = fingerprintOf('POST', `${app.at}/authorizations`, JSON.stringify(instruction));
  await app.sql(
    "update idempotency_keys set key = 'earlier', fingerprint = $2, concealed = false where account_sid = $1",
    [app.accountSid, fingerprint],
  );
  await openKeyedHash(app.database, app.sealer);
  assert.equal(await app.count("idempotency_keys where key = 'earlier' or not concealed"), 0);
  const again = await app.post(`${app.at}/authorizations`, instruction, keyed('earlier'));
  assert.deepEqual([again.status, again.text], [201, first.text]);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const other = await app.post(
    `${app.at}/authorizations`,
    { ...instruction, resourceRef: 'x' },
    keyed('earlier'),
  );
  assert.equal(other.body.error.code, 'IDEMPOTENCY_KEY_REUSED');
});
