import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { atOnce } from '../../../../test/harness/billing.ts';
import { invoicingOf } from '../../../../test/harness/invoices.ts';
import { runCron, runJob } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { changeTerms, lastPeriod, periodsOf } from '../../billing/index.ts';
import { closeTime, settlePeriod } from './closing.ts';
import { closeDue, closePeriods } from './jobs.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const cents = (amountMinor: number | bigint) => ({
  amountMinor: String(amountMinor),
  currency: 'USD',
  scale: 2,
});
/** Every test goes on from where the last one left the clock. */
let month = 0;
const nextMonth = () => {
  const at = new Date(Date.UTC(2026, 9 + month, 10));
  month += 12;
  app.clock.set(at);
  return at;
};
const endOf = (at: Date, months = 1) => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1));

type Line = { kind: string; quantity: number | null; amount: { amountMinor: string } };
const linesOf = (invoice: { lines: Line[] }) =>
  invoice.lines.map(({ kind, quantity, amount }) => [kind, quantity, amount.amountMinor]);

suite('a month that is over', () => {
  test('becomes a statement and an invoice by itself, which say what the preview said', async () => {
    const now = nextMonth();
    const wallet = await invoicingOf(app);
    await wallet.charge(5_000_000n);
    await wallet.charge(5_000_000n);
    await wallet.charge(1_250_000n, { market: 'US' });
    const { notInvoiced, ...preview } = await wallet.preview();
    assert.equal(notInvoiced, null);
    app.clock.set(endOf(now));
    await wallet.close();
    const [invoice] = await wallet.invoices();
    assert.equal(invoice.state, 'open');
    assert.deepEqual(linesOf(invoice), [
      ['usage', 2, '1000'],
      ['usage', 1, '125'],
    ]);
    assert.deepEqual(invoice.total, cents(1125));
    for (const member of ['lines', 'subtotal', 'balanceApplied', 'taxLines', 'total', 'periods']) {
      assert.deepEqual(invoice[member], preview[member], member);
    }
    const [statement] = await wallet.statements();
    assert.deepEqual(statement.period, invoice.periods[0]);
    assert.equal(statement.closing.amountMinor, '-11250000');
    const balances = await wallet.balances();
    assert.deepEqual([balances.available, balances.receivable], [0n, -11_250_000n]);
  });

  test('is found by the clock, for everybody who set nothing else', async () => {
    const now = nextMonth();
    const wallet = await invoicingOf(app);
    await wallet.charge(5_000_000n);
    app.clock.set(new Date(endOf(now).getTime() - 1));
    await runCron(app, closeDue);
    const queued = () => app.count(`graphile_worker.jobs where key = 'close:${wallet.walletId}'`);
    assert.equal(await queued(), 0);
    app.clock.set(endOf(now));
    await runCron(app, closeDue);
    await runCron(app, closeDue);
    assert.equal(await queued(), 1);
  });

  test('of a prepaid wallet becomes a statement alone', async () => {
    const now = nextMonth();
    const wallet = await invoicingOf(app, { mode: 'prepaid', limit: 0n });
    await wallet.credit(7_000_000n);
    await wallet.charge(5_000_000n);
    app.clock.set(endOf(now));
    await wallet.close();
    assert.deepEqual(await wallet.invoices(), []);
    const [statement] = await wallet.statements();
    assert.equal(
      statement.movements.find(({ kind }: { kind: string }) => kind === 'charges').amount.amountMinor,
      '-5000000',
    );
    const { status, body } = await wallet.get(`statements/${statement.sid}`);
    assert.equal(status, 200);
    assert.equal(JSON.parse(body.document.json).number, statement.number);
  });

  test('in which nothing happened leaves no paper behind, and is closed all the same', async () => {
    const now = nextMonth();
    const wallet = await invoicingOf(app);
    app.clock.set(endOf(now, 3));
    await wallet.close();
    assert.deepEqual([await wallet.statements(), await wallet.invoices()], [[], []]);
    assert.equal((await wallet.write((t) => periodsOf(t, wallet.walletId))).length, 3);
  });

  test('takes the balance first, and bills the rest of what was spent', async () => {
    const now = nextMonth();
    const wallet = await invoicingOf(app, { mode: 'hybrid' });
    await wallet.credit(4_000_000n);
    await wallet.charge(10_000_000n);
    app.clock.set(endOf(now));
    await wallet.close();
    const [invoice] = await wallet.invoices();
    assert.deepEqual(linesOf(invoice), [
      ['usage', 1, '1000'],
      ['balance_applied', null, '-400'],
    ]);
    assert.deepEqual(
      [invoice.subtotal, invoice.balanceApplied, invoice.total],
      [cents(1000), cents(-400), cents(600)],
    );
  });

  test('that owes less than can be paid waits for the next, which is about both', async () => {
    const now = nextMonth();
    const wallet = await invoicingOf(app);
    await wallet.charge(490_000n);
    app.clock.set(endOf(now));
    await wallet.close();
    assert.deepEqual(await wallet.invoices(), []);
    await wallet.charge(100_000n);
    const preview = await wallet.preview();
    app.clock.set(endOf(now, 2));
    await wallet.close();
    const [invoice] = await wallet.invoices();
    assert.equal(invoice.periods.length, 2);
    assert.deepEqual(linesOf(invoice), [
      ['usage', 1, '10'],
      ['usage', 1, '49'],
    ]);
    assert.deepEqual(invoice.lines, preview.lines);
    const periods = await wallet.write((t) => periodsOf(t, wallet.walletId));
    assert.deepEqual(
      periods.map(({ invoiceSid }) => invoiceSid),
      [invoice.sid, invoice.sid],
    );
  });

  test('rounds to whole cents and loses none: the rest is in the books', async () => {
    const now = nextMonth();
    const wallet = await invoicingOf(app);
    await wallet.charge(1_004_999n);
    await wallet.charge(1_005_001n, { market: 'US' });
    await wallet.charge(7_001n, { market: 'IN' });
    app.clock.set(endOf(now));
    await wallet.close();
    const balances = await wallet.balances();
    assert.deepEqual((await wallet.invoices())[0].total, cents(202));
    assert.deepEqual([balances.available, balances.receivable, balances.rounding], [0n, -2_020_000n, 2_999n]);
  });
});

suite('time', () => {
  test('after a pause of a year every month is billed, and nothing twice', async () => {
    const now = nextMonth();
    const wallet = await invoicingOf(app);
    for (let i = 0; i < 12; i += 1) {
      await wallet.charge(BigInt(i + 1) * 1_000_000n);
      app.clock.set(new Date(endOf(now, i + 1).getTime() + 1));
    }
    await wallet.close();
    const invoices = await wallet.invoices();
    assert.deepEqual(
      invoices.map(({ total }: { total: { amountMinor: string } }) => Number(total.amountMinor)).toReversed(),
      Array.from({ length: 12 }, (_, i) => (i + 1) * 100),
    );
    const statements = (await wallet.statements()).toReversed();
    for (const [i, { opening, period }] of statements.entries()) {
      if (i === 0) continue;
      assert.deepEqual(opening, statements[i - 1].closing);
      assert.equal(period.start, statements[i - 1].period.end);
    }
    const { available, receivable } = await wallet.balances();
    assert.deepEqual([available, receivable], [0n, -78_000_000n]);
  });

  test('what is charged late, or by a clock that is behind, falls into the next period', async () => {
    const now = nextMonth();
    const wallet = await invoicingOf(app);
    await wallet.charge(1_000_000n);
    app.clock.set(endOf(now));
    await wallet.close();
    app.clock.set(new Date(endOf(now).getTime() - 60_000));
    await wallet.charge(2_000_000n);
    app.clock.set(endOf(now, 2));
    await wallet.close();
    const totals = (await wallet.invoices()).map(({ total }: { total: unknown }) => total);
    assert.deepEqual(totals, [cents(200), cents(100)]);
  });

  test('a service that dies between closing the time and adding it up goes on where it was', async () => {
    const now = nextMonth();
    const wallet = await invoicingOf(app);
    await wallet.charge(1_000_000n);
    app.clock.set(endOf(now));
    assert.equal(await wallet.write((t) => closeTime(t, wallet.walletId)), true);
    await wallet.charge(5_000_000n);
    app.clock.set(endOf(now, 2));
    await wallet.close();
    const totals = (await wallet.invoices()).map(({ total }: { total: unknown }) => total);
    assert.deepEqual(totals, [cents(500), cents(100)]);
  });

  test('adding it up may take half an hour, and nothing after it longer than before', async () => {
    const now = nextMonth();
    const wallet = await invoicingOf(app);
    await wallet.charge(5_000_000n);
    app.clock.set(endOf(now));
    const limitOf = async (t: TenantTx) =>
      (await t.one<{ most: string }>(sql`select current_setting('statement_timeout') as most`)).most;
    const before = await wallet.write(async (t) => {
      await closeTime(t, wallet.walletId);
      return limitOf(t);
    });
    const within = await wallet.write(async (t) => {
      await settlePeriod(t, wallet.walletId);
      return limitOf(t);
    });
    assert.deepEqual([within, await wallet.write(limitOf)], ['30min', before]);
    assert.notEqual(before, within);
  });

  test('adding up that fails leaves nothing behind', async () => {
    const now = nextMonth();
    const wallet = await invoicingOf(app);
    await wallet.charge(1_000_000n);
    app.clock.set(endOf(now));
    await wallet.write((t) => closeTime(t, wallet.walletId));
    const dies = wallet.write(async (t) => {
      await settlePeriod(t, wallet.walletId);
      throw new Error('the machine is switched off');
    });
    await assert.rejects(dies, /switched off/);
    assert.equal(await wallet.write((t) => lastPeriod(t, wallet.walletId)), null);
    assert.deepEqual(await wallet.invoices(), []);
    await wallet.close();
    assert.equal((await wallet.invoices()).length, 1);
  });
});

suite('at the same time', () => {
  test('many closers close once', async () => {
    const now = nextMonth();
    const wallet = await invoicingOf(app);
    for (let i = 0; i < 3; i += 1) {
      await wallet.charge(1_000_000n);
      app.clock.set(endOf(now, i + 1));
    }
    const results = await atOnce(Array.from({ length: 50 }), () =>
      runJob(wallet, closePeriods, { walletId: wallet.walletId }),
    );
    assert.deepEqual(
      results.filter(({ status }) => status === 'rejected'),
      [],
    );
    assert.deepEqual(
      (await wallet.invoices()).map(({ total }: { total: unknown }) => total),
      [cents(100), cents(100), cents(100)],
    );
    assert.equal((await wallet.statements()).length, 3);
  });

  test('messages that are charged while a period is closed are in it or in the next, never in both or in neither', async () => {
    const now = nextMonth();
    const wallet = await invoicingOf(app);
    app.clock.set(endOf(now));
    const results = await atOnce(
      Array.from({ length: 51 }, (_, i) => i),
      async (i) => {
        if (i === 20) await runJob(wallet, closePeriods, { walletId: wallet.walletId });
        else await wallet.charge(1_000_000n);
      },
    );
    assert.deepEqual(
      results.filter(({ status }) => status === 'rejected'),
      [],
    );
    app.clock.set(endOf(now, 2));
    await wallet.close();
    const billed = (await wallet.invoices()).reduce(
      (sum: number, { total }: { total: { amountMinor: string } }) => sum + Number(total.amountMinor),
      0,
    );
    assert.equal(billed, 5000);
    assert.equal((await wallet.balances()).available, 0n);
  });
});

test('a wallet that left its credit behind is not invoiced, and keeps what it owes', async () => {
  const now = nextMonth();
  const wallet = await invoicingOf(app);
  await wallet.charge(3_000_000n);
  await wallet.write((t) => changeTerms(t, { commercialMode: 'prepaid', creditLimitMinor: 0n }));
  app.clock.set(endOf(now));
  await wallet.close();
  assert.deepEqual(await wallet.invoices(), []);
  assert.equal((await wallet.balances()).available, -3_000_000n);
});
