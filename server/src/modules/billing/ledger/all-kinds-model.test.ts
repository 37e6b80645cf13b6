// Every kind of transfer against a model in memory: any history of them keeps each wallet's sum at zero, no balance beyond its limits,
// and closed time as it was.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { billingOf, priceFor } from '../../../../test/harness/billing.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { newSid } from '../../../platform/ids.ts';
import { addAdjustment } from '../charges/adjust.ts';
import { addPeriod, closeUntil, periodsOf, positionAt } from '../periods/periods.ts';
import { hold, release } from '../wallets/holds.ts';
import { moveMoney } from '../wallets/move-money.ts';
import { type CommercialMode, commercialModes } from '../wallets/schema.ts';
import { settle } from '../wallets/settle.ts';
import { setBillingStatus } from '../wallets/status.ts';
import { changeTerms } from '../wallets/terms.ts';
import { spendable } from '../wallets/wallets.ts';
import { type AccountType, accountTypes, type FreeKind, type TransferKind } from './kinds.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

type Leg = [debit: AccountType, credit: AccountType, beyondLimit?: true];
const freeLegs: Record<FreeKind, Leg> = {
  play_money: ['funding', 'available'],
  operator_credit: ['funding', 'available'],
  play_money_back: ['available', 'funding'],
  top_up: ['funding', 'available'],
  top_up_tax: ['funding', 'tax_payable'],
  provider_bill: ['provider_cost', 'provider_payable'],
  invoice_usage: ['receivable', 'available'],
  invoice_tax: ['receivable', 'tax_payable'],
  rounding_up: ['rounding', 'available'],
  rounding_down: ['available', 'rounding'],
  invoice_payment: ['funding', 'receivable'],
  invoice_overpayment: ['funding', 'credit_balance'],
  credit_note: ['revenue', 'receivable'],
  credit_note_tax: ['tax_payable', 'receivable'],
  credit_note_paid: ['revenue', 'credit_balance'],
  credit_note_tax_paid: ['tax_payable', 'credit_balance'],
  credit_applied: ['credit_balance', 'receivable'],
  void_usage: ['available', 'receivable', true],
  void_tax: ['tax_payable', 'receivable'],
  void_rounding_up: ['available', 'rounding', true],
  void_rounding_down: ['rounding', 'available'],
  void_credit_applied: ['receivable', 'credit_balance'],
  write_off: ['bad_debt', 'receivable'],
  recovery: ['receivable', 'bad_debt'],
  refund_hold: ['available', 'refunds_pending'],
  refund_hold_tax: ['tax_payable', 'refunds_pending'],
  refund_hold_credit: ['credit_balance', 'refunds_pending'],
  refund_paid: ['refunds_pending', 'funding'],
  refund_failed: ['refunds_pending', 'available'],
  refund_failed_tax: ['refunds_pending', 'tax_payable'],
  refund_failed_credit: ['refunds_pending', 'credit_balance'],
  refund_returned: ['funding', 'refunds_pending'],
  dispute_open: ['available', 'funding', true],
  dispute_open_tax: ['tax_payable', 'funding'],
  dispute_open_invoice: ['receivable', 'funding'],
  dispute_won: ['funding', 'available'],
  dispute_won_tax: ['funding', 'tax_payable'],
  dispute_won_invoice: ['funding', 'receivable'],
  processor_fee: ['processor_fees', 'funding'],
  processor_fee_back: ['funding', 'processor_fees'],
  fee_hold: ['available', 'fees_held'],
  fee_capture: ['fees_held', 'revenue'],
  fee_release: ['fees_held', 'available'],
  number_rent: ['available', 'revenue', true],
};
const legs: Record<TransferKind, Leg> = {
  ...freeLegs,
  hold: ['available', 'held'],
  release: ['held', 'available'],
  capture: ['held', 'revenue'],
  overage: ['available', 'revenue', true],
  capture_provider: ['held', 'provider_cost'],
  overage_provider: ['available', 'provider_cost', true],
  adjust_charge: ['available', 'revenue', true],
  adjust_credit: ['revenue', 'available'],
  adjust_charge_provider: ['available', 'provider_cost', true],
  adjust_credit_provider: ['provider_cost', 'available'],
};
const freeKinds = Object.keys(freeLegs) as FreeKind[];
const neverBelowZero: AccountType[] = ['held', 'fees_held', 'credit_balance', 'refunds_pending'];

function least(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

type Moves = Partial<Record<TransferKind, bigint>>;

/** What the ledger must say, worked out the plain way. */
function model() {
  const balances = Object.fromEntries(accountTypes.map((name) => [name, 0n])) as Record<AccountType, bigint>;
  const holds = new Map<string, bigint>();
  const terms = { mode: 'prepaid' as CommercialMode, limit: 0n, suspended: false };
  const credit = () => {
    if (terms.suspended) return 0n;
    const billed = ['credit_line', 'hybrid'].includes(terms.mode) ? -balances.receivable : 0n;
    return terms.limit > billed ? terms.limit - billed : 0n;
  };
  return {
    balances,
    holds,
    terms,
    position: () => balances.available + balances.held + balances.fees_held,
    spendable: () => (balances.available + credit() > 0n ? balances.available + credit() : 0n),
    /** Whether the whole goes through. */
    post(moves: Moves): boolean {
      const after = { ...balances };
      let beyond = 0n;
      for (const [kind, amount = 0n] of Object.entries(moves)) {
        const [debit, credit, taken] = legs[kind as TransferKind];
        after[debit] -= amount;
        after[credit] += amount;
        if (taken) beyond += amount;
      }
      // Without what is taken anyway it may not sink below the credit, nor sink at all where it is below.
      const floor = least(balances.available, -credit());
      if (after.available + beyond < floor || after.receivable > 0n) return false;
      if (neverBelowZero.some((name) => after[name] < 0n)) return false;
      Object.assign(balances, after);
      return true;
    },
  };
}

const amount = fc.bigInt({ min: 0n, max: 120n });
const slot = fc.nat({ max: 7 });
const act = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constant('move' as const),
      moves: fc
        .uniqueArray(fc.tuple(fc.constantFrom(...freeKinds), amount), {
          minLength: 1,
          maxLength: 3,
          selector: ([kind]) => kind,
        })
        .map((entries) => Object.fromEntries(entries) as Partial<Record<FreeKind, bigint>>),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('hold' as const), slot, amount }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('settle' as const), slot, amount, pass: amount }) },
  fc.record({ what: fc.constant('release' as const), slot }),
  fc.record({ what: fc.constant('adjust' as const), amount: fc.bigInt({ min: -60n, max: 60n }) }),
  fc.record({
    what: fc.constant('terms' as const),
    mode: fc.constantFrom(...commercialModes),
    limit: fc.bigInt({ min: 0n, max: 300n }),
  }),
  fc.record({ what: fc.constant('status' as const), suspended: fc.boolean() }),
  fc.record({ what: fc.constant('close' as const) }),
);
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;

async function given() {
  const { accountSid } = await app.newAccount();
  const billing = billingOf(app, { accountSid });
  const { id: walletId } = await billing.wallet();
  const expected = model();
  const began = app.clock.now();
  const ends: Date[] = [];
  const positions: bigint[] = [];
  const open = new Map<number, string>();
  let references = 0;

  /** Whether the database let it through; a refusal is one of a limit. */
  const tried = async (work: Promise<unknown>): Promise<boolean> =>
    work.then(
      () => true,
      (error) => {
        assert.ok(
          error instanceof ApiError && ['INSUFFICIENT_FUNDS', 'CONFLICT'].includes(error.code),
          String(error),
        );
        return false;
      },
    );
  const agree = async (moves: Moves, work: Promise<unknown>) => {
    const through = expected.post(moves);
    assert.equal(
      await tried(work),
      through,
      JSON.stringify(moves, (_, v) => String(v)),
    );
    return through;
  };
  const perform = async (act: Act): Promise<void> => {
    app.clock.advance(1);
    if (act.what === 'move') {
      references += 1;
      const { moves } = act;
      await agree(
        moves,
        billing.write((t) => moveMoney(t, { walletId, reference: `r${references}`, moves })),
      );
    } else if (act.what === 'hold') {
      if (open.has(act.slot)) return;
      const messageSid = billing.message();
      const through = await agree(
        { hold: act.amount },
        billing.write((t) => hold(t, [{ messageSid, amountMinor: act.amount }])),
      );
      if (!through) return;
      open.set(act.slot, messageSid);
      expected.holds.set(messageSid, act.amount);
    } else if (act.what === 'settle' || act.what === 'release') {
      const messageSid = open.get(act.slot);
      if (!messageSid) return;
      open.delete(act.slot);
      const held = expected.holds.get(messageSid)!;
      expected.holds.delete(messageSid);
      if (act.what === 'release') {
        await agree(
          { release: held },
          billing.write((t) => release(t, [messageSid])),
        );
        return;
      }
      const { amount: fee, pass } = act;
      const final = fee + pass;
      const captureProvider = least(held, pass);
      const capture = least(held - captureProvider, fee);
      await agree(
        {
          capture_provider: captureProvider,
          overage_provider: pass - captureProvider,
          capture,
          overage: fee - capture,
          release: held > final ? held - final : 0n,
        },
        billing.write((t) => settle(t, [priceFor(messageSid, final, { passThroughMinor: pass })])),
      );
    } else if (act.what === 'adjust') {
      const moves = act.amount > 0n ? { adjust_charge: act.amount } : { adjust_credit: -act.amount };
      const caseSid = newSid('CS', app.clock.now());
      await agree(
        moves,
        billing.write((t) => addAdjustment(t, { walletId, caseSid, amountMinor: act.amount })),
      );
    } else if (act.what === 'terms') {
      const limit = act.mode === 'prepaid' ? 0n : act.limit;
      await billing.write((t) => changeTerms(t, { commercialMode: act.mode, creditLimitMinor: limit }));
      Object.assign(expected.terms, { mode: act.mode, limit });
    } else if (act.what === 'status') {
      await billing.write((t) => setBillingStatus(t, walletId, act.suspended ? 'suspended' : 'active'));
      expected.terms.suspended = act.suspended;
    } else {
      const endsAt = app.clock.now();
      const startsAt = ends.at(-1) ?? new Date(began.getTime() - 1);
      await billing.write(async (t) => {
        await closeUntil(t, walletId, endsAt);
        await addPeriod(t, { walletId, startsAt, endsAt });
      });
      ends.push(endsAt);
      positions.push(expected.position());
    }
  };
  return { ...billing, walletId, expected, ends, positions, perform };
}

suite('any history of money', () => {
  test('ends where the model ends, and lets through exactly what the model does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25 }), async (acts) => {
        const wallet = await given();
        for (const one of acts) {
          await wallet.perform(one);
          assert.equal(spendable(await wallet.wallet()), wallet.expected.spendable());
        }
        // Recomputes everything from the transfers on the way.
        assert.deepEqual(await wallet.balances(), wallet.expected.balances);
        const sum = Object.values(wallet.expected.balances).reduce((total, balance) => total + balance, 0n);
        assert.equal(sum, 0n);
        const periods = await wallet.write((t) => periodsOf(t, wallet.walletId));
        assert.deepEqual(
          periods.map(({ endsAt, positionMinor }) => [endsAt, positionMinor]),
          wallet.ends.map((end, at) => [end.toISOString(), wallet.positions[at]]),
        );
        for (const [at, { startsAt }] of periods.entries()) {
          if (at > 0) assert.equal(startsAt, periods[at - 1]!.endsAt);
        }
        app.clock.advance(1);
        assert.equal(
          await wallet.write((t) => positionAt(t, wallet.walletId, app.clock.now())),
          wallet.expected.position(),
        );
      }),
      { numRuns: 30 },
    );
  });

  test('knows every kind by what it debits and credits, and which are made beyond the limit', async () => {
    const rows = await app.sql<{ kind: string; debit: string; credit: string; beyond: boolean }>(
      `select kind, debit_account as debit, credit_account as credit, beyond_limit as beyond
         from ledger_transfer_kinds order by kind`,
    );
    assert.deepEqual(
      rows.map(({ kind, debit, credit, beyond }) => [kind, debit, credit, beyond]),
      Object.entries(legs)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([kind, [debit, credit, beyond = false]]) => [kind, debit, credit, beyond]),
    );
  });
});
