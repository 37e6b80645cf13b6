// When people are told that little is left, and how much may be spent in a month.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { atOnce, billingOf, priceFor } from '../../../../test/harness/billing.ts';
import { refused } from '../../../../test/harness/contacts.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { hold, release } from './holds.ts';
import { moveMoney } from './move-money.ts';
import { settle } from './settle.ts';
import { setBillingStatus } from './status.ts';
import { changeTerms } from './terms.ts';
import { budgetOf } from './wallets.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const usd = (amountMinor: number) => ({ amountMinor: String(amountMinor), currency: 'USD', scale: 6 });
const dollar = 1_000_000n;

async function given(dollars = 100n) {
  const { accountSid, liveKey } = await app.newAccount();
  const billing = billingOf(app, { accountSid });
  if (dollars > 0n) await billing.credit(dollars * dollar);
  const { id } = await billing.wallet();
  const at = `/v1/accounts/${accountSid}/billing`;
  const key = bearer(liveKey);
  return {
    ...billing,
    accountSid,
    id,
    take: async (amountMinor: bigint) => {
      const messageSid = billing.message();
      await billing.write((t) => hold(t, [{ messageSid, amountMinor }]));
      return messageSid;
    },
    settle: (messageSid: string, amountMinor: bigint) =>
      billing.write((t) => settle(t, [priceFor(messageSid, amountMinor)])),
    alert: async (threshold: string | null) =>
      (await app.put(`${at}/low-balance-alerts/USD`, { threshold }, key)).body,
    alerts: async () => (await app.get(`${at}/low-balance-alerts`, key)).body,
    put: (path: string, body: object) => app.put(`${at}/${path}`, body, key),
    get: (path: string) => app.get(`${at}/${path}`, key),
    told: () => app.count(`events where account_sid = '${accountSid}' and type = 'wallet.low_balance'`),
  };
}

suite('a low balance', () => {
  test('is told once, in the transaction that crosses the threshold, and to people who read billing', async () => {
    const wallet = await given();
    assert.deepEqual(await wallet.alerts(), { object: 'list', data: [], hasMore: false, nextCursor: null });
    const set = await wallet.alert('50');
    assert.deepEqual(set, {
      object: 'low_balance_alert',
      accountSid: wallet.accountSid,
      livemode: true,
      currency: 'USD',
      threshold: usd(50_000_000),
      armed: true,
      lastFiredAt: null,
    });
    await wallet.take(50n * dollar);
    assert.equal(await wallet.told(), 0);
    app.clock.advance(1000);
    await wallet.take(1n);
    await wallet.take(1n);
    assert.equal(await wallet.told(), 1);
    const { data } = await wallet.alerts();
    assert.deepEqual(data, [{ ...set, armed: false, lastFiredAt: app.clock.now().toISOString() }]);
    const notified = await app.count(
      `notifications where account_sid = '${wallet.accountSid}' and type = 'wallet.low_balance'`,
    );
    assert.equal(notified, 1);
  });

  test('is told again only after money came in, not after something was given back', async () => {
    const wallet = await given();
    await wallet.alert('50.00');
    const message = await wallet.take(60n * dollar);
    await wallet.write((t) => release(t, [message]));
    await wallet.take(60n * dollar);
    assert.equal(await wallet.told(), 1);
    // Too little to reach the threshold: nothing was crossed since.
    await wallet.credit(5n * dollar);
    await wallet.take(1n);
    assert.equal(await wallet.told(), 1);
    await wallet.credit(5n * dollar + 1n);
    await wallet.take(1n);
    assert.equal(await wallet.told(), 2);
  });

  test('is told at once of a threshold that is not met, and the same one again changes nothing', async () => {
    const wallet = await given(10n);
    const set = await wallet.alert('1,000');
    assert.deepEqual([set.armed, set.threshold], [false, usd(1_000_000_000)]);
    assert.equal(await wallet.told(), 1);
    await wallet.alert('1000.00');
    assert.equal(await wallet.told(), 1);
    await wallet.alert('500');
    assert.equal(await wallet.told(), 2);
    const removed = await wallet.alert(null);
    assert.deepEqual([removed.threshold, removed.armed], [null, false]);
    assert.deepEqual((await wallet.alerts()).data, []);
    await wallet.take(1n);
    assert.equal(await wallet.told(), 2);
  });

  test('comes of everything that leaves less to spend: prices above their hold, refunds, less credit', async () => {
    const ways: ((wallet: Awaited<ReturnType<typeof given>>) => Promise<unknown>)[] = [
      async (wallet) => wallet.settle(await wallet.take(1n), 60n * dollar),
      (wallet) =>
        wallet.write((t) =>
          moveMoney(t, { walletId: wallet.id, reference: 'r', moves: { refund_hold: 60n * dollar } }),
        ),
    ];
    for (const way of ways) {
      const wallet = await given();
      await wallet.alert('50');
      await way(wallet);
      assert.equal(await wallet.told(), 1);
    }
    for (const less of [
      (wallet: Awaited<ReturnType<typeof given>>) =>
        wallet.write((t) => changeTerms(t, { commercialMode: 'postpaid', creditLimitMinor: 1n })),
      (wallet: Awaited<ReturnType<typeof given>>) =>
        wallet.write((t) => setBillingStatus(t, wallet.id, 'suspended')),
    ]) {
      const wallet = await given(10n);
      await wallet.write((t) =>
        changeTerms(t, { commercialMode: 'postpaid', creditLimitMinor: 100n * dollar }),
      );
      await wallet.alert('50');
      assert.equal(await wallet.told(), 0);
      await less(wallet);
      assert.equal(await wallet.told(), 1);
    }
  });

  test('is told once among many who send at the same moment', async () => {
    const wallet = await given();
    await wallet.alert('50');
    const results = await atOnce([...Array(50).keys()], () => wallet.take(2n * dollar - 1n));
    assert.ok(results.every(({ status }) => status === 'fulfilled'));
    assert.equal(await wallet.told(), 1);
  });

  test('is asked for in amounts whose commas group thousands, with decimals a wallet has, in a currency there is', async () => {
    const wallet = await given();
    for (const [written, amountMinor] of [
      ['1,234,567.5', 1_234_567_500_000],
      ['1234.000001', 1_234_000_001],
      ['0', 0],
      ['007', 7_000_000],
    ] as const) {
      assert.deepEqual((await wallet.alert(written)).threshold, usd(amountMinor), written);
    }
    for (const threshold of [
      '1,00',
      '12,34,567',
      '1,2345',
      '1234,567',
      '1.0000001',
      '1,',
      '99999999999999999999',
      '',
      '-1',
      '1.',
      'x',
    ]) {
      const answer = await wallet.put('low-balance-alerts/USD', { threshold });
      refused(answer, 400, 'VALIDATION_ERROR', 'threshold');
    }
    refused(
      await wallet.put('low-balance-alerts/EUR', { threshold: '1' }),
      400,
      'VALIDATION_ERROR',
      'currency',
    );
    refused(
      await wallet.put('low-balance-alerts/usd', { threshold: '1' }),
      400,
      'VALIDATION_ERROR',
      'currency',
    );
  });
});

suite('a budget', () => {
  test('counts what was charged this month and what is held, begins anew with the month, and can be removed', async () => {
    const wallet = await given();
    const message = await wallet.take(3n * dollar);
    await wallet.settle(message, 2n * dollar);
    const open = await wallet.take(4n * dollar);
    const set = (await wallet.put('budgets/USD', { monthly: '1,000.00' })).body;
    assert.deepEqual(set, {
      object: 'budget',
      accountSid: wallet.accountSid,
      livemode: true,
      currency: 'USD',
      monthly: usd(1_000_000_000),
      spent: usd(6_000_000),
      left: usd(994_000_000),
    });
    assert.deepEqual((await wallet.get('budgets')).body.data, [set]);
    app.clock.advance(31 * 86_400_000);
    const left = async () => budgetOf(await wallet.wallet(), app.clock.now())?.leftMinor;
    assert.equal(await left(), 996n * dollar);
    await wallet.settle(open, 5n * dollar);
    assert.equal(await left(), 995n * dollar);
    const removed = (await wallet.put('budgets/USD', { monthly: null })).body;
    assert.deepEqual([removed.monthly, removed.spent, removed.left], [null, null, null]);
    assert.deepEqual((await wallet.get('budgets')).body.data, []);
  });
  test('takes amounts as thresholds are written', async () => {
    const wallet = await given();
    refused(await wallet.put('budgets/USD', { monthly: '1,00' }), 400, 'VALIDATION_ERROR', 'monthly');
    refused(await wallet.put('budgets/EUR', { monthly: '1' }), 400, 'VALIDATION_ERROR', 'currency');
  });
});

suite('leaving prepaid', () => {
  test('takes what is left of the sandbox’s play money, once, and nothing in live', async () => {
    const { accountSid } = await app.newAccount();
    const sandbox = billingOf(app, { accountSid, livemode: false });
    await sandbox.credit(5n);
    const messageSid = sandbox.message();
    await sandbox.write((t) => hold(t, [{ messageSid, amountMinor: 40n * dollar }]));
    const terms = { commercialMode: 'postpaid', creditLimitMinor: 10n } as const;
    const after = await sandbox.write((t) => changeTerms(t, terms));
    assert.equal(after.availableMinor, 0n);
    await sandbox.write((t) => release(t, [messageSid]));
    await sandbox.credit(7n);
    await sandbox.write((t) => changeTerms(t, { ...terms, commercialMode: 'invoice' }));
    const { available, funding } = await sandbox.balances();
    assert.deepEqual([available, funding], [40n * dollar + 7n, -40n * dollar - 7n]);
    const live = billingOf(app, { accountSid });
    await live.credit(5n);
    assert.equal((await live.write((t) => changeTerms(t, terms))).availableMinor, 5n);
  });
});
