// The work on applications is ended at every step it takes to the outside, before and after, and answers are lost: whatever happens,
// one number is ordered, added and registered, and the money is right.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type OnboardingOf, onboardingOf } from '../../../../test/harness/onboarding.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { simulator: true });
});

class Killed extends Error {}

type Known = { step: string; phone_number_id: string; provider_waba_id: string; vendor_reference: string };

async function assertOnce(onboarding: OnboardingOf, sid: string, how: string): Promise<void> {
  const shown = await onboarding.get(sid);
  assert.equal(shown.state, 'COMPLETED', `${how}: ${JSON.stringify(shown.error)}`);
  const [known] = (await app.sql<Known>('select * from managed_provisioning where application_sid = $1', [
    sid,
  ])) as [Known];
  const done = app.simulator.control
    .commands(0, 20_000)
    .data.filter(
      ({ id, refusal }) => refusal === null && [known.phone_number_id, known.provider_waba_id].includes(id),
    );
  for (const path of ['phone_numbers', 'register', 'verify_code'])
    assert.equal(done.filter((one) => one.path === path).length, 1, `${how}: ${path}`);
  const numbers = app.simulator.control
    .phoneNumbers()
    .filter(({ number }) => `+${number}` === shown.phoneNumber);
  assert.deepEqual(
    numbers.map(({ wabaId, status }) => [wabaId, status]),
    [[known.provider_waba_id, 'CONNECTED']],
    how,
  );
  const answer = await fetch(`${app.simulator.url}/_control/number-vendor/orders`);
  const { data } = (await answer.json()) as { data: { reference: string }[] };
  assert.equal(data.filter(({ reference }) => reference.startsWith(sid)).length, 1, how);
  const balances = await onboarding.balances();
  assert.equal(balances.fees_held, '0', how);
  assert.equal(balances.revenue, shown.fee.amount.amountMinor, how);
  assert.equal(
    Object.values(balances).reduce((sum, one) => sum + BigInt(one), 0n),
    0n,
    how,
  );
  const senders = await app.sql<{ status: string }>(
    'select status from senders where account_sid = $1 and waba_sid = $2',
    [onboarding.accountSid, shown.wabaSid],
  );
  assert.deepEqual(senders, [{ status: 'CONNECTED' }], how);
}

/** Runs it to its end, and dies at the given step of the whole way, counted over all runs. */
async function withDeathAt(at: number, asked: object): Promise<{ steps: string[]; died: string | null }> {
  const onboarding = onboardingOf(app, await app.newAccount());
  const { sid } = await onboarding.approved(asked);
  const steps: string[] = [];
  let died: string | null = null;
  const watch = (step: string) => {
    steps.push(step);
    if (steps.length - 1 !== at) return;
    died = step;
    throw new Killed();
  };
  for (let runs = 0; runs < 30; runs += 1) {
    const { operationSid, state } = await onboarding.get(sid);
    if (state === 'COMPLETED' || state === 'FAILED') break;
    await onboarding.run(operationSid, watch).catch((error) => {
      if (!(error instanceof Killed)) throw error;
    });
    app.clock.advance(5_000);
    await app.simulator.control.settle();
  }
  await assertOnce(onboarding, sid, `killed at ${at}, ${died}`);
  return { steps, died };
}

suite('a process that dies', () => {
  for (const [what, asked] of [
    ['a number that is bought', {}],
    ['a number that is ported', { numberSource: 'PORT' }],
  ] as const)
    test(`at any step of the work on ${what} leaves nothing half done and nothing done twice`, async () => {
      let next = 100_000 + (what.includes('ported') ? 400_000 : 0);
      const number = () => {
        next += 1;
        return 'numberSource' in asked ? { ...asked, requestedNumber: `+33981${next}` } : {};
      };
      const { steps } = await withDeathAt(-1, number());
      const deaths = new Set<string>();
      for (let at = 0; at < steps.length; at += 1) {
        const { died } = await withDeathAt(at, number());
        if (died) deaths.add(died);
      }
      for (const call of [
        'addPhoneNumber',
        'requestVerificationCode',
        'verifyPhoneNumber',
        'registerPhoneNumber',
        'subscribe',
      ])
        assert.ok(deaths.has(`before ${call}`) && deaths.has(`after ${call}`), call);
      const order = 'numberSource' in asked ? 'portIn' : 'order';
      assert.ok(deaths.has(`before ${order}`) && deaths.has(`after ${order}`), order);
    });
});

suite('an answer that is lost', () => {
  for (const path of ['phone_numbers', 'request_code', 'verify_code', 'register', 'subscribed_apps'])
    for (const answer of ['lost', 'closed-before', 'bad-gateway-accepted', 'bad-gateway', 'garbage'] as const)
      test(`to ${path} (${answer}) is looked for before anything is asked again`, async () => {
        const onboarding = onboardingOf(app, await app.newAccount());
        const { sid } = await onboarding.approved();
        app.simulator.control.clearRules();
        app.simulator.control.addRule({ match: { path }, behaviour: { answer }, count: 1 });
        await onboarding.runToEnd(sid, { most: 40 });
        app.simulator.control.clearRules();
        await assertOnce(onboarding, sid, `${path} ${answer}`);
      });
});
