// The operator's commands, beside a running service and without one.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import pg from 'pg';
import { mail, providerVersionsOf } from '../../src/main/commands/doctor.ts';
import { readConfig } from '../../src/main/settings.ts';
import { type Lifetime, sharedLifetime } from '../harness/lifetime.ts';
import { cloneDatabase, inDatabase } from '../harness/postgres.ts';
import { bootstrapped, freshDatabase, ownerOf } from './fixtures.ts';
import {
  atEnd,
  call,
  credentialsIn,
  dataFolder,
  type Environment,
  godwit,
  type Started,
  startGodwit,
  until,
} from './godwit.ts';
import { migratedFolder } from './migrated-folder.ts';

const unknownAccount = 'AC01M7EFRXGBFCR29V3G3NK609QQ';

describe('beside a running service, found through its data folder', () => {
  let service: Started;
  let env: Environment;
  let accountSid: string;
  const lifetime = sharedLifetime();
  before(async () => {
    const dataDir = await migratedFolder(lifetime);
    service = await startGodwit(lifetime, { DATA_DIR: dataDir });
    env = { DATA_DIR: dataDir, PORT: new URL(service.url).port };
    accountSid = credentialsIn(service.text()).accountSid;
  });

  const me = (key: string) => call(`${service.url}/v1/me`, { key });
  const said = async (...args: string[]) => {
    const { code, stdout, stderr } = await godwit(args, env);
    assert.deepEqual([code, stderr], [0, '']);
    return stdout;
  };

  test('bootstrap makes an account whose keys work in their environments', async () => {
    // The command knows the data folder; where the service answers it learns from the service itself.
    const { stdout } = await godwit(['bootstrap', '--json'], { DATA_DIR: env.DATA_DIR! });
    const made = JSON.parse(stdout);
    assert.deepEqual(Object.keys(made), ['baseUrl', 'accountSid', 'sandboxKey', 'liveKey']);
    assert.equal(made.baseUrl, service.url);
    const [sandbox, live] = [await me(made.sandboxKey), await me(made.liveKey)];
    assert.deepEqual([sandbox.status, live.status], [200, 200]);
    assert.deepEqual([sandbox.body.accountSid, live.body.accountSid], [made.accountSid, made.accountSid]);
    assert.deepEqual([sandbox.body.livemode, live.body.livemode], [false, true]);
  });

  test('a key is created, listed and disabled, and the service refuses it at once', async () => {
    const account = ['--account', accountSid];
    const scopes = ['--scopes', 'contacts:read, contacts:write'];
    const text = await said('keys', 'create', ...account, '--name', 'Order service', ...scopes);
    const key = text.trim();
    assert.match(key, /^gw_test_[0-9a-z]{16}_[0-9a-z]{52}$/);
    const answer = await me(key);
    assert.deepEqual([answer.status, answer.body.scopes], [200, ['contacts:read', 'contacts:write']]);

    const listed = JSON.parse(await said('keys', 'list', ...account, '--json'));
    const found = listed.find(({ name }: { name: string }) => name === 'Order service');
    assert.equal(found.disabled, false);
    assert.ok(key.startsWith(`${found.keyId}_`));
    assert.match(await said('keys', 'list', ...account), new RegExp(`${found.id} {2}active .*Order service`));
    assert.doesNotMatch(await said('keys', 'list', ...account, '--live'), /Order service/);

    assert.equal(await said('keys', 'disable', found.id, ...account), `${found.id} is disabled.\n`);
    const refused = await until(
      'the key is refused',
      async () => {
        const { status, body } = await me(key);
        return status === 200 ? null : body.error.code;
      },
      1_000,
    );
    assert.equal(refused, 'API_KEY_DISABLED');
    assert.match(
      await said('keys', 'list', ...account),
      new RegExp(`${found.id} {2}disabled .*Order service`),
    );
  });

  test('a key has the limit and the environment it was given', async () => {
    const made = await said(
      'keys',
      'create',
      '--account',
      accountSid,
      '--name',
      'Slow',
      '--live',
      '--requests-per-second',
      '3',
      '--json',
    );
    const { key, livemode, requestsPerSecond } = JSON.parse(made);
    assert.deepEqual([livemode, requestsPerSecond], [true, 3]);
    assert.match((await me(key)).headers.get('ratelimit-policy') ?? '', /^"key";q=6;/);
  });

  test('what does not exist is named', async () => {
    const id = '01a1dd16-f106-7a92-ae95-60fd1ef42bdf';
    const refusals = await Promise.all([
      godwit(['keys', 'create', '--account', unknownAccount, '--name', 'x'], env),
      godwit(['keys', 'list', '--account', unknownAccount], env),
      godwit(['keys', 'disable', id, '--account', unknownAccount], env),
      godwit(['audit', 'verify', '--account', unknownAccount], env),
    ]);
    for (const { code, stderr } of refusals) {
      assert.deepEqual([code, stderr], [2, `godwit: There is no account ${unknownAccount}.\n`]);
    }
    const noKey = await godwit(['keys', 'disable', id, '--account', accountSid], env);
    assert.deepEqual(
      [noKey.code, noKey.stderr],
      [2, `godwit: There is no key ${id} in this account's sandbox.\n`],
    );
  });

  test('doctor finds nothing wrong', async () => {
    const findings = JSON.parse(await said('doctor', '--json'));
    assert.deepEqual(
      findings.map(({ name, verdict }: { name: string; verdict: string }) => [name, verdict]),
      [
        'database',
        'migrations',
        'roles',
        'clock',
        'disk',
        'queue',
        'media',
        'scanner',
        'mail',
        'payments',
        'provider',
      ].map((name) => [name, 'ok']),
    );
    assert.match(await said('doctor'), /^✓ database .*\n✓ migrations /);
  });

  test('the service goes on after all of this', async () => {
    assert.equal((await call(`${service.url}/readyz`)).status, 200);
    assert.equal((await service.stop()).code, 0);
  });
});

test('doctor names what is missing and what to do', async (context) => {
  const env = await emptyDatabase(context);
  const { code, stdout } = await godwit(['doctor'], env);
  assert.equal(code, 1);
  assert.match(
    stdout,
    /✗ migrations (\d+) of \1 not applied\n +Run "godwit migrate", or start the service once\./,
  );
  assert.equal(existsSync(env.DATA_DIR), false);
});

test('doctor warns 90, 30 and 7 days before a version of the provider ends, for each environment', () => {
  const look = (at: string, sandboxApiVersion: string | null = null) =>
    providerVersionsOf({ providerApiVersion: 'v24.0', sandboxApiVersion }, new Date(at));
  const verdicts = ['2027-11-19', '2027-11-20', '2028-01-19', '2028-02-11', '2028-02-18'].map(
    (day) => look(`${day}T12:00:00Z`)[0]!,
  );
  assert.deepEqual(
    verdicts.map(({ verdict }) => verdict),
    ['ok', 'warning', 'warning', 'problem', 'problem'],
  );
  assert.match(verdicts[1]!.says, /^v24\.0 ends on 2028-02-18, in 90 days$/);
  assert.match(verdicts[1]!.remedy!, /^Set PROVIDER_API_VERSION to v25\.0; /);
  assert.match(verdicts[2]!.remedy!, /A month is left\.$/);
  assert.match(verdicts[4]!.says, /ended on 2028-02-18: v25\.0 answers in its place/);
  assert.deepEqual(
    look('2028-02-11T12:00:00Z', 'v26.0').map(({ name, verdict }) => [name, verdict]),
    [
      ['provider, live', 'problem'],
      ['provider, sandbox', 'ok'],
    ],
  );
});

test('doctor says where mail goes, and what keeps mail programs from believing it', () => {
  const verdict = (env: Record<string, string>) => {
    const { verdict: is, says, remedy = '' } = mail(readConfig(env));
    return [is, says, remedy.match(/MAIL_FROM|PUBLIC_URL/g) ?? []];
  };
  const outbox = verdict({ DATA_DIR: '/data' });
  assert.deepEqual(outbox, ['ok', 'is laid into /data/outbox, without a mail server', []]);
  const good = {
    SMTP_URL: 'smtps://user:hidden-word@mail.example.org',
    MAIL_FROM: 'Godwit <no-reply@mail.example.org>',
    DKIM_DOMAIN: 'example.org',
    PUBLIC_URL: 'https://godwit.example.org',
  };
  assert.deepEqual(verdict(good), ['ok', 'goes to mail.example.org, signed for example.org', []]);
  assert.deepEqual(verdict({ ...good, DKIM_DOMAIN: '' }), ['ok', 'goes to mail.example.org, unsigned', []]);
  assert.deepEqual(verdict({ ...good, MAIL_FROM: 'a@notexample.org' })[2], ['MAIL_FROM']);
  assert.deepEqual(verdict({ ...good, PUBLIC_URL: 'http://godwit.example.org' })[2], ['PUBLIC_URL']);
});

test('migrate brings an empty database up, and does nothing the second time', async (context) => {
  const env = await emptyDatabase(context);
  const first = await godwit(['migrate'], env);
  assert.deepEqual([first.code, first.stderr], [0, '']);
  assert.match(first.stdout, /^applied 0001_roles\.sql\n(applied .+\n)+Done\.\n$/);
  const second = await godwit(['migrate'], env);
  assert.match(second.stdout, /^Nothing to do: all \d+ migrations are applied\.\n$/);
  assert.equal((await godwit(['doctor'], env)).code, 0);
});

async function emptyDatabase(context: Lifetime) {
  const env = await freshDatabase(context);
  const { url, drop } = await cloneDatabase();
  atEnd(context, drop);
  const name = /\/(test_\w+)/.exec(url)![1]!;
  const admin = new pg.Client({ connectionString: env.DATABASE_URL });
  await admin.connect();
  await admin.query(`drop database ${name} with (force)`);
  await admin.query(`create database ${name} template template0`);
  await admin.end();
  return { ...env, DATABASE_URL: inDatabase(url, name), DATA_DIR: join(env.DATA_DIR, 'not', 'made') };
}

test('a database that does not answer is said in one line, by whatever name it was called', async (context) => {
  const DATA_DIR = await dataFolder(context);
  for (const host of ['127.0.0.1', 'localhost']) {
    const env = { DATA_DIR, DATABASE_URL: `postgres://godwit:hidden-word@${host}:1/godwit` };
    const examined = await godwit(['doctor'], env);
    assert.equal(examined.code, 1);
    assert.match(
      examined.stdout,
      /^✗ database +does not answer: .*ECONNREFUSED.*\n +Check DATABASE_URL, .*\n$/,
    );
    const migrated = await godwit(['migrate'], env);
    assert.equal(migrated.code, 1);
    assert.match(migrated.stderr, /^godwit: .*ECONNREFUSED.*\n$/);
    assert.doesNotMatch(examined.stdout + migrated.stderr, /hidden-word/);
  }
});

describe('audit verify', () => {
  test('proves every chain, and names the first broken link', async (context) => {
    const env = await freshDatabase(context);
    const { accountSid } = await bootstrapped(env);
    const other = await bootstrapped(env);
    await godwit(['keys', 'create', '--account', accountSid, '--name', 'Second'], env);
    await godwit(['keys', 'create', '--account', accountSid, '--name', 'Third'], env);
    const whole = await godwit(['audit', 'verify'], env);
    assert.deepEqual([whole.code, whole.stdout], [0, 'Every chain holds (6 entries).\n']);

    const owner = await ownerOf(context, env);
    await owner.query('alter table audit_entries disable trigger user');
    await owner.query(
      `update audit_entries set payload = replace(payload, 'Second', 'Sedond')
        where account_sid = $1 and not livemode and sequence = 2`,
      [accountSid],
    );
    await owner.query('alter table audit_entries enable trigger user');
    const broken = await godwit(['audit', 'verify'], env);
    assert.equal(broken.code, 1);
    assert.equal(
      broken.stdout,
      `${accountSid} sandbox: broken at 2: its content was changed\n1 chain is broken.\n`,
    );
    assert.equal((await godwit(['audit', 'verify', '--account', other.accountSid], env)).code, 0);
  });
});
