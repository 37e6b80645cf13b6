// A service that is killed at any moment of a number migration, with answers of the provider lost besides: the number moves once.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { verificationCode } from '@godwit/simulator';
import { newPhone } from '../../src/modules/contacts/fixtures.ts';
import { generateMasterKey } from '../../src/platform/sealing.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import type { Death } from '../harness/dying-service.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { type Migrations, migrationsOf, tablesWith, why } from '../harness/number-migrations.ts';
import { freePort } from '../harness/ports.ts';
import { dataFolder, until } from './godwit.ts';
import { diesOnce, keepRunning, patientMs, type RestartedService, type Story } from './restarted-service.ts';

// NUMBER_MIGRATION_CRASHES=200 kills the service so often, at one moment of the story after the other; otherwise at the few below.
// Each round also loses the answer of one call.
const crashes = Number(process.env.NUMBER_MIGRATION_CRASHES ?? 0);
const few: Death[] = [
  { named: 'after addPhoneNumber' },
  { named: 'before registerPhoneNumber' },
  { named: 'after registerPhoneNumber' },
];
// A test of many ends in time for the deadline of its file.
const crashesInATest = 10;
const registrationPin = '907153';

let app: TestApp;
let migrations: Migrations;
let service: RestartedService;
const lifetime = sharedLifetime();
before(async () => {
  const MASTER_KEY = generateMasterKey();
  app = await startTestApp(lifetime, { role: 'api', env: { MASTER_KEY }, simulator: true });
  // Jobs fall due by the database's clock, so that of the services stays near to it.
  app.clock.set(new Date());
  migrations = await migrationsOf(app);
  service = await keepRunning(lifetime, app, 'migrations', {
    PORT: String(await freePort()),
    MASTER_KEY,
    HOST: '127.0.0.1',
    DATA_DIR: await dataFolder(lifetime),
    SIMULATOR_URL: app.simulator.url,
    TEST_LOG_LEVEL: 'trace',
  });
});

let handled = 0;
/** Time passes while something is waited for, and what is due by the clock of the service is due by that of the database. */
const wait = (what: string, ms: number, condition: () => Promise<unknown>) =>
  until(
    what,
    async () => {
      await service.ready();
      if (service.deaths() > handled) {
        handled = service.deaths();
        service.advance(10_000);
      }
      service.advance(ms);
      await app.simulator.control.settle();
      await app.sql(
        `update graphile_worker._private_jobs set run_at = now()
          where locked_at is null and run_at > now() and run_at <= $1`,
        [app.clock.now()],
      );
      return condition();
    },
    patientMs,
  );

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
    await messageArrives(sender.sid);
  };
}

/** The lane runs. */
async function messageArrives(from: string): Promise<void> {
  const template = { name: 'hello_world', language: 'en' };
  const { body } = await app.post(`${app.at}/messages`, { from, to: newPhone(), type: 'template', template });
  await wait(
    'a message leaves from there',
    1_000,
    async () => app.simulator.control.messagesWithOpaque(body.sid).length === 1,
  );
}

let at = 0;
/** The next moment of the story; after its last the first, with the answer of another call lost. */
async function diesNext(): Promise<string> {
  at += 1;
  const moment = await diesOnce(service, story, { at });
  if (moment) return `${at}: ${moment}`;
  at = 0;
  return diesNext();
}
async function diesAs(death: Death): Promise<string> {
  const moment = await diesOnce(service, story, death);
  assert.ok(moment, `it never came to it: ${service.moments().join(', ')}`);
  return moment;
}

suite('a number migration whose service is killed', () => {
  const rounds = crashes
    ? Array.from({ length: crashes }, () => diesNext)
    : few.map((death) => () => diesAs(death));
  for (let from = 0; from < rounds.length; from += crashesInATest) {
    test(`adds and registers the number once and leaves the lane running (from ${from + 1})`, async (context) => {
      for (const round of rounds.slice(from, from + crashesInATest)) context.diagnostic(await round());
    });
  }
  test('leaves the PIN in no table and no line of the log', async () => {
    assert.deepEqual(await tablesWith(app, registrationPin), []);
    const log = service.log();
    assert.match(log, /"operation":"createMigration"/);
    assert.doesNotMatch(log, new RegExp(`\\b${registrationPin}\\b`));
  });
});
