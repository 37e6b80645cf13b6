// What the operator does about the provider, about applications and about moving numbers from the command line.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { migrationsOf } from '../harness/number-migrations.ts';
import { type OnboardingOf, onboardingOf } from '../harness/onboarding.ts';
import { freshDatabase } from './fixtures.ts';
import { type Environment, godwit } from './godwit.ts';

let env: Environment;
let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  const fresh = await freshDatabase(lifetime);
  const { DATABASE_URL: databaseUrl, MASTER_KEY } = fresh;
  app = await startTestApp(lifetime, { databaseUrl, env: { MASTER_KEY }, simulator: true });
  env = { ...fresh, SIMULATOR_URL: app.simulator.url };
});

/** The code it ended with, and all that it said. */
const said = async (...args: string[]) => {
  const { code, stdout, stderr } = await godwit(args, env);
  return [code, (stdout + stderr).trim()] as const;
};

suite('godwit onboarding', () => {
  const about = (onboarding: OnboardingOf, sid: string) => [
    '--account',
    onboarding.accountSid,
    '--application',
    sid,
  ];

  test('lists who waits, and takes an application from review to its rejection', async () => {
    assert.deepEqual(await said('onboarding', 'list'), [0, 'Nobody waits to be set up.']);
    const onboarding = onboardingOf(app);
    const sid = await onboarding.applied({ displayName: 'Depot' });
    assert.deepEqual(await said('onboarding', 'list'), [
      0,
      `${app.accountSid}  ${sid}  SUBMITTED  PURCHASE  FR  Depot`,
    ]);
    const decide = (verb: string, ...more: string[]) =>
      said('onboarding', verb, ...about(onboarding, sid), ...more);
    assert.deepEqual(await decide('review'), [0, `${sid} is IN_REVIEW.`]);
    assert.deepEqual(await decide('request-information', '--request', 'The extract, please.'), [
      0,
      `${sid} is INFORMATION_REQUESTED.`,
    ]);
    const [code, revealed] = await decide('reveal', '--reason', 'To look it up');
    assert.deepEqual([code, JSON.parse(revealed).details.legalName], [0, 'Depot SA']);
    const [ended, json] = await decide('reject', '--reason', 'No.', '--json');
    assert.deepEqual([ended, JSON.parse(json).state], [0, 'REJECTED']);
    assert.deepEqual(await said('onboarding', 'list', '--json'), [0, '[]']);
  });

  test('refuses in the words of the API with 2, and what is malformed before anything is asked', async () => {
    const onboarding = onboardingOf(app, await app.newAccount());
    const sid = await onboarding.applied();
    const [code, why] = await said('onboarding', 'approve', ...about(onboarding, sid));
    assert.equal(code, 2);
    assert.match(why, /SUBMITTED: it cannot become APPROVED/);
    const wrong = await said('onboarding', 'review', ...about(onboarding, 'nonsense'));
    assert.equal(wrong[0], 2);
    assert.match(wrong[1], /application SID such as MA01/);
  });
});

suite('godwit provider contract', () => {
  test('tries a version, says who answered, and keeps the run as evidence', async () => {
    const [code, line] = await said('provider', 'contract', '--version', 'v25.0');
    assert.match(line, /^v25\.0 for sandbox, answered by the simulator: \d+ passed, 0 failed\.$/);
    assert.deepEqual([code, await app.count(`provider_contract_runs where version = 'v25.0'`)], [0, 1]);
  });

  test('ends with 1 and names each check that failed', async () => {
    const match = { path: 'whatsapp_business_profile' };
    const { id } = app.simulator.control.addRule({ match, behaviour: { refuse: { code: 131000 } } });
    const [code, text] = await said('provider', 'contract', '--version', 'v25.0');
    app.simulator.control.removeRule(id);
    assert.equal(code, 1);
    assert.match(text, /^✗ profile is read: expected an answer, got PROVIDER_TEMPORARY_ERROR/m);
  });

  test('ends with 2 where nobody answers, and keeps nothing', async () => {
    const kept = await app.count('provider_contract_runs');
    const { code, stderr } = await godwit(['provider', 'contract', '--version', 'v25.0'], {
      ...env,
      SIMULATOR_URL: 'http://127.0.0.1:1',
    });
    assert.equal(code, 2);
    assert.match(stderr, /The simulator at http:\/\/127\.0\.0\.1:1 does not take part/);
    assert.equal(await app.count('provider_contract_runs'), kept);
  });
});

test('godwit number-migrations list shows what has not ended', async () => {
  assert.deepEqual(await said('number-migrations', 'list'), [0, 'No number is being migrated.']);
  const migrations = await migrationsOf(app);
  const { sender, body } = await migrations.scene();
  const { sid } = (await migrations.start(body)).body;
  await migrations.run(sid);
  const since = app.clock.now().toISOString();
  assert.deepEqual(await said('number-migrations', 'list'), [
    0,
    `${app.accountSid}  ${sid}  ${sender.phoneNumber}  VERIFY  waits for VERIFICATION_CODE  since ${since}`,
  ]);
  const [, json] = await said('number-migrations', 'list', '--json');
  assert.deepEqual(
    JSON.parse(json).map((one: { sid: string; senderSid: string }) => [one.sid, one.senderSid]),
    [[sid, sender.sid]],
  );
  assert.deepEqual(await said('number-migrations', 'list', '--live'), [0, 'No number is being migrated.']);
});
