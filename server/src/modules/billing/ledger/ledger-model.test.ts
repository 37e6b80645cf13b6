// The ledger against a model that keeps three numbers in memory, one history after another and all at once.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { atOnce, billingOf, priceFor } from '../../../../test/harness/billing.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { hold, type MessageAmount, openHolds, release } from '../wallets/holds.ts';
import { settle } from '../wallets/settle.ts';
import { accountTypes } from './kinds.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const slots = 12;
const slot = fc.nat({ max: slots - 1 });
const amount = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 9n }), fc.bigInt({ min: 10n, max: 400n }));
const several = fc.uniqueArray(fc.record({ slot, amount }), {
  minLength: 1,
  maxLength: 6,
  selector: ({ slot }) => slot,
});
type Item = { slot: number; amount: bigint };

const act = fc.oneof(
  fc.record({ kind: fc.constant('credit' as const), amount: fc.bigInt({ min: 1n, max: 300n }) }),
  fc.record({ kind: fc.constant('hold' as const), items: several }),
  fc.record({ kind: fc.constant('settle' as const), items: several }),
  fc.record({ kind: fc.constant('release' as const), items: several }),
);
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;

/** What the ledger must say, worked out the plain way. */
function model() {
  const held = new Map<number, bigint>();
  const seen = new Set<number>();
  const state = { available: 0n, held: 0n, revenue: 0n, funding: 0n };
  const close = (slot: number): bigint | null => {
    const amount = held.get(slot);
    if (amount === undefined) return null;
    held.delete(slot);
    state.held -= amount;
    return amount;
  };
  return {
    state,
    open: held,
    credit(amount: bigint) {
      state.available += amount;
      state.funding -= amount;
    },
    /** Whether the whole batch goes through. */
    hold(items: Item[]): boolean {
      const total = items.reduce((sum, { amount }) => sum + amount, 0n);
      if (items.some(({ slot }) => seen.has(slot))) return false;
      if (total > 0n && total > state.available) return false;
      for (const { slot, amount } of items) {
        seen.add(slot);
        held.set(slot, amount);
      }
      state.available -= total;
      state.held += total;
      return true;
    },
    settle(items: Item[]) {
      for (const { slot, amount: final } of items) {
        const amount = close(slot);
        if (amount === null) continue;
        state.available += amount - final;
        state.revenue += final;
      }
    },
    release(items: Item[]) {
      for (const { slot } of items) state.available += close(slot) ?? 0n;
    },
  };
}

/** An account of its own, and the acts upon it. */
async function given() {
  const { accountSid } = await app.newAccount();
  const billing = billingOf(app, { accountSid });
  const sids = Array.from({ length: slots }, () => billing.message());
  const named = (items: Item[]): MessageAmount[] =>
    items.map(({ slot, amount }) => ({ messageSid: sids[slot]!, amountMinor: amount }));
  return {
    ...billing,
    openCount: () => billing.write(openHolds),
    /** Whether it went through; a refusal is for want of funds or of a message that is not new. */
    async perform(act: Act): Promise<boolean> {
      try {
        if (act.kind === 'credit') await billing.credit(act.amount);
        else if (act.kind === 'hold') await billing.write((t) => hold(t, named(act.items)));
        else if (act.kind === 'settle')
          await billing.write((t) =>
            settle(
              t,
              named(act.items).map(({ messageSid, amountMinor }) => priceFor(messageSid, amountMinor)),
            ),
          );
        else
          await billing.write((t) =>
            release(
              t,
              named(act.items).map(({ messageSid }) => messageSid),
            ),
          );
        return true;
      } catch (error) {
        const poor = error instanceof ApiError && error.code === 'INSUFFICIENT_FUNDS';
        const repeated = (error as { code?: string }).code === '23505';
        assert.ok(act.kind === 'hold' && (poor || repeated), String(error));
        return false;
      }
    },
  };
}

suite('any history of credits, holds, prices and releases', () => {
  test('one after another, ends where the model ends', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 25 }), async (acts) => {
        const ledger = await given();
        const expected = model();
        for (const act of acts) {
          const done = await ledger.perform(act);
          if (act.kind === 'credit') expected.credit(act.amount);
          else if (act.kind === 'hold') assert.equal(done, expected.hold(act.items));
          else expected[act.kind](act.items);
        }
        const zeros = Object.fromEntries(accountTypes.map((account) => [account, 0n]));
        assert.deepEqual(await ledger.balances(), { ...zeros, ...expected.state });
        const [open] = await ledger.openCount();
        assert.equal(open?.count ?? 0, expected.open.size);
        assert.equal(open?.amountMinor ?? 0n, expected.state.held);
      }),
      { numRuns: 60 },
    );
  });

  test('all at once, sums to zero, agrees with its transfers and overdraws by nothing but final prices', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 8, maxLength: 24 }), async (acts) => {
        const ledger = await given();
        await ledger.credit(500n);
        for (const done of await atOnce(acts, ledger.perform)) assert.equal(done.status, 'fulfilled');
        const balances = await ledger.balances();
        assert.equal(
          Object.values(balances).reduce((sum, balance) => sum + balance, 0n),
          0n,
        );
        const [{ overage } = { overage: '0' }] = await app.sql<{ overage: string }>(
          `select coalesce(sum(amount_minor), 0) as overage from ledger_transfers t join wallets w on w.id = t.wallet_id
            where kind = 'overage' and w.id = $1`,
          [(await ledger.wallet()).id],
        );
        assert.ok(balances.available! >= -BigInt(overage));
        assert.ok(balances.held! >= 0n);
      }),
      { numRuns: 40 },
    );
  });
});
