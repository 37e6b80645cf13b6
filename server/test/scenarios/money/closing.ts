// Months end: what the next invoice says is known before, and each debt is billed once.
import assert from 'node:assert/strict';
import type { Acts } from './acts.ts';
import { type Books, type KnownInvoice, outstandingOf, wide } from './books.ts';
import { type Plan, taxOn, type World } from './paying.ts';
import { isChargeable, noteTry } from './saved-cards.ts';

const cents = ({ amountMinor }: { amountMinor: string }) => BigInt(amountMinor);
const monthAfter = (at: Date, months = 1) =>
  new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1));

type Stored = {
  sid: string;
  periods: object[];
  lines: object[];
  taxLines: object[];
  subtotal: { amountMinor: string };
  balanceApplied: object;
  total: { amountMinor: string };
  state: string;
};
const said = ({
  periods,
  lines,
  subtotal,
  balanceApplied,
  taxLines,
  total,
}: Omit<Stored, 'sid' | 'state'>) => ({
  periods,
  lines,
  subtotal,
  balanceApplied,
  taxLines,
  total,
});

export async function closePlan(world: World, { months }: Acts['close']): Promise<Plan> {
  const { life } = world;
  const preview = await life.preview();
  return {
    refusal: null,
    async run() {
      for (let i = 0; i < months; i += 1) life.endMonth();
      await life.close();
      await life.work();
    },
    effect: () => billed(world, preview),
  };
}

async function billed(world: World, preview: Stored & { notInvoiced: string | null }): Promise<void> {
  const { life, books, taxCode } = world;
  const known = new Set(books.invoices.map(({ sid }) => sid));
  const fresh = ((await life.invoices()) as Stored[]).filter(({ sid }) => !known.has(sid)).reverse();
  const dues = new Map(
    (
      await life.app.sql<{ sid: string; due: string; ends: Date }>(
        `select i.sid, i.due_minor as due, max(p.ends_at) as ends from invoices i
           join billing_periods p on p.account_sid = i.account_sid and p.invoice_sid = i.sid
          where i.account_sid = $1 group by i.sid, i.due_minor`,
        [life.accountSid],
      )
    ).map(({ sid, due, ends }) => [sid, { dueMinor: BigInt(due), ends }]),
  );
  const made: { ends: Date; invoice: KnownInvoice }[] = [];
  for (const one of fresh) {
    const { dueMinor, ends } = dues.get(one.sid)!;
    const before = made.reduce((sum, { invoice }) => sum + invoice.dueMinor, 0n);
    assert.equal(dueMinor, -books.positionAt(ends) - before, 'what was owed when the month ended');
    const total = cents(one.total);
    const tax = one.taxLines.reduce(
      (sum, line) => sum + cents((line as { amount: { amountMinor: string } }).amount),
      0n,
    );
    const net = total - tax;
    const rounding = wide(net) - dueMinor;
    assert.ok(
      (rounding < 0n ? -rounding : rounding) <= 5_000n * BigInt(one.lines.length),
      'each line is rounded once',
    );
    assert.equal(tax, taxOn(net, taxCode));
    made.push({ ends, invoice: newInvoice(one.sid, { dueMinor, net, tax }, books) });
  }
  // The first month that ended is the one that was previewed, unless it was billed with a later one.
  const [first] = fresh;
  if (preview.notInvoiced === null) assert.deepEqual(first && said(first), said(preview), 'the preview');
  for (const { invoice } of made) {
    books.invoiced(invoice);
    const cents = outstandingOf(invoice);
    if (invoice.card && cents > 0n)
      await (isChargeable(cents) ? noteTry(world, invoice, cents) : books.left(invoice));
  }
  await nothingForgotten(world, made.at(-1)?.invoice);
}

const newInvoice = (
  sid: string,
  amounts: Pick<KnownInvoice, 'dueMinor' | 'net' | 'tax'>,
  { collection }: Books,
): KnownInvoice => ({
  sid,
  ...amounts,
  state: 'open',
  paid: 0n,
  creditedNet: 0n,
  creditedTax: 0n,
  creditedOpen: 0n,
  writtenOff: 0n,
  dunning: 'none',
  card: collection?.card ?? null,
  tries: 0,
  retries: collection?.retries ?? 0,
  retryAt: null,
});

/** What was owed when the last month ended and is not invoiced is below what can be paid. */
async function nothingForgotten({ life, books, taxCode }: World, last: KnownInvoice | undefined) {
  const [period] = await life.app.sql<{ ends: Date }>(
    'select max(ends_at) as ends from billing_periods where wallet_id = $1',
    [life.walletId],
  );
  const now = life.app.clock.now();
  assert.deepEqual(period!.ends, monthAfter(now, 0), 'everything up to this month is closed');
  if (last) return;
  const owed = -books.positionAt(period!.ends);
  const net = (owed + 5_000n) / 10_000n;
  assert.ok(owed <= 0n || net + taxOn(net, taxCode) <= 51n, `${owed} is owed and was not invoiced`);
}
