// Several processes on one database behave as one service.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, test } from 'node:test';
import type pg from 'pg';
import { signatureOf } from '../../src/modules/api-keys/index.ts';
import { sha256Hex } from '../../src/platform/hashing.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { beatsAreNeverLate } from '../harness/time.ts';
import { type Bootstrapped, bootstrapped, freshDatabase, type Given, ownerOf } from './fixtures.ts';
import { type Answer, call, godwit, type Started, startGodwit, until } from './godwit.ts';

const instruction = {
  task: 'TEMPLATE_SUBMISSION',
  resourceRef: 'order_confirmation_v2',
  instruction: 'Please submit our order confirmation template for review.',
};

describe('two API processes and a worker', () => {
  const lifetime = sharedLifetime();
  let env: Given;
  let account: Bootstrapped;
  let owner: pg.Client;
  let here: Started;
  let there: Started;
  before(async () => {
    env = await freshDatabase(lifetime);
    account = await bootstrapped(env);
    owner = await ownerOf(lifetime, env);
    await owner.query(beatsAreNeverLate);
    const roles = ['api', 'api', 'worker'].map((role) =>
      startGodwit(lifetime, env, { args: ['start', '--role', role] }),
    );
    [here, there] = (await Promise.all(roles)) as [Started, Started, Started];
  });

  const at = (service: Started, path: string) => `${service.url}/v1/accounts/${account.accountSid}${path}`;
  const newKey = async (...options: string[]) => {
    const args = [
      'keys',
      'create',
      '--account',
      account.accountSid,
      '--name',
      'Test key',
      '--json',
      ...options,
    ];
    return JSON.parse((await godwit(args, env)).stdout);
  };

  test('one Idempotency-Key sent to both at once has one effect', async () => {
    const record = (service: Started) =>
      call(at(service, '/authorizations'), {
        method: 'POST',
        key: account.sandboxKey,
        body: instruction,
        headers: { 'idempotency-key': 'both-at-once' },
      });
    const answers = await Promise.all([here, there, here, there].map(record));
    for (const { status, body } of answers) {
      assert.ok(status === 201 || body.error.code === 'IDEMPOTENCY_IN_PROGRESS', JSON.stringify(body));
    }
    const ids = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.id));
    assert.equal(ids.size, 1);
    const replays = [await record(here), await record(there)];
    for (const { status, body, headers } of replays) {
      assert.deepEqual([status, body.id, headers.get('idempotent-replayed')], [201, [...ids][0], 'true']);
    }
    assert.equal((await owner.query('select from authorizations')).rowCount, 1);
  });

  test('a key disabled through one is refused by the other within a second', async (context) => {
    const { id, key } = await newKey();
    for (const service of [here, there])
      assert.equal((await call(`${service.url}/v1/me`, { key })).status, 200);
    const disabled = await call(at(here, `/api-keys/${id}`), {
      method: 'PATCH',
      key: account.sandboxKey,
      body: { disabled: true },
      headers: { 'idempotency-key': randomUUID() },
    });
    assert.equal(disabled.status, 200);
    // Without word of it the other would remember the key for ten seconds from its last use of the database.
    const toldMs = performance.now();
    await until('the other refuses the key', async () => {
      return (await call(`${there.url}/v1/me`, { key })).status === 401;
    });
    context.diagnostic(`refused after ${Math.round(performance.now() - toldMs)} ms, promised 1000 ms`);
  });

  test('a nonce used on one is a replay on the other', async () => {
    const { keyId, signingSecret } = await newKey();
    const timestamp = String(Math.floor(Date.now() / 1000));
    const nonce = randomUUID();
    const parts = { method: 'GET', url: '/v1/me', timestamp, nonce, bodySha256: sha256Hex('') };
    const headers = {
      'x-service-key': keyId,
      'x-service-timestamp': timestamp,
      'x-service-nonce': nonce,
      'x-service-signature': signatureOf(signingSecret, parts),
    };
    assert.equal((await call(`${here.url}/v1/me`, { headers })).status, 200);
    assert.equal((await call(`${there.url}/v1/me`, { headers })).body.error.code, 'SIGNATURE_REPLAYED');
  });

  test("a key's limit is one limit once both know of each other", async () => {
    for (const service of [here, there]) {
      const { id, key } = await newKey();
      await until('its limits are kept in the database', async () => {
        await call(`${service.url}/v1/me`, { key });
        const kept = 'select from rate_buckets where name = $1';
        return (await owner.query(kept, [`api_key:${id}`])).rowCount === 1;
      });
    }
    const perSecond = 5;
    const burst = 2 * perSecond;
    const { key } = await newKey('--requests-per-second', String(perSecond));
    const beganMs = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 2 * burst }, (_, i) => call(`${(i % 2 ? here : there).url}/v1/me`, { key })),
    );
    const refilled = Math.ceil(((performance.now() - beganMs) / 1000) * perSecond);
    const allowed = answers.filter(({ status }) => status === 200).length;
    assert.ok(allowed >= burst && allowed <= burst + refilled, `${allowed} of ${burst} + ${refilled}`);
    for (const refused of answers.filter(({ status }) => status !== 200)) isRateLimited(refused);
  });

  test('a queued job is run by the worker', async () => {
    await owner.query(
      `insert into idempotency_keys (account_sid, livemode, subject, key, operation_id, fingerprint, principal,
         created_at, expires_at)
       values ($1, false, '', 'long-expired', 'createAuthorization', '', 'system:test',
         now() - interval '2 days', now() - interval '1 day')`,
      [account.accountSid],
    );
    await owner.query("select graphile_worker.add_job('platform.sweep-idempotency-keys')");
    await until('the expired key is swept', async () => {
      const left = await owner.query("select from idempotency_keys where key = 'long-expired'");
      return left.rowCount === 0;
    });
    const inForce =
      "select from idempotency_keys where operation_id = 'createAuthorization' and expires_at > now()";
    assert.equal((await owner.query(inForce)).rowCount, 1);
  });
});

function isRateLimited({ status, body, headers }: Answer): void {
  assert.deepEqual([status, body.error.code], [429, 'RATE_LIMITED']);
  assert.ok(Number(headers.get('retry-after')) >= 1);
}

describe('a worker that dies', () => {
  test('loses its job to the next one, which need not wait for hours', async (context) => {
    const env = await freshDatabase(context);
    const { accountSid } = await bootstrapped(env);
    const [owner, holder] = [await ownerOf(context, env), await ownerOf(context, env)];
    const killed = await startGodwit(context, env, { args: ['start', '--role', 'worker'] });
    await holder.query('begin');
    await holder.query(
      `insert into idempotency_keys (account_sid, livemode, subject, key, operation_id, fingerprint, principal,
         created_at, expires_at)
       values ($1, false, '', 'expired', 'x', '', 'x', now() - interval '2 days', now() - interval '1 day')`,
      [accountSid],
    );
    await holder.query('commit');
    // The sweep cannot end while somebody holds the row it wants to remove.
    await holder.query('begin');
    await holder.query("select from idempotency_keys where key = 'expired' for update");
    await owner.query("select graphile_worker.add_job('platform.sweep-idempotency-keys', max_attempts => 5)");
    await until('the job is held', async () => {
      const held = 'select from graphile_worker._private_jobs where locked_by is not null';
      return (await owner.query(held)).rowCount === 1;
    });
    await killed.stop('SIGKILL');
    await holder.query('commit');
    // Instead of waiting for the silence to grow long enough.
    await owner.query("update processes set beat_at = beat_at - interval '1 minute'");

    const next = await startGodwit(context, env, { args: ['start', '--role', 'worker'] });
    await until(
      'the job is done',
      async () => (await owner.query('select from idempotency_keys')).rowCount === 0,
    );
    assert.equal((await next.stop()).code, 0);
    assert.equal((await owner.query('select from processes')).rowCount, 0);
  });

  test('is told from a living one by its beat alone', async (context) => {
    const env = await freshDatabase(context);
    const owner = await ownerOf(context, env);
    await owner.query(
      `insert into processes (id, role, host, pid, worker_ids, beat_at) values
         (gen_random_uuid(), 'worker', 'h', 1, '{pool-dead-1,pool-dead-2}', clock_timestamp() - interval '7 seconds'),
         (gen_random_uuid(), 'worker', 'h', 2, '{pool-alive}', clock_timestamp() - interval '5 seconds')`,
    );
    for (const pool of ['pool-dead-1', 'pool-dead-2', 'pool-alive']) {
      await owner.query("select graphile_worker.add_job('some.job', job_key => $1)", [pool]);
      await owner.query(
        'update graphile_worker._private_jobs set locked_by = $1, locked_at = now() where key = $1',
        [pool],
      );
    }
    await owner.query('select bury_dead_processes()');
    const held = await owner.query(
      'select locked_by from graphile_worker._private_jobs where locked_by is not null',
    );
    assert.deepEqual(held.rows, [{ locked_by: 'pool-alive' }]);
    const living = await owner.query('select worker_ids from processes');
    assert.deepEqual(living.rows, [{ worker_ids: ['pool-alive'] }]);
  });
});
