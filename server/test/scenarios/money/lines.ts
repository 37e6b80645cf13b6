// From the lines of invoices to the charges and messages they are made of, as whoever asks the API walks.
import assert from 'node:assert/strict';
import { share } from './books.ts';
import type { World } from './paying.ts';

type Amount = { amountMinor: string; currency: string; scale: number };
export type Charge = {
  id: string;
  kind: 'MESSAGE' | 'ADJUSTMENT';
  messageSid: string;
  invoiceSid: string | null;
  amount: Amount;
} & Usage;
type Usage = {
  category: string | null;
  market: string | null;
  pricingType: string | null;
  transport: string | null;
};
type Line = {
  n: number;
  kind: 'usage' | 'adjustment' | 'payment_reversal' | 'balance_applied';
  quantity: number | null;
  unitPrice: Amount | null;
  amount: Amount;
  usage: Usage | null;
};
type Invoice = { sid: string; state: string; lines: Line[] };
export type Walked = { invoice: Invoice; line: Line; charges: Charge[] };

const sumOf = (charges: Charge[]) =>
  charges.reduce((sum, { amount }) => sum + BigInt(amount.amountMinor), 0n);
/** From millionths to cents, half to even. */
const inCents = (minor: bigint) => (minor < 0n ? -share(-minor, 1n, 10_000n) : share(minor, 1n, 10_000n));

/** Page by page, with so many on each. */
async function allOf<T>({ life }: World, path: string, limit: number): Promise<T[]> {
  const found: T[] = [];
  for (let cursor = ''; ; ) {
    const { status, body, text } = await life.get(`${path}?limit=${limit}${cursor}`);
    assert.equal(status, 200, text);
    found.push(...body.data);
    if (!body.hasMore) return found;
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
  }
}

/** Walks from every line of every invoice to its charges, and proves that they are all there is to it. */
export async function walkLines(world: World, limit = 100): Promise<Walked[]> {
  const walked: Walked[] = [];
  for (const invoice of (await world.life.invoices()) as Invoice[])
    for (const line of invoice.lines) {
      const path = `invoices/${invoice.sid}/lines/${line.n}/charges`;
      const charges = await allOf<Charge>(world, path, limit);
      addUp(line, charges);
      // What was voided is billed again, by another invoice or by none yet.
      if (invoice.state !== 'void')
        for (const { invoiceSid } of charges) assert.equal(invoiceSid, invoice.sid);
      walked.push({ invoice, line, charges });
    }
  await nothingMissing(world, walked, limit);
  return walked;
}

function addUp({ kind, quantity, unitPrice, amount, usage }: Line, charges: Charge[]): void {
  if (kind !== 'usage' && kind !== 'adjustment') {
    assert.deepEqual(charges, []);
    return;
  }
  assert.equal(charges.length, quantity);
  assert.equal(inCents(sumOf(charges)), BigInt(amount.amountMinor), 'the charges add up to the line');
  for (const charge of charges) assert.equal(charge.kind, kind === 'usage' ? 'MESSAGE' : 'ADJUSTMENT');
  if (kind === 'usage')
    for (const { category, market, pricingType, transport, amount: each } of charges)
      assert.deepEqual(
        [each, { category, market, pricingType, transport }],
        [unitPrice, usage],
        'each is what the line says',
      );
}

/** Every charge that says it was invoiced stands behind one line of that invoice; corrections that cancel out need none. */
async function nothingMissing(world: World, walked: Walked[], limit: number): Promise<void> {
  const charges = await allOf<Charge>(world, 'charges', limit);
  const behind = walked
    .filter(({ invoice }) => invoice.state !== 'void')
    .flatMap((one) => one.charges.map(({ id }) => id));
  assert.equal(new Set(behind).size, behind.length, 'no charge stands behind two lines');
  const missing = charges.filter(({ id, invoiceSid }) => invoiceSid !== null && !behind.includes(id));
  const left = Map.groupBy(missing, ({ invoiceSid }) => invoiceSid);
  for (const [sid, rest] of left) {
    assert.ok(
      rest.every(({ kind }) => kind === 'ADJUSTMENT'),
      `messages of ${sid} stand behind no line`,
    );
    assert.equal(sumOf(rest), 0n, `corrections of ${sid} stand behind no line`);
  }
}
