import assert from 'node:assert/strict';
import { before, suite as group, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { openProbe } from '../../../adapters/whatsapp/probe.ts';
import { sandbox } from '../../../main/sandbox.ts';
import { canonicalJson, sha256Hex } from '../../../platform/hashing.ts';
import { silentLog } from '../../../platform/observability/logging.ts';
import { insertWaba } from '../../wabas/fixtures.ts';
import { type Check, reading, same } from './check.ts';
import { type ContractContext, NotTried, runContract } from './contract.ts';
import { tryNextVersion } from './crons.ts';
import { digestOf, suite } from './suite.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { simulator: true });
});

const context = (site: object = {}): ContractContext => ({
  database: app.database,
  now: () => app.clock.now(),
  log: silentLog,
  site: { ...app.site(), ...site },
  ports: app.ports,
  sandbox,
});

const run = (version: string, more: { livemode?: boolean; checks?: readonly Check[]; site?: object } = {}) =>
  runContract(context(more.site), {
    livemode: more.livemode ?? false,
    version,
    ...(more.checks && { checks: more.checks }),
  });

async function calendar() {
  const reply = await app.get(`${app.at}/provider-version-calendar`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}
const environment = async (name: string) =>
  (await calendar()).environments.find((one: { environment: string }) => one.environment === name);

group('the contract', () => {
  test('has some eighty checks, no two of one name', () => {
    assert.ok(suite.length >= 80, String(suite.length));
    assert.equal(new Set(suite.map(({ name }) => name)).size, suite.length);
    assert.ok(suite.filter(({ reads }) => reads).length >= 30);
  });

  for (const version of ['v24.0', 'v25.0', 'v26.0'])
    test(`is kept by the simulator in ${version}, and the evidence says who answered`, async () => {
      const made = await run(version);
      assert.deepEqual(made.failed, []);
      assert.deepEqual([made.against, made.passed, made.leftOut], ['simulator', suite.length, 0]);
      assert.equal(made.suiteDigest, digestOf(suite));
    });

  test('leaves nothing that calls back', async () => {
    const before = app.simulator.control.callbacks().total;
    await run('v25.0');
    await app.simulator.control.settle();
    assert.equal(app.simulator.control.callbacks().total, before);
  });

  test('is broken as a whole by a version that has ended: another serves it without a word', async () => {
    const { failed, passed } = await run('v19.0');
    // Where the connection breaks no answer comes, and none can be wrong.
    assert.ok(passed <= 3 && failed.length >= suite.length - 3, `${passed} passed`);
    const [first] = failed;
    assert.deepEqual(first, {
      check: 'account is read',
      expected: 'v19.0 to serve the call',
      got: 'v20.0 did',
    });
  });
});

group('a run', () => {
  test('of which one check is broken on purpose fails, and its stored evidence names that one', async () => {
    const broken = suite.map((check) =>
      check.name === 'numbers are listed'
        ? {
            ...check,
            run: async (stage: Parameters<Check['run']>[0]) => {
              const { ok } = await stage.provider.listPhoneNumbers(stage.connection, stage.wabaId, null);
              same(ok, 'never');
            },
          }
        : check,
    );
    app.clock.advance(1_000);
    const made = await run('v26.0', { checks: broken });
    const failure = { check: 'numbers are listed', expected: 'never', got: 'true' };
    assert.deepEqual([made.failed, made.passed], [[failure], suite.length - 1]);
    assert.notEqual(made.suiteDigest, digestOf(suite));
    const { canary } = await environment('sandbox');
    assert.deepEqual([canary.version, canary.state], ['v26.0', 'FAILED']);
    assert.deepEqual(canary.evidence.failed, [failure]);
    assert.equal(canary.evidence.id, made.id);
  });

  test('of a provider that answers otherwise fails by the check that met it', async () => {
    app.simulator.control.addRule({
      match: { path: 'whatsapp_business_profile' },
      behaviour: { refuse: { code: 131000 } },
    });
    const { failed } = await run('v25.0');
    app.simulator.control.clearRules();
    assert.deepEqual(
      failed.map(({ check }) => check),
      [
        'profile is read',
        'profile of a number that nobody has is refused',
        'profile is written and read again',
      ],
    );
    assert.match(failed[0]!.got, /PROVIDER_TEMPORARY_ERROR/);
  });

  test('that breaks in the middle of a check goes on with the others', async () => {
    const checks = [
      reading('breaks', async () => {
        throw new TypeError('x is not a function');
      }),
      reading('stands', async ({ provider, connection, wabaId }) => {
        await provider.getWaba(connection, wabaId);
      }),
    ];
    const made = await run('v25.0', { checks });
    const failure = { check: 'breaks', expected: 'a check that ends', got: 'x is not a function' };
    assert.deepEqual([made.passed, made.failed], [1, [failure]]);
  });

  test('is stored for good, and its digest is that of what it says', async () => {
    const { digest, ...said } = await run('v25.0');
    assert.equal(sha256Hex(canonicalJson(said)), digest);
    for (const statement of [
      `update provider_contract_runs set failed = '[]'`,
      'delete from provider_contract_runs',
      'truncate provider_contract_runs',
    ])
      await assert.rejects(app.sql(statement), /append-only/);
  });

  test('against nobody leaves no evidence', async () => {
    const before = await app.count('provider_contract_runs');
    const { provider } = app.site();
    const nowhere = {
      provider: { ...provider, sandbox: { ...provider.sandbox, baseUrl: 'http://127.0.0.1:1' } },
    };
    await assert.rejects(run('v25.0', { site: nowhere }), NotTried);
    assert.equal(await app.count('provider_contract_runs'), before);
  });
});

group('a live run', () => {
  test('without an account to read is answered by the simulator and says so', async () => {
    const made = await run('v25.0', { livemode: true });
    assert.deepEqual([made.livemode, made.against, made.leftOut], [true, 'simulator', 0]);
    const { canary } = await environment('live');
    assert.equal(canary.evidence.against, 'simulator');
  });

  test('reads the account of the operator and changes nothing there', async () => {
    const wabaSid = await liveWaba();
    const live = { ...app.site().provider.live, baseUrl: app.simulator.url };
    const site = { providerCanary: wabaSid, provider: { ...app.site().provider, live } };
    const before = app.simulator.control.commands().total;
    const made = await run('v25.0', { livemode: true, site });
    const reads = suite.filter(({ reads }) => reads).length;
    assert.deepEqual([made.failed, made.passed, made.leftOut], [[], reads, suite.length - reads]);
    // It was pointed at the simulator, and whoever answers says so: evidence of the provider cannot be had from it.
    assert.equal(made.against, 'simulator');
    assert.equal(app.simulator.control.commands().total, before);
  });

  test('is answered by the provider only when no answer was the simulator’s', async () => {
    const probe = openProbe();
    const masked = {
      ...probe,
      takeAnswers: () => probe.takeAnswers().map((one) => ({ ...one, simulated: false })),
    };
    const ports = { ...app.ports, openProbe: () => masked };
    const made = await runContract({ ...context(), ports }, { livemode: false, version: 'v25.0' });
    assert.equal(made.against, 'provider');
  });

  test('of an account that is not there, in the sandbox, or disconnected is not made', async () => {
    const [ours] = (await app.get(`${app.at}/wabas`)).body.data;
    const left = await liveWaba();
    await app.sql(
      `update wabas set connection_state = 'DISCONNECTED', disconnected_at = connected_at, access_token = null where sid = $1`,
      [left],
    );
    for (const providerCanary of ['WB01K3SAMP1E0000000000000000', ours.sid, left])
      await assert.rejects(run('v25.0', { livemode: true, site: { providerCanary } }), NotTried);
  });
});

/** A live account whose token the simulator knows. */
async function liveWaba(): Promise<string> {
  const sid = await insertWaba(app, { accountSid: app.accountSid, livemode: true });
  const { accessToken, wabaId } = sandbox.newWaba(['Canary']);
  const sealed = app.sealer.seal(accessToken, `waba token/${app.accountSid}/${sid}`);
  await app.sql('update wabas set access_token = $2, provider_waba_id = $3 where sid = $1', [
    sid,
    sealed,
    wabaId,
  ]);
  return sid;
}

test('every night the sandbox tries the version after its own, and the calendar shows it', async () => {
  app.clock.advance(60_000);
  const { ports, database } = app;
  const cron = tryNextVersion(sandbox);
  await cron.run({ ...context(), ports, database, now: () => app.clock.now() } as never);
  const { pinned, next, canary } = await environment('sandbox');
  assert.deepEqual([pinned.version, next.version], ['v24.0', 'v25.0']);
  assert.deepEqual([canary.version, canary.state], ['v25.0', 'PASSED']);
  assert.equal(canary.evidence.finishedAt, app.clock.now().toISOString());
});

group('the calendar', () => {
  test('tells of each environment, with a key of either', async () => {
    const { environments } = await calendar();
    const live = await app.get(`${app.at}/provider-version-calendar`, bearer(app.liveKey));
    assert.deepEqual(live.body.environments, environments);
    assert.deepEqual([live.body.livemode, environments.length], [true, 2]);
  });

  test('counts the days to the end of a version, and tells who serves one that has ended', async () => {
    const at = async (time: string) => {
      app.clock.set(new Date(time));
      const { pinned, next } = await environment('live');
      return [pinned.daysLeft, pinned.servedVersion, next?.version ?? null];
    };
    assert.deepEqual(await at('2026-08-21T10:00:00Z'), [546, 'v24.0', 'v25.0']);
    assert.deepEqual(await at('2028-02-17T23:59:59Z'), [1, 'v24.0', 'v25.0']);
    assert.deepEqual(await at('2028-02-18T00:00:00Z'), [0, 'v25.0', 'v25.0']);
    assert.deepEqual(await at('2028-08-01T00:00:00Z'), [-165, 'v26.0', 'v26.0']);
    app.clock.set(new Date('2026-08-21T10:00:00Z'));
  });

  test('says where the provider named a month only', async () => {
    const { calendar: versions } = await calendar();
    const oldest = versions.at(-1);
    assert.deepEqual(
      [oldest.version, oldest.releaseDate, oldest.releaseDatePrecision, oldest.ended],
      ['v19.0', '2024-01-01', 'MONTH', true],
    );
    assert.equal(versions[0].deprecationDate, null);
  });
});
