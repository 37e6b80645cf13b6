// The whole life of invoices: any sequence of what can happen to them, against what the books must say afterwards.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { invoicingOf, taxedBy } from '../../../test/harness/invoices.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { fallDue } from './collection/collect.ts';
import { taxOfCredit } from './credit-notes/credit-tax.ts';
import { type InvoiceRow, lockInvoice, outstandingOf, totalOf } from './invoices/invoices.ts';
import { receive, takeBack } from './settling/payments.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const which = fc.nat({ max: 5 });
const part = fc.integer({ min: 1, max: 120 });
const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('charge' as const),
      amount: fc.bigInt({ min: 1n, max: 9_999_999n }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('topUp' as const),
      amount: fc.bigInt({ min: 1n, max: 3_000_000n }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('close' as const), months: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('pay' as const, 'credit' as const, 'dispute' as const),
      which,
      part,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('void' as const, 'writeOff' as const, 'late' as const),
      which,
    }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;

const share = (amount: bigint, percent: number) => (amount * BigInt(percent)) / 100n;
const sumOf = <T>(items: T[], amountOf: (item: T) => bigint) =>
  items.reduce((sum, item) => sum + amountOf(item), 0n);

async function given() {
  const wallet = await invoicingOf(app);
  await taxedBy(wallet, 'standard');
  /** What was paid in and what messages cost: everything else follows from the invoices. */
  const books = { charged: 0n, toppedUp: 0n, disputed: 0n };
  const rows = async () => {
    const sids = (await wallet.invoices()).map(({ sid }: { sid: string }) => sid);
    return wallet.write(async (t) => {
      const found: InvoiceRow[] = [];
      for (const sid of sids.toReversed()) found.push(await lockInvoice(t, sid));
      return found;
    });
  };
  const ending = () => ({ evidence: {}, idempotencyKey: crypto.randomUUID(), reason: 'test' });

  async function touch(
    act: Exclude<Act, { kind: 'charge' | 'topUp' | 'close' }>,
    row: InvoiceRow,
  ): Promise<void> {
    const reference = crypto.randomUUID();
    if (act.kind === 'pay') {
      const amountMinor = share(totalOf(row), act.part) + 1n;
      await wallet.write(async (t) => receive(t, await lockInvoice(t, row.sid), { amountMinor, reference }));
    } else if (act.kind === 'dispute') {
      const amountMinor = share(row.paidMinor, act.part);
      if (amountMinor === 0n) return;
      const beyond = amountMinor - row.paidMinor;
      if (beyond > 0n) books.disputed += beyond * 10_000n;
      await wallet.write(async (t) => takeBack(t, await lockInvoice(t, row.sid), amountMinor, reference));
    } else if (act.kind === 'credit') {
      const netMinor = share(row.netMinor, act.part) + 1n;
      const credited = { netMinor: row.creditedNetMinor, taxMinor: row.creditedTaxMinor };
      const taxMinor = taxOfCredit(row, credited, netMinor);
      const money = { amountMinor: String(netMinor), taxMinor: String(taxMinor), currency: 'USD', scale: 2 };
      const reply = await wallet.post(`invoices/${row.sid}/credit-notes`, { ...money, ...ending() });
      assert.ok([201, 409].includes(reply.status), reply.text);
    } else if (act.kind === 'late') {
      app.clock.advance(31 * 86_400_000);
      await wallet.write((t) => fallDue(t, row.sid));
    } else {
      const path = act.kind === 'void' ? 'void' : 'write-off';
      const reply = await wallet.post(`invoices/${row.sid}/${path}`, ending());
      assert.ok([200, 409].includes(reply.status), reply.text);
    }
  }

  return {
    wallet,
    books,
    rows,
    async perform(act: Act): Promise<void> {
      if (act.kind === 'charge') {
        const charging = wallet.charge(act.amount).then(() => {
          books.charged += act.amount;
        });
        // A wallet that was suspended sends nothing on credit.
        await charging.catch((error) => refused(error, 'INSUFFICIENT_FUNDS'));
      } else if (act.kind === 'topUp') {
        await wallet.credit(act.amount);
        books.toppedUp += act.amount;
      } else if (act.kind === 'close') {
        for (let i = 0; i < act.months; i += 1) wallet.endMonth();
        await wallet.close();
      } else {
        const found = await rows();
        const row = found[act.which % Math.max(1, found.length)];
        if (row) await touch(act, row).catch((error) => refused(error));
      }
    },
  };
}

function refused(error: unknown, code = 'CONFLICT'): void {
  if (!(error instanceof ApiError && error.code === code)) throw error;
}

test('whatever happens to invoices, the books agree with them to the last millionth', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 22 }), async (acts) => {
      const life = await given();
      // There is something to be touched from the start.
      const first: Act[] = [
        { kind: 'charge', amount: 7_777_777n },
        { kind: 'close', months: 1 },
      ];
      for (const act of [...first, ...acts]) await life.perform(act);
      const rows = await life.rows();
      const balances = await life.wallet.balances();
      const standing = rows.filter(({ state }) => state !== 'void');
      const wide = (amountMinor: bigint) => amountMinor * 10_000n;
      assert.equal(balances.receivable, -wide(sumOf(rows, outstandingOf)), 'receivable');
      assert.equal(balances.bad_debt, -wide(sumOf(rows, (row) => row.writtenOffMinor)), 'bad debt');
      const taxes = sumOf(standing, (row) => row.taxMinor - row.creditedTaxMinor);
      assert.equal(balances.tax_payable, wide(taxes), 'tax');
      assert.equal(
        balances.rounding,
        sumOf(standing, (row) => wide(row.netMinor) - row.dueMinor),
        'rounding',
      );
      const billed = sumOf(standing, (row) => row.dueMinor);
      const { charged, toppedUp, disputed } = life.books;
      const own = balances.available! + balances.held!;
      assert.equal(own, toppedUp - charged + billed - disputed, 'the wallet itself');
      const [{ left }] = (await app.sql<{ left: string }>(
        'select coalesce(sum(amount_minor - used_minor), 0) as left from invoice_credits where account_sid = $1',
        [life.wallet.accountSid],
      )) as [{ left: string }];
      assert.equal(balances.credit_balance, wide(BigInt(left)), 'credit');
      for (const row of rows) {
        const settled = outstandingOf(row) === 0n && row.writtenOffMinor === 0n;
        assert.equal(
          ['paid', 'void'].includes(row.state),
          settled,
          `${row.state} with ${outstandingOf(row)} outstanding`,
        );
        if (row.creditedNetMinor === row.netMinor) assert.equal(row.creditedTaxMinor, row.taxMinor);
      }
      // Without a gap, in the order in which they were accepted: of two that were made at once either may be first.
      const numbers = rows.map(({ number }) => Number(number!.slice(-6)));
      assert.deepEqual(
        numbers.toSorted((a, b) => a - b),
        rows.map((_, i) => i + 1),
      );
    }),
    { numRuns: 12 },
  );
});
