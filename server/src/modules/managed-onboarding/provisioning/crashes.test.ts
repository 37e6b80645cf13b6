// The work on applications is ended at every step it takes to the outside, before and after, and answers are lost: whatever happens,
// one number is ordered, added and registered, and the money is right.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { assertSetUpOnce, onboardingOf } from '../../../../test/harness/onboarding.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { simulator: true });
});

class Killed extends Error {}

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
  await assertSetUpOnce(app, onboarding, sid, `killed at ${at}, ${died}`);
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
        await assertSetUpOnce(app, onboarding, sid, `${path} ${answer}`);
      });
});
