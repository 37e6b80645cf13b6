import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootstrapped, freshDatabase, ownerOf } from './fixtures.ts';
import { call, godwit, startGodwit, until } from './godwit.ts';

test('the log names what happened and nothing that was said, whatever goes wrong', async (context) => {
  const env = { ...(await freshDatabase(context)), LOG_LEVEL: 'trace' };
  const account = await bootstrapped(env);
  const made = await godwit(
    ['keys', 'create', '--account', account.accountSid, '--name', 'x', '--json'],
    env,
  );
  const { keyId, signingSecret, key: otherKey } = JSON.parse(made.stdout);
  const service = await startGodwit(context, env);
  const authorizations = `${service.url}/v1/accounts/${account.accountSid}/authorizations`;
  const secrets = {
    words: 'the-words-of-the-instruction',
    reference: 'the-reference',
    phone: '+491701234567',
    cookie: 'the-session-in-the-cookie',
    signature: `v1=${'ab'.repeat(32)}`,
    token: 'the-step-up-token',
    query: 'the-words-of-the-query',
    idempotency: 'the-key-of-the-request',
  };
  const body = {
    task: 'TEMPLATE_APPEAL',
    resourceRef: secrets.reference,
    instruction: `${secrets.words} ${secrets.phone}`,
  };
  const headers = { 'idempotency-key': secrets.idempotency, cookie: `session=${secrets.cookie}` };
  const record = (more: object = {}) =>
    call(authorizations, { method: 'POST', key: account.sandboxKey, body, headers, ...more });

  assert.equal((await record()).status, 201);
  assert.equal((await record({ body: `{"instruction": "${secrets.words} ${secrets.phone}` })).status, 400);
  assert.equal((await record({ body: { ...body, stepUpToken: secrets.token } })).status, 400);
  assert.equal((await record({ key: `gw_test_${'0'.repeat(16)}_${'1'.repeat(52)}` })).status, 401);
  const signed = {
    'x-service-key': keyId,
    'x-service-timestamp': String(Math.floor(Date.now() / 1000)),
    'x-service-nonce': 'the-nonce-of-the-request',
    'x-service-signature': secrets.signature,
  };
  assert.equal((await call(`${service.url}/v1/me`, { headers: signed })).status, 401);
  assert.equal(
    (await call(`${authorizations}?cursor=${secrets.query}`, { key: account.sandboxKey })).status,
    400,
  );

  // A refusal by the database itself carries the whole row in its own words.
  const owner = await ownerOf(context, env);
  await owner.query("alter table authorizations add check (resource_ref <> 'the-reference') not valid");
  const failed = await record({ headers: { 'idempotency-key': 'another' } });
  assert.deepEqual([failed.status, failed.body.error.code], [500, 'INTERNAL_PERMANENT_ERROR']);

  await until('the failure is in the log', () => service.text().includes('a request failed'));
  await service.stop();
  const log = service.text();
  assert.match(log, /"operation":"createAuthorization","status":201/);
  assert.match(log, new RegExp(failed.body.error.requestId));
  for (const [name, secret] of Object.entries({ ...secrets, signingSecret, otherKey, ...account, ...env })) {
    if (['accountSid', 'baseUrl', 'DATA_DIR', 'LOG_LEVEL'].includes(name)) continue;
    assert.ok(!log.includes(secret as string), `${name} is in the log`);
  }
  assert.doesNotMatch(log, /gw_(test|live)_\w{16}_/);
});
