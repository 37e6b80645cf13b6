// What must be true of money at any time, however it came there.
import assert from 'node:assert/strict';
import { asOperator } from '../../../src/main/process/keys.ts';
import { verifyLedger } from '../../../src/modules/billing/index.ts';
import { verifyDocuments } from '../../../src/modules/billing-documents/index.ts';
import { serviceOf, verifyCash, verifyPaidInto } from '../../../src/modules/payments/index.ts';
import type { TestApp } from '../../harness/app.ts';
import { outstandingOf, totalOf, wide } from './books.ts';
import { walkLines } from './lines.ts';
import type { World } from './paying.ts';

const sumOf = <T>(items: T[], amountOf: (item: T) => bigint) =>
  items.reduce((sum, item) => sum + amountOf(item), 0n);

export async function proveEverything(world: World): Promise<void> {
  booksAddUp(world);
  await invoicesAgree(world);
  await walkLines(world);
  await restCanBeCredited(world);
  await statementsFollow(world);
  const { app, accountSid } = world.life;
  for await (const report of verifyLedger(app.database, accountSid)) assert.equal(report.broken, null);
  for await (const report of verifyDocuments(app.database, accountSid)) assert.equal(report.broken, null);
  await ledgerAgreesWithPayments(world);
}

function booksAddUp({ books }: World): void {
  const { balances, invoices, credits } = books;
  assert.equal(
    sumOf(Object.values(balances), (one) => one),
    0n,
  );
  assert.equal(balances.receivable, -wide(sumOf(invoices, outstandingOf)), 'receivable');
  assert.equal(balances.bad_debt, -wide(sumOf(invoices, ({ writtenOff }) => writtenOff)), 'bad debt');
  assert.equal(balances.credit_balance, wide(sumOf(credits, ({ cents, used }) => cents - used)), 'credit');
  assert.equal(balances.refunds_pending, 0n);
  for (const payment of books.payments) {
    assert.ok(payment.refundedCents <= payment.cents, 'no more is refunded than was paid');
    assert.ok(payment.refundedTaxCents <= payment.taxCents);
  }
}

/** Every invoice as it is shown is the one in the books, and numbers have no gap. */
async function invoicesAgree({ life, books }: World): Promise<void> {
  const stored = new Map((await life.invoices()).map((one: { sid: string }) => [one.sid, one]));
  assert.equal(stored.size, books.invoices.length);
  const numbers: number[] = [];
  for (const known of books.invoices) {
    // biome-ignore lint/suspicious/noExplicitAny: what is looked at is checked right here
    const shown = stored.get(known.sid) as any;
    const cents = (name: string) => BigInt(shown[name].amountMinor);
    assert.deepEqual(
      [shown.state, cents('total'), cents('paid'), cents('credited'), cents('outstanding')],
      [known.state, totalOf(known), known.paid, known.creditedNet + known.creditedTax, outstandingOf(known)],
    );
    const { attempts, nextAttemptAt } = shown.collection;
    assert.deepEqual([attempts, nextAttemptAt], [known.tries, known.retryAt?.toISOString() ?? null]);
    numbers.push(Number(shown.number.slice(-6)));
  }
  assert.deepEqual(
    numbers.toSorted((a, b) => a - b),
    numbers.map((_, i) => i + 1),
  );
}

/** The last note takes what is left, and all notes of an invoice are the invoice. */
async function restCanBeCredited({ life, books }: World): Promise<void> {
  for (const invoice of books.invoices) {
    const left = { net: invoice.net - invoice.creditedNet, tax: invoice.tax - invoice.creditedTax };
    if (left.net === 0n || !['open', 'past_due', 'paid'].includes(invoice.state)) continue;
    const { status, text } = await life.post(`invoices/${invoice.sid}/credit-notes`, {
      amountMinor: String(left.net),
      taxMinor: String(left.tax),
      currency: 'USD',
      scale: 2,
      evidence: {},
      idempotencyKey: crypto.randomUUID(),
      reason: 'test',
    });
    assert.equal(status, 201, text);
    await life.work();
  }
  const notes = await life.app.sql<{ sid: string; net: string; tax: string }>(
    `select invoice_sid as sid, sum(net_minor) as net, sum(tax_minor) as tax from credit_notes
      where account_sid = $1 group by invoice_sid`,
    [life.accountSid],
  );
  for (const { sid, net, tax } of notes) {
    const invoice = books.invoices.find((one) => one.sid === sid)!;
    if (invoice.state === 'uncollectible') continue;
    assert.deepEqual([BigInt(net), BigInt(tax)], [invoice.net, invoice.tax], 'the notes sum to the invoice');
  }
}

/** Periods lie side by side from the first on, and a statement begins with what the one before it ended with. */
async function statementsFollow({ life }: World): Promise<void> {
  const periods = await life.app.sql<{ starts: Date; ends: Date }>(
    'select starts_at as starts, ends_at as ends from billing_periods where wallet_id = $1 order by n',
    [life.walletId],
  );
  for (const [i, { starts, ends }] of periods.entries()) {
    assert.ok(starts < ends);
    if (i > 0) assert.deepEqual(starts, periods[i - 1]!.ends);
  }
  const statements = (await life.statements()).reverse();
  for (const [i, { opening, period }] of statements.entries()) {
    const before = statements[i - 1];
    if (before?.period.end === period.start) assert.deepEqual(opening, before.closing);
  }
}

async function ledgerAgreesWithPayments({ life: { app, accountSid, walletId } }: World): Promise<void> {
  const context = asOperator({ database: app.database, clock: app.clock, log: app.log }, false);
  const asked = { database: app.database, livemode: false, context };
  assert.deepEqual(await verifyPaidInto(asked, accountSid, walletId), []);
}

/** Of all accounts there ever were. */
export async function cashAgrees(app: TestApp): Promise<void> {
  // By then both sides know of everything.
  app.clock.advance(2 * 3_600_000);
  const service = serviceOf({ ports: app.ports, site: app.site() }, false);
  const context = asOperator({ database: app.database, clock: app.clock, log: app.log }, false);
  const { differences } = await verifyCash({ database: app.database, service, livemode: false, context });
  assert.deepEqual(differences, []);
}
