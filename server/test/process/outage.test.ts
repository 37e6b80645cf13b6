// PostgreSQL goes away, or hangs, and comes back; the service stays, says so, and recovers by itself.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { signatureOf } from '../../src/modules/api-keys/index.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/db/setup/embedded-postgres.ts';
import { sha256Hex } from '../../src/platform/hashing.ts';
import { generateMasterKey } from '../../src/platform/sealing.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { freePort } from '../harness/ports.ts';
import { type Bootstrapped, bootstrapped, type Given, ownerOf } from './fixtures.ts';
import { type Answer, call, postgresPid, type Started, startGodwit, until } from './godwit.ts';
import { migratedFolder } from './migrated-folder.ts';

describe('while PostgreSQL is away', () => {
  const lifetime = sharedLifetime();
  let postgres: EmbeddedPostgres;
  let env: Given;
  let account: Bootstrapped;
  let service: Started;
  let senderSid: string;
  let comeBack: () => Promise<void>;

  before(async () => {
    const dataDir = await migratedFolder(lifetime);
    const port = await freePort();
    const settings = { port: String(port), fsync: 'off' };
    comeBack = async () => {
      postgres = await startEmbeddedPostgres({ dataDir, settings });
    };
    await comeBack();
    // Over TCP, since the folder of the socket changes with every start.
    const password = /:([0-9a-f]+)@/.exec(postgres.url)![1];
    const DATABASE_URL = `postgres://godwit:${password}@127.0.0.1:${port}/godwit`;
    env = { DATABASE_URL, DATA_DIR: dataDir, MASTER_KEY: generateMasterKey() };
    account = await bootstrapped(env);
    service = await startGodwit(lifetime, { ...env, DATABASE_ANSWER_MS: '4000', DATABASE_WAIT_MS: '1000' });
    const senders = `${service.url}/v1/accounts/${account.accountSid}/senders`;
    // A service that waits so briefly for its database may say on a busy machine that it is to be asked again.
    const listed = await answered('the senders', 200, () => call(senders, { key: account.sandboxKey }));
    senderSid = listed.body.data[0].sid;
  });

  const me = () => call(`${service.url}/v1/me`, { key: account.sandboxKey });
  const record = (idempotencyKey: string) =>
    call(`${service.url}/v1/accounts/${account.accountSid}/authorizations`, {
      method: 'POST',
      key: account.sandboxKey,
      body: { task: 'TEMPLATE_APPEAL', resourceRef: 'x', instruction: 'x' },
      headers: { 'idempotency-key': idempotencyKey },
    });

  // Each to somebody else, since messages to one person go out seconds apart.
  let recipients = 0;
  const send = (idempotencyKey: string, to = `+336123456${10 + recipients++}`) =>
    call(`${service.url}/v1/accounts/${account.accountSid}/messages`, {
      method: 'POST',
      key: account.sandboxKey,
      body: {
        from: senderSid,
        to,
        type: 'template',
        template: { name: 'hello_world', language: 'en' },
      },
      headers: { 'idempotency-key': idempotencyKey },
    });

  test('the service says that it is not ready, and answers what may be repeated', async (context) => {
    await until('requests are answered', async () => (await me()).status === 200);
    await until('it is ready', async () => (await call(`${service.url}/readyz`)).body.status === 'ready');
    await postgres.stop();

    const notReady = await call(`${service.url}/readyz`);
    assert.equal(notReady.status, 503);
    assert.deepEqual(notReady.body, { status: 'not ready', reason: 'the database does not answer' });
    assert.equal((await call(`${service.url}/healthz`)).status, 200);
    const idempotencyKey = randomUUID();
    for (const { status, body, headers } of [await me(), await record(idempotencyKey)]) {
      assert.deepEqual([status, body.error.code], [503, 'INTERNAL_TEMPORARY_ERROR']);
      assert.equal(body.error.retryable, true);
      assert.ok(Number(headers.get('retry-after')) >= 1);
    }

    // Long enough for several attempts: each that fails must leave one that goes on trying, and not two.
    const attempts = () => service.text().split('cannot listen to the database yet').length - 1;
    await until('it has tried again several times', () => attempts() >= 4);
    await comeBack();
    const beganMs = performance.now();
    await until('the service is ready', async () => (await call(`${service.url}/readyz`)).status === 200);
    await until('requests are answered', async () => (await me()).status === 200);
    context.diagnostic(`recovered after ${Math.round(performance.now() - beganMs)} ms, promised 5000 ms`);
    await until('the same key is answered', async () => (await record(idempotencyKey)).status === 201);
    const owner = await ownerOf(context, env);
    const listeners = () => owner.query("select from pg_stat_activity where query like 'listen \"api_key%'");
    await until('it listens again', async () => (await listeners()).rowCount !== 0);
    assert.equal((await listeners()).rowCount, 1);
    await owner.end();
  });

  test('a key disabled meanwhile is refused afterwards', async (context) => {
    await until('the key works', async () => (await me()).status === 200);
    await postgres.stop();
    await comeBack();
    const owner = await ownerOf(context, env);
    await owner.query('update api_keys set disabled_at = now() where not livemode');
    await until('the key is refused', async () => (await me()).body.error?.code === 'API_KEY_DISABLED');
    await owner.query('update api_keys set disabled_at = null');
    await until('the key works again', async () => (await me()).status === 200);
    await owner.end();
  });

  test('a job that was running is tried again, and the worker goes on working', async (context) => {
    const owner = await ownerOf(context, env);
    await expiredKey(owner, account.accountSid, 'held');
    await owner.query('begin');
    await owner.query("select from idempotency_keys where key = 'held' for update");
    const other = await ownerOf(context, env);
    await other.query("select graphile_worker.add_job('platform.sweep-idempotency-keys', max_attempts => 5)");
    await until('the job runs', async () => {
      const held = 'select from graphile_worker._private_jobs where locked_by is not null';
      return (await other.query(held)).rowCount === 1;
    });
    await postgres.stop();
    await comeBack();
    const after = await ownerOf(context, env);
    await until('the job is done', async () => {
      await after.query('update graphile_worker._private_jobs set run_at = now() where locked_by is null');
      return (await after.query("select from idempotency_keys where key = 'held'")).rowCount === 0;
    });
    await expiredKey(after, account.accountSid, 'later');
    await after.query("select graphile_worker.add_job('platform.sweep-idempotency-keys')");
    await until('a later job is done', async () => {
      return (await after.query("select from idempotency_keys where key = 'later'")).rowCount === 0;
    });
    await after.end();
  });

  test('while it hangs every request is answered, and afterwards each has had its effect once', async (context) => {
    const owner = await ownerOf(context, env);
    const signingKey = randomUUID();
    const signing = await answered('a key that signs', 201, () =>
      call(`${service.url}/v1/accounts/${account.accountSid}/api-keys`, {
        method: 'POST',
        key: account.sandboxKey,
        body: { name: 'Signs', scopes: ['contacts:read'] },
        headers: { 'idempotency-key': signingKey },
      }),
    );
    const requests = Array.from({ length: 24 }, (_, at) => {
      const key = randomUUID();
      const to = `+336998877${10 + at}`;
      return () => (at % 2 ? record(key) : send(key, to));
    });
    const effects = async () => {
      const count = `select (select count(*) from authorizations where account_sid = $1)::int
                          + (select count(*) from messages where account_sid = $1)::int as made`;
      return (await owner.query<{ made: number }>(count, [account.accountSid])).rows[0]!.made;
    };
    const before = await effects();

    // Some of these are under way when it stops: their commits may or may not be in time.
    const early = requests.map((request) => request());
    const goOn = await freeze(owner, env.DATA_DIR);
    try {
      const late = [me(), me(), record(randomUUID()), send(randomUUID())];
      const ready = call(`${service.url}/readyz`);
      const signed = call(`${service.url}/v1/me`, { headers: signatureFor(signing.body) });
      for (const { status, body, headers } of await Promise.all(late)) {
        assert.deepEqual([status, body.error?.code], [503, 'INTERNAL_TEMPORARY_ERROR']);
        assert.equal(body.error.retryable, true);
        assert.ok(Number(headers.get('retry-after')) >= 1);
      }
      const unsigned = await signed;
      assert.deepEqual([unsigned.status, unsigned.body.error?.code], [503, 'SIGNING_UNAVAILABLE']);
      assert.equal((await ready).status, 503);
      for (const { status } of await Promise.all(early))
        assert.ok([201, 503].includes(status), String(status));
    } finally {
      goOn();
    }
    for (const repeat of requests)
      await until('the same key is answered', async () => (await repeat()).status === 201);
    assert.equal(await effects(), before + requests.length);

    await expiredKey(owner, account.accountSid, 'after the hang');
    await owner.query("select graphile_worker.add_job('platform.sweep-idempotency-keys')");
    await until('the worker goes on working', async () => {
      const left = "select from idempotency_keys where key = 'after the hang'";
      return (await owner.query(left)).rowCount === 0;
    });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(metrics, /^godwit_database_connections_given_up_total [1-9]/m);
    await owner.end();
  });

  test('the service can be stopped', async (context) => {
    // An answer of the provider that is not written down yet would be waited for: nothing is under way any more.
    const owner = await ownerOf(context, env);
    await until('every message has arrived', async () => {
      return (
        (await owner.query("select from message_states where status not in ('delivered', 'read')"))
          .rowCount === 0
      );
    });
    await owner.end();
    await postgres.stop();
    assert.deepEqual(await service.stop(), { code: 0, signal: null });
  });
});

/** Asks again until the answer has this status, as a client would with the same key. */
const answered = (what: string, status: number, ask: () => Promise<Answer>) =>
  until(what, async () => {
    const answer = await ask();
    return answer.status === status ? answer : null;
  });

type Owner = Awaited<ReturnType<typeof ownerOf>>;

async function expiredKey(owner: Owner, accountSid: string, key: string): Promise<void> {
  await owner.query(
    `insert into idempotency_keys (account_sid, livemode, subject, key, operation_id, fingerprint, principal,
       created_at, expires_at)
     values ($1, false, '', $2, 'x', '', 'x', now() - interval '2 days', now() - interval '1 day')`,
    [accountSid, key],
  );
}

/** Stops every process of PostgreSQL where it stands, and tells how to let them go on. */
async function freeze(owner: Owner, dataDir: string): Promise<() => void> {
  const { rows } = await owner.query<{ pid: number }>('select pid from pg_stat_activity');
  // The first is the one that would make new ones.
  const pids = [postgresPid(dataDir)!, ...rows.map(({ pid }) => pid)];
  const tell = (signal: NodeJS.Signals) => {
    for (const pid of pids) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended meanwhile
      }
    }
  };
  tell('SIGSTOP');
  return () => tell('SIGCONT');
}

/** The headers of a signed `GET /v1/me`. */
function signatureFor({ keyId, signingSecret }: { keyId: string; signingSecret: string }) {
  const parts = {
    method: 'GET',
    url: '/v1/me',
    timestamp: String(Math.floor(Date.now() / 1_000)),
    nonce: randomUUID(),
    bodySha256: sha256Hex(''),
  };
  return {
    'x-service-key': keyId,
    'x-service-timestamp': parts.timestamp,
    'x-service-nonce': parts.nonce,
    'x-service-signature': signatureOf(signingSecret, parts),
  };
}
