import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { aBusiness, openForLive } from '../../../../test/harness/onboarding.ts';

const lifetime = sharedLifetime();
const inEuros = openForLive.MANAGED_ONBOARDING_PRICES.replace('USD', 'EUR');
const closures: [what: string, env: Record<string, string>, reason: string][] = [
  ['the operator has not opened it', {}, 'CLOSED'],
  ['the operator has opened it and named no prices', { MANAGED_ONBOARDING: 'open' }, 'CLOSED'],
  [
    'the prices are in another currency than the wallet',
    { ...openForLive, MANAGED_ONBOARDING_PRICES: inEuros },
    'CURRENCY_NOT_OFFERED',
  ],
];

for (const [what, env, reason] of closures)
  suite(`live, where ${what}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(lifetime, { env });
    });
    const at = () => `${app.at}/managed-onboarding`;

    test('everybody can see that they cannot apply, and why', async () => {
      const { body } = await app.get(at(), bearer(app.liveKey));
      assert.deepEqual([body.permitted, body.reason], [false, reason]);
      assert.equal((await app.get(at())).body.permitted, true, 'in the sandbox');
    });

    test('a quote and an application are refused, and nothing is stored', async () => {
      const quote = await app.get(`${at()}/quote?numberSource=PURCHASE`, bearer(app.liveKey));
      assert.equal(quote.body.error?.code, 'ONBOARDING_NOT_PERMITTED', quote.text);
      const acceptance = {
        acceptQuote: true,
        acceptedQuoteFingerprint: '0'.repeat(64),
        acceptedTermsVersion: 'v1',
      };
      const refused = await app.post(at(), { ...aBusiness, ...acceptance }, bearer(app.liveKey));
      assert.equal(refused.body.error?.code, 'ONBOARDING_NOT_PERMITTED', refused.text);
      assert.equal(await app.count('managed_applications'), 0);
    });
  });
