import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { atOnce, billingOf, draftRateCard, publishRateCard } from '../../../../test/harness/billing.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { messagesOf } from '../../../../test/harness/messages.ts';
import { person } from '../../../../test/harness/people.ts';
import { until } from '../../../../test/harness/until.ts';
import {
  createSealer,
  generateMasterKey,
  parseMasterKeys,
  withOwnSecrets,
} from '../../../platform/sealing.ts';
import { adjustmentsOf, chargeOf, lockWallet } from '../../billing/index.ts';
import { giveUpSilent } from '../../messages/reports/silence.ts';
import type { ReconciliationCase } from '../cases/schema.ts';
import { casesOf } from '../reconciliation.test-data.ts';
import type { RemediationPricing } from './schema.ts';
import { isSigned, remediationKeys, signRemediation } from './signature.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const priced = (category: string, type = 'regular') => ({
  billable: type === 'regular',
  model: 'PMP',
  type,
  category,
});
const pricing = (more: Partial<RemediationPricing> = {}): RemediationPricing => ({
  billable: true,
  category: 'MARKETING',
  customerCurrency: 'USD',
  market: 'FR',
  pricingModel: 'PMP',
  pricingType: 'REGULAR',
  providerEvidence: { ticket: 'SUP-1', formula: '=1+1', markup: '<b>\u202e' },
  transport: 'CLOUD_API',
  ...more,
});

/** A message that was charged as utility, and that the provider later called marketing. */
async function given() {
  const messages = await messagesOf(app);
  const owner = await person(app, { accountSid: messages.accountSid });
  const cases = casesOf(app, messages);
  const billing = billingOf(app, { livemode: false, accountSid: messages.accountSid });
  const sid = await messages.accepted({ status: 'sending', category: 'utility' });
  await messages.apply(messages.status(sid, 'sent'));
  await messages.apply(messages.status(sid, 'delivered', { pricing: priced('utility') }));
  await messages.apply(messages.status(sid, 'read', { pricing: priced('marketing') }));
  await cases.look();
  const [found] = (await cases.all()) as [ReconciliationCase];
  const keys = remediationKeys(app.sealer);
  const sign = (of: ReconciliationCase, as = pricing()) => signRemediation(keys[0]!, of, as);
  const post = async (of: ReconciliationCase, as = pricing(), signature = sign(of, as)) => {
    const { headers } = await owner.signInAgain(); // the clock may have gone past a session
    const stepUpToken = await owner.stepUp('PRICING_REMEDIATE', headers);
    return app.post(
      `/v1/accounts/${messages.accountSid}/billing/pricing-remediation/${of.sid}`,
      { signature, stepUpToken, pricing: as },
      headers,
    );
  };
  return { messages, owner, cases, billing, sid, found, sign, post };
}
const refused = (reply: Awaited<ReturnType<Awaited<ReturnType<typeof given>>['post']>>) => [
  reply.status,
  reply.body.error?.code,
];

suite('a signed price', () => {
  test('is charged on the card the message was accepted under, settles the case, and is told', async () => {
    const { found, post, billing, cases, sid } = await given();
    const before = await billing.balances();
    await draftRateCard(app, 7, app.clock.now().toISOString());
    await publishRateCard(app, 7, app.clock.now().toISOString());
    const { status, body, text } = await post(found);
    assert.equal(status, 200, text);
    assert.deepEqual(
      [body.state, body.resolution.decision, body.messageSids],
      ['resolved', 'resolved', [sid]],
    );
    const difference = found.difference!.amount!;
    assert.deepEqual(body.resolution.adjusted, difference);
    assert.deepEqual(body.resolution.evidence.providerEvidence, pricing().providerEvidence);
    const after = await billing.balances();
    const moved = BigInt(difference.amountMinor);
    assert.ok(moved > 0n);
    assert.deepEqual([after.available, after.revenue], [before.available! - moved, before.revenue! + moved]);
    assert.deepEqual(await cases.told(found.sid), ['opened', 'resolved']);
  });

  test('that is free gives everything back', async () => {
    const { found, post, billing } = await given();
    const before = (await billing.balances()).available!;
    const { body } = await post(found, pricing({ billable: false }));
    assert.equal(body.resolution.adjusted.amountMinor, `-${found.expected.amount!.amountMinor}`);
    assert.equal((await billing.balances()).available, before + BigInt(found.expected.amount!.amountMinor));
  });

  test('is taken whatever is left in the wallet', async () => {
    const { found, post, billing, messages } = await given();
    const { availableMinor } = await billing.wallet();
    for (let left = availableMinor; left > 0n; left = (await billing.wallet()).availableMinor)
      await messages.accepted({ estimateMinor: left > 900_000_000_000n ? 900_000_000_000n : left });
    assert.equal((await post(found)).status, 200);
    assert.ok((await billing.balances()).available! < 0n);
  });

  test('charges all messages of a case alike, each what it lacks', async () => {
    const { messages, cases, post, billing } = await given();
    const sids: string[] = [];
    for (let i = 0; i < 3; i += 1)
      sids.push(
        await messages.accepted({ status: 'sending', category: 'marketing', to: `+3361200${3400 + i}` }),
      );
    app.clock.advance(32 * 24 * 60 * 60 * 1000);
    await messages.write((t) => giveUpSilent(t, sids));
    await cases.look();
    const silent = (await cases.all()).find(({ outcome }) => outcome === 'missing_provider_status')!;
    const before = (await billing.balances()).available!;
    const { body, text } = await post(silent);
    assert.equal(body.state, 'resolved', text);
    const total = BigInt(body.resolution.adjusted.amountMinor);
    assert.ok(total > 0n && total % 3n === 0n);
    assert.equal((await billing.balances()).available, before - total);
    // What the provider then says of them is what they were charged: no other case.
    for (const sid of sids)
      await messages.apply(messages.status(sid, 'delivered', { pricing: priced('marketing') }));
    await cases.look();
    assert.ok((await cases.all()).every(({ outcome }) => outcome !== 'unexpected_provider_charge'));
  });
});

test('a message in two cases is put right from what the other one left, when both are worked on at once', async () => {
  const { messages, found, post, billing, cases, sid } = await given();
  // The provider now says that it was free: that gives everything back by itself, while the owner has it charged as marketing.
  await messages.apply(messages.status(sid, 'played', { pricing: priced('utility', 'free_entry_point') }));
  const waiting = async () =>
    app.count(
      `pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`,
    );
  let both: Promise<unknown> = Promise.resolve();
  await messages.write(async (t) => {
    await lockWallet(t);
    both = Promise.all([post(found), cases.look()]);
    await until('both wait for the wallet', async () => (await waiting()) >= 2);
  });
  await both;
  const adjusted = await billing.write((t) => adjustmentsOf(t, sid));
  const charge = await billing.write((t) => chargeOf(t, sid));
  const total = adjusted.reduce((sum, one) => sum + one.feeMinor, charge!.feeMinor);
  // Free, or marketing, or marketing and then free: never the sum of two differences from the same price.
  const marketing = BigInt(found.reported.amount!.amountMinor);
  assert.ok(total === 0n || total === marketing, `${total}`);
  await billing.balances();
});

suite('nothing moves', () => {
  test('by a signature that is wrong, of another case, environment, account, version or pricing', async () => {
    const { found, post, sign, billing } = await given();
    const other = await given();
    const before = await billing.balances();
    const signatures = [
      `v1=${'0'.repeat(64)}`,
      sign({ ...found, sid: other.found.sid }),
      sign({ ...found, livemode: true }),
      sign({ ...found, accountSid: app.accountSid }),
      sign({ ...found, version: found.version + 1 }),
      sign(found, pricing({ category: 'UTILITY' })),
      sign(found, { ...pricing(), providerEvidence: {} }),
      signRemediation(Buffer.alloc(32), found, pricing()),
    ];
    for (const signature of signatures)
      assert.deepEqual(refused(await post(found, pricing(), signature)), [403, 'AUTHORIZATION_ERROR']);
    assert.deepEqual(await billing.balances(), before);
    // The order of the members is none of the signature's business.
    const turned = Object.fromEntries(Object.entries(pricing()).reverse()) as RemediationPricing;
    assert.equal((await post(found, turned, sign(found))).status, 200);
  });

  test('by a signature that was used, or of a case that changed since', async () => {
    const { found, post, sign, billing, cases } = await given();
    const used = sign(found);
    assert.equal((await post(found, pricing(), used)).status, 200);
    const after = await billing.balances();
    assert.deepEqual(refused(await post(found, pricing(), used)), [403, 'AUTHORIZATION_ERROR']);
    const [settled] = (await cases.all()) as [ReconciliationCase];
    assert.deepEqual(refused(await post(settled)), [409, 'CONFLICT']);
    assert.deepEqual(await billing.balances(), after);
    const stale = await given();
    await stale.cases.enquire({ messageHistory: async () => ({ ok: true, value: { events: [] } }) });
    assert.deepEqual(refused(await stale.post(stale.found)), [403, 'AUTHORIZATION_ERROR']);
  });

  test('twice, however many send the same signature at once', async () => {
    const { found, post, billing } = await given();
    const before = (await billing.balances()).available!;
    const done = await atOnce(Array.from({ length: 8 }), () => post(found));
    const statuses = done.map((one) => (one.status === 'fulfilled' ? one.value.status : 0)).sort();
    assert.deepEqual(statuses, [200, ...Array(7).fill(403)]);
    assert.equal(
      (await billing.balances()).available,
      before - BigInt(found.difference!.amount!.amountMinor),
    );
  });

  test('with a currency, market, category or transport that is not the messages’, all told at once', async () => {
    const { found, post, billing } = await given();
    const before = await billing.balances();
    const wrong = pricing({
      customerCurrency: 'EUR',
      market: 'XX',
      category: 'GIFT',
      transport: 'PIGEON',
      pricingModel: ' ',
    });
    const reply = await post(found, wrong);
    assert.deepEqual(refused(reply), [400, 'VALIDATION_ERROR']);
    assert.deepEqual(
      reply.body.error.details.map(({ path }: { path: string }) => path).sort(),
      ['category', 'customerCurrency', 'market', 'pricingModel', 'transport'].map(
        (name) => `pricing.${name}`,
      ),
    );
    const none = await post(found, pricing({ category: 'UTILITY', transport: 'MARKETING_MESSAGES' }));
    assert.deepEqual(
      [...refused(none), none.body.error.details[0].path],
      [400, 'VALIDATION_ERROR', 'pricing.transport'],
    );
    assert.deepEqual(await billing.balances(), before);
  });

  test('for a case that names no message of ours', async () => {
    const { cases, messages, post } = await given();
    const { fixtures } = await import('../fixtures.ts');
    const owner = { accountSid: messages.accountSid, livemode: false, key: '' };
    const sid = await fixtures.caseSid!({ app, owner });
    const empty = (await cases.all()).find((one) => one.sid === sid)!;
    assert.deepEqual(refused(await post(empty)), [409, 'CONFLICT']);
  });

  test('without a second factor', async () => {
    const { found, messages, owner, sign } = await given();
    const path = `/v1/accounts/${messages.accountSid}/billing/pricing-remediation/${found.sid}`;
    const body = { signature: sign(found), stepUpToken: 'no', pricing: pricing() };
    const reply = await app.post(path, body, owner.headers);
    assert.deepEqual([reply.status, reply.body.error.code], [403, 'STEP_UP_REQUIRED']);
  });
});

suite('while keys are changed', () => {
  const of = { accountSid: 'AC', livemode: true, sid: 'CS', version: 3 };
  const [old, fresh] = [generateMasterKey(), generateMasterKey()];
  const sealerOf = (text: string) => createSealer(parseMasterKeys(text));
  test('the old master key is believed beside the new one, and no other', () => {
    const signed = signRemediation(remediationKeys(sealerOf(old))[0]!, of, pricing());
    const believed = (text: string) => isSigned(remediationKeys(sealerOf(text)), of, pricing(), signed);
    assert.deepEqual([believed(old), believed(`${fresh},${old}`), believed(fresh)], [true, true, false]);
    assert.equal(believed(`${fresh},${generateMasterKey()},${old}`), false);
  });
  test('so are two secrets of the operator, which take the place of the master key', () => {
    const given = (secrets: string[]) => withOwnSecrets(sealerOf(old), { 'pricing-remediation': secrets });
    const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];
    const signed = signRemediation(remediationKeys(given([first]))[0]!, of, pricing());
    const believed = (secrets: string[]) => isSigned(remediationKeys(given(secrets)), of, pricing(), signed);
    assert.deepEqual([believed([second, first]), believed([second]), believed([])], [true, false, false]);
  });
});
