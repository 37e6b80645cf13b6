// What a wallet may spend beyond its balance, by how the account pays.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { billingOf } from '../../../../test/harness/billing.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { FreeKind } from '../ledger/kinds.ts';
import { hold } from './holds.ts';
import { balancesOf, moveMoney } from './move-money.ts';
import { type CommercialMode, commercialModes } from './schema.ts';
import { setBillingStatus, setDunningState } from './status.ts';
import { changeTerms } from './terms.ts';
import { getWallet, lockWalletById, lockWalletOf, spendable, walletOf } from './wallets.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

let references = 0;

async function given(commercialMode: CommercialMode, creditLimitMinor: bigint) {
  const { accountSid } = await app.newAccount();
  const billing = billingOf(app, { accountSid });
  await billing.write((t) => changeTerms(t, { commercialMode, creditLimitMinor }));
  const { id } = await billing.wallet();
  const move = (moves: Partial<Record<FreeKind, bigint>>, reference = `ref-${++references}`) =>
    billing.write((t) => moveMoney(t, { walletId: id, reference, moves }));
  const take = (amountMinor: bigint) =>
    billing.write((t) => hold(t, [{ messageSid: billing.message(), amountMinor }]));
  return { ...billing, accountSid, id, move, take, left: async () => spendable(await billing.wallet()) };
}
type Given = Awaited<ReturnType<typeof given>>;

const refused = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

/** What the wallet says can be spent is what the database lets through, to the last unit. */
async function spendsExactly(wallet: Given, amountMinor: bigint) {
  assert.equal(await wallet.left(), amountMinor);
  await assert.rejects(wallet.take(amountMinor + 1n), refused('INSUFFICIENT_FUNDS'));
  if (amountMinor > 0n) await wallet.take(amountMinor);
  await wallet.balances();
}

suite('what is billed and unpaid', () => {
  const invoice = { invoice_usage: 60n, invoice_tax: 12n };
  for (const mode of ['postpaid', 'invoice'] as const) {
    test(`leaves the whole limit to what is unbilled: ${mode}`, async () => {
      const wallet = await given(mode, 100n);
      await wallet.take(60n);
      assert.equal(await wallet.left(), 40n);
      await wallet.move(invoice);
      await spendsExactly(wallet, 100n);
    });
  }
  for (const mode of ['credit_line', 'hybrid'] as const) {
    test(`is taken off the credit until it is paid: ${mode}`, async () => {
      const wallet = await given(mode, 100n);
      await wallet.take(60n);
      await wallet.move(invoice);
      assert.equal(await wallet.left(), 28n);
      await wallet.move({ invoice_payment: 50n });
      assert.equal(await wallet.left(), 78n);
      await wallet.move({ invoice_payment: 22n });
      await spendsExactly(wallet, 100n);
    });
  }
  test('beyond the credit leaves none, and what was spent stands', async () => {
    const wallet = await given('credit_line', 100n);
    await wallet.take(100n);
    await wallet.move({ invoice_usage: 100n, invoice_tax: 20n });
    await spendsExactly(wallet, 0n);
    await wallet.move({ invoice_payment: 30n });
    await spendsExactly(wallet, 10n);
  });
  test('returns to unbilled with a void, whatever was spent meanwhile', async () => {
    const wallet = await given('postpaid', 100n);
    await wallet.take(100n);
    await wallet.move(invoice);
    await wallet.take(60n);
    await wallet.move({ void_usage: 60n, void_tax: 12n });
    const { available, receivable, tax_payable } = await wallet.balances();
    assert.deepEqual([available, receivable, tax_payable], [-160n, 0n, 0n]);
    await spendsExactly(wallet, 0n);
  });
});

suite('a suspended wallet', () => {
  for (const mode of commercialModes) {
    test(`spends what it holds and nothing on credit: ${mode}`, async () => {
      const limit = mode === 'prepaid' ? 0n : 100n;
      const wallet = await given(mode, limit);
      await wallet.credit(30n);
      assert.equal(await wallet.left(), 30n + limit);
      assert.equal(await wallet.write((t) => setBillingStatus(t, wallet.id, 'suspended')), true);
      assert.equal(await wallet.write((t) => setBillingStatus(t, wallet.id, 'suspended')), false);
      await spendsExactly(wallet, 30n);
      await wallet.write((t) => setBillingStatus(t, wallet.id, 'active'));
      await spendsExactly(wallet, limit);
    });
  }
  test('stays where it is when it was on credit, and pays its way out', async () => {
    const wallet = await given('postpaid', 100n);
    await wallet.take(80n);
    await wallet.write((t) => setBillingStatus(t, wallet.id, 'suspended'));
    await wallet.credit(79n);
    await spendsExactly(wallet, 0n);
    await wallet.credit(2n);
    await spendsExactly(wallet, 1n);
  });
  test('tells of it once, and of the state of collecting', async () => {
    const wallet = await given('invoice', 100n);
    await wallet.write((t) => setDunningState(t, wallet.id, 'retrying'));
    await wallet.write(async (t) => {
      await setDunningState(t, wallet.id, 'exhausted');
      await setBillingStatus(t, wallet.id, 'suspended');
      await setBillingStatus(t, wallet.id, 'suspended');
    });
    const told = await app.sql<{ data: { billingStatus: string; dunningState: string } }>(
      "select data from events where account_sid = $1 and type = 'wallet.status_changed' order by sequence",
      [wallet.accountSid],
    );
    assert.deepEqual(
      told.map(({ data }) => [data.billingStatus, data.dunningState]),
      [
        ['active', 'retrying'],
        ['active', 'exhausted'],
        ['suspended', 'exhausted'],
      ],
    );
  });
});

suite('money that moves', () => {
  test('moves together or not at all, and once for a reference', async () => {
    const wallet = await given('prepaid', 0n);
    await wallet.move({ top_up: 50n, top_up_tax: 10n }, 'payment');
    await assert.rejects(wallet.move({ top_up: 50n }, 'payment'), { code: '23505' });
    const again = (t: Parameters<Parameters<Given['write']>[0]>[0]) =>
      moveMoney(t, {
        walletId: wallet.id,
        reference: 'payment',
        moves: { top_up: 50n, processor_fee: 3n },
        repeated: 'skipped',
      });
    assert.deepEqual([await wallet.write(again), await wallet.write(again)], [1, 0]);
    await assert.rejects(
      wallet.move({ refund_hold: 51n, refund_hold_tax: 1n }),
      refused('INSUFFICIENT_FUNDS'),
    );
    const balances = await wallet.write((t) => balancesOf(t, wallet.id));
    assert.deepEqual(
      [
        balances.available,
        balances.tax_payable,
        balances.processor_fees,
        balances.funding,
        balances.refunds_pending,
      ],
      [50n, 10n, -3n, -57n, 0n],
    );
    await wallet.balances();
  });
  test('is not taken beyond what is owed, credited or on its way', async () => {
    const wallet = await given('invoice', 100n);
    await wallet.move({ invoice_usage: 40n });
    await assert.rejects(wallet.move({ invoice_payment: 41n }), refused('CONFLICT'));
    await assert.rejects(wallet.move({ credit_applied: 1n }), refused('INSUFFICIENT_FUNDS'));
    await assert.rejects(wallet.move({ refund_paid: 1n }), refused('INSUFFICIENT_FUNDS'));
    await wallet.move({ invoice_payment: 40n });
    const { receivable } = await wallet.balances();
    assert.equal(receivable, 0n);
  });
  test('sinks the balance below its credit where a bank takes it', async () => {
    const wallet = await given('prepaid', 0n);
    await wallet.credit(10n);
    await wallet.move({ dispute_open: 25n });
    await wallet.move({ dispute_open: 5n });
    await spendsExactly(wallet, 0n);
    await wallet.move({ dispute_won: 25n });
    await spendsExactly(wallet, 5n);
  });
});

test('a wallet is found by its currency and by its id, and none of another currency or account', async () => {
  const wallet = await given('prepaid', 0n);
  const stranger = await given('prepaid', 0n);
  await wallet.write(async (t) => {
    assert.equal((await walletOf(t, 'USD'))?.id, wallet.id);
    assert.equal((await lockWalletOf(t, 'USD'))?.id, wallet.id);
    assert.equal((await lockWalletById(t, wallet.id))?.currency, 'USD');
    assert.equal((await getWallet(t, wallet.id)).id, wallet.id);
    assert.equal(await walletOf(t, 'EUR'), null);
    assert.equal(await lockWalletOf(t, 'JPY'), null);
    assert.equal(await lockWalletById(t, stranger.id), null);
  });
});
