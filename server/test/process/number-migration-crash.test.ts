// A service that is killed at any moment of a number migration, with answers of the provider lost besides: the number moves once.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { verificationCode } from '@godwit/simulator';
import type { TestApp } from '../harness/app.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { type Migrations, migrationsOf, why } from '../harness/number-migrations.ts';
import { stands, tablesWith } from '../harness/secrets.ts';
import {
  canSend,
  type Death,
  type RestartedService,
  type Story,
  startKilled,
  testDeaths,
  waitingFor,
} from './killed-service.ts';

// NUMBER_MIGRATION_CRASHES=200 kills the service so often, at one moment of the story after the other; otherwise at the few below.
// Each round also loses the answer of one call.
const crashes = Number(process.env.NUMBER_MIGRATION_CRASHES ?? 0);
const few: Death[] = [
  { named: 'after addPhoneNumber' },
  { named: 'before registerPhoneNumber' },
  { named: 'after registerPhoneNumber' },
];
const registrationPin = '907153';

let app: TestApp;
let migrations: Migrations;
let service: RestartedService;
let wait: ReturnType<typeof waitingFor>;
const lifetime = sharedLifetime();
before(async () => {
  ({ app, service } = await startKilled(lifetime, 'migrations', { TEST_LOG_LEVEL: 'trace' }));
  wait = waitingFor({ app, service });
  migrations = await migrationsOf(app);
});

async function asked(path: string, body: object) {
  const { stepUpToken } = await migrations.stepUp();
  const given = { headers: migrations.key, body: { ...why, ...body, stepUpToken }, key: randomUUID() };
  const reply = await service.send('POST', `${app.at}/migrations${path}`, given);
  assert.equal(reply.status, 202, JSON.stringify(reply.body));
  return reply.body;
}

/** The message that validates may die with the service: then another is sent. */
async function endedWell(sid: string): Promise<boolean> {
  const { state, step } = await migrations.get(sid);
  if (state === 'FAILED') {
    assert.equal(step, 'VALIDATE', JSON.stringify(await migrations.get(sid)));
    await migrations.retry(sid);
  }
  return state === 'SUCCEEDED';
}

const paths = ['phone_numbers', 'request_code', 'verify_code', 'register'];
let told = 0;

async function story(): Promise<Story> {
  const scene = await migrations.scene();
  const { sender, destination } = scene;
  told += 1;
  // Never that of the call whose answer dies with the service, at the few moments above.
  const lost = { path: paths[(told + 1) % paths.length]! };
  const answer = told % 2 === 0 ? 'lost' : 'closed-before';
  app.simulator.control.clearRules();
  app.simulator.control.addRule({ match: lost, behaviour: { answer }, count: 1 });
  return async () => {
    const { sid } = await asked('', { ...scene.body, registrationPin });
    await wait(
      'it waits for the code',
      1_000,
      async () => (await migrations.get(sid)).awaits === 'VERIFICATION_CODE',
    );
    await asked(`/${sid}/verification-code`, { code: verificationCode });
    await wait('it has ended well', 5_000, () => endedWell(sid));

    const { providerPhoneNumberId } = await migrations.get(sid);
    const done = migrations
      .commands(destination.providerWabaId, providerPhoneNumberId)
      .filter(([, refusal]) => refusal === null)
      .map(([path]) => path);
    const times = (path: string) => done.filter((one) => one === path).length;
    assert.deepEqual([times('phone_numbers'), times('verify_code'), times('register')], [1, 1, 1]);
    const places = app.simulator.control
      .phoneNumbers()
      .filter(({ number, status }) => `+${number}` === sender.phoneNumber && status !== 'MIGRATED');
    assert.deepEqual(
      places.map(({ id, wabaId, status }) => [id, wabaId, status]),
      [[providerPhoneNumberId, destination.providerWabaId, 'CONNECTED']],
    );
    const rows = await app.sql<{ waba: string; by: string | null }>(
      'select waba_sid as waba, paused_by as by from senders where phone_number = $1',
      [sender.phoneNumber],
    );
    assert.deepEqual(rows, [{ waba: destination.sid, by: null }]);
    await canSend({ app, wait }, sender.sid);
  };
}

suite('a number migration whose service is killed', () => {
  testDeaths('adds and registers the number once and leaves the lane running', () => service, story, {
    crashes,
    few,
  });
  test('leaves the PIN in no table and no line of the log', async () => {
    assert.deepEqual(await tablesWith(app, registrationPin), []);
    const log = service.log();
    assert.match(log, /"operation":"createMigration"/);
    assert.ok(!stands([registrationPin], log));
  });
});
