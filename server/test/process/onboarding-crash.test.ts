// A service that is killed at any moment of setting a business up, with answers of the provider lost besides: one number is ordered,
// added and registered, and paid for once.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import type { TestApp } from '../harness/app.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { assertSetUpOnce, onboardingOf } from '../harness/onboarding.ts';
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

// ONBOARDING_CRASHES=200 kills the service so often, at one moment of the story after the other; otherwise at the few below.
// Each round also loses the answer of one call; every other number is ported.
const crashes = Number(process.env.ONBOARDING_CRASHES ?? 0);
const few: Death[] = [
  { named: 'after order' },
  { named: 'after addPhoneNumber' },
  { named: 'after registerPhoneNumber' },
  { named: 'before commit of wabas' },
];
const lostPaths = ['phone_numbers', 'request_code', 'verify_code', 'register', 'subscribed_apps'];
const lostHow = ['lost', 'closed-before', 'bad-gateway-accepted'] as const;

let app: TestApp;
let service: RestartedService;
let wait: ReturnType<typeof waitingFor>;
const lifetime = sharedLifetime();
before(async () => {
  ({ app, service } = await startKilled(lifetime, 'onboarding', { TEST_LOG_LEVEL: 'trace' }));
  wait = waitingFor({ app, service });
});

let told = 0;
const pins: string[] = [];

async function story(): Promise<Story> {
  const account = await app.newAccount();
  const onboarding = onboardingOf(app, account);
  const isPorted = told % 2 === 1;
  const body = await onboarding.application(
    isPorted ? { numberSource: 'PORT', requestedNumber: `+33981${100_000 + told}` } : {},
  );
  const path = lostPaths[told % lostPaths.length]!;
  const answer = lostHow[told % lostHow.length]!;
  told += 1;
  app.simulator.control.clearRules();
  app.simulator.control.addRule({ match: { path }, behaviour: { answer }, count: 1 });
  return async () => {
    const asked = { headers: onboarding.headers, body, key: randomUUID() };
    const applied = await service.send('POST', onboarding.at, asked);
    assert.equal(applied.status, 201, JSON.stringify(applied.body));
    const { sid } = applied.body;
    const ended = ['COMPLETED', 'FAILED', 'REJECTED'];
    await wait('it is set up', 5_000, async () => ended.includes((await onboarding.get(sid)).state));
    await assertSetUpOnce(app, onboarding, sid, `${path} ${answer}`);
    pins.push(await pinOf(account.accountSid, sid));
    await canSend({ app, wait }, (await onboarding.get(sid)).senderSid, account);
  };
}

async function pinOf(accountSid: string, sid: string): Promise<string> {
  const [row] = (await app.sql<{ pin: Buffer }>(
    'select pin from managed_provisioning where application_sid = $1',
    [sid],
  )) as [{ pin: Buffer }];
  return app.sealer.open(row.pin, `managed provisioning/${accountSid}/false/${sid}/PIN`).toString('utf8');
}

suite('an application whose service is killed', () => {
  testDeaths(
    'has one number ordered, added and registered, one sender and one fee, and can send',
    () => service,
    story,
    { crashes, few },
  );
  test('leaves the PIN of no number in a table or a line of the log', async () => {
    assert.ok(pins.length >= few.length);
    // A few of many: among so many digits some stand anywhere by chance.
    const some = pins.slice(-10);
    assert.deepEqual(await tablesWith(app, ...some), []);
    const log = service.log();
    assert.match(log, /"operation":"createManagedApplication"/);
    assert.ok(!stands(some, log));
  });
});
