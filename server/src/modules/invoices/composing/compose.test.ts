import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { type Composed, compose, type Happened, type Usage, whyNotInvoiced } from './compose.ts';

const usage = (amountMinor: bigint, changes: Partial<Usage> = {}): Usage => ({
  category: 'MARKETING',
  market: 'FR',
  pricingType: 'REGULAR',
  transport: 'CLOUD_API',
  unitPriceMinor: amountMinor,
  quantity: 1,
  amountMinor,
  ...changes,
});

const happened = (changes: Partial<Happened> = {}): Happened => ({
  currency: 'USD',
  scale: 6,
  isoScale: 2,
  positionMinor: 0n,
  usage: [],
  adjustments: { quantity: 0, amountMinor: 0n },
  feesMinor: 0n,
  reversalsMinor: 0n,
  taxRef: null,
  ...changes,
});

const amounts = ({ lines }: Composed) => lines.map(({ kind, amount }) => [kind, amount.amountMinor]);

suite('what an invoice says', () => {
  test('a debt is explained by the messages that made it', () => {
    const composed = compose(
      happened({
        positionMinor: -3_000_000n,
        usage: [
          usage(2_000_000n, { market: 'US', quantity: 40, unitPriceMinor: 50_000n }),
          usage(1_000_000n),
        ],
      }),
    );
    assert.deepEqual(amounts(composed), [
      ['usage', '100'],
      ['usage', '200'],
    ]);
    assert.deepEqual(composed.lines[1], {
      n: 2,
      kind: 'usage',
      description: 'MARKETING messages to US, REGULAR, by CLOUD_API',
      quantity: 40,
      unitPrice: { amountMinor: '50000', currency: 'USD', scale: 6 },
      amount: { amountMinor: '200', currency: 'USD', scale: 2 },
      usage: { category: 'MARKETING', market: 'US', pricingType: 'REGULAR', transport: 'CLOUD_API' },
      taxRef: null,
    });
    assert.equal(composed.netMinor, 300n);
    assert.equal(composed.residueMinor, 0n);
  });

  test('what the balance paid is taken off, and what was taken back is added', () => {
    const composed = compose(
      happened({
        positionMinor: -5_000_000n,
        usage: [usage(9_000_000n)],
        adjustments: { quantity: 2, amountMinor: -1_000_000n },
        reversalsMinor: 2_000_000n,
      }),
    );
    assert.deepEqual(amounts(composed), [
      ['usage', '900'],
      ['adjustment', '-100'],
      ['payment_reversal', '200'],
      ['balance_applied', '-500'],
    ]);
    assert.equal(composed.subtotalMinor, 1000n);
    assert.equal(composed.balanceAppliedMinor, -500n);
    assert.equal(composed.netMinor, 500n);
  });

  test('free messages are listed and cost nothing', () => {
    const free = usage(0n, { pricingType: 'FREE_CUSTOMER_SERVICE', quantity: 7 });
    const composed = compose(happened({ positionMinor: -1_000_000n, usage: [usage(1_000_000n), free] }));
    assert.deepEqual(amounts(composed), [
      ['usage', '0'],
      ['usage', '100'],
    ]);
  });

  test('lines are rounded once, half to even, and the rest of a cent is left to rounding', () => {
    const composed = compose(
      happened({
        positionMinor: -10_020_000n,
        usage: [usage(5_005_000n), usage(5_015_000n, { market: 'US' })],
      }),
    );
    assert.deepEqual(amounts(composed), [
      ['usage', '500'],
      ['usage', '502'],
    ]);
    assert.equal(composed.residueMinor, 0n);
    const odd = compose(happened({ positionMinor: -1_004_999n, usage: [usage(1_004_999n)] }));
    assert.equal(odd.netMinor, 100n);
    assert.equal(odd.residueMinor, -4_999n);
  });
});

suite('what is not invoiced', () => {
  test('a wallet that owes nothing gets no invoice', () => {
    const composed = compose(happened({ positionMinor: 5n, usage: [usage(1_000_000n)] }));
    assert.equal(composed.dueMinor, 0n);
    assert.equal(whyNotInvoiced(composed, 0n, 50n), 'nothing_due');
  });

  test('less than the payment service takes waits for the next invoice', () => {
    const composed = compose(happened({ positionMinor: -490_000n, usage: [usage(490_000n)] }));
    assert.equal(whyNotInvoiced(composed, 49n, 50n), 'below_minimum');
    assert.equal(whyNotInvoiced(composed, 50n, 50n), null, 'tax counts');
    const dust = compose(happened({ positionMinor: -1n, usage: [usage(1n)] }));
    assert.equal(whyNotInvoiced(dust, 0n, 0n), 'below_minimum', 'no invoice is over nothing');
  });
});

const minor = fc.bigInt({ min: 0n, max: 10n ** 13n });
const anyUsage = fc.record({
  category: fc.constantFrom('MARKETING', 'UTILITY', 'AUTHENTICATION', 'SERVICE'),
  market: fc.constantFrom('FR', 'US', 'IN', 'Rest of World'),
  pricingType: fc.constantFrom('REGULAR', 'FREE_ENTRY_POINT'),
  transport: fc.constantFrom('CLOUD_API', 'MARKETING_MESSAGES'),
  unitPriceMinor: minor,
  quantity: fc.nat(),
  amountMinor: minor,
});
const signed = fc.bigInt({ min: -(10n ** 13n), max: 10n ** 13n });

test('whatever happened, lines sum to the invoice and the invoice, less rounding, to the debt', () => {
  fc.assert(
    fc.property(
      fc.array(anyUsage, { maxLength: 30 }),
      signed,
      signed,
      signed,
      (usage, positionMinor, amountMinor, reversalsMinor) => {
        const given = happened({
          positionMinor,
          usage,
          adjustments: { quantity: 1, amountMinor },
          reversalsMinor,
        });
        const composed = compose(given);
        const sum = composed.lines.reduce((total, { amount }) => total + BigInt(amount.amountMinor), 0n);
        assert.equal(composed.netMinor, sum);
        assert.equal(composed.netMinor, composed.subtotalMinor + composed.balanceAppliedMinor);
        assert.equal(composed.dueMinor, positionMinor < 0n ? -positionMinor : 0n);
        assert.equal(composed.netMinor * 10_000n - composed.residueMinor, composed.dueMinor);
        const most = 5_000n * BigInt(composed.lines.length);
        assert.ok(composed.residueMinor <= most && composed.residueMinor >= -most, 'half a cent a line');
      },
    ),
  );
});
