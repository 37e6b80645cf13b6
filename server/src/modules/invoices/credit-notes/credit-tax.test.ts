import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { splitByPaid, taxOfCredit } from './credit-tax.ts';

test('three thirds of an invoice take its whole tax', () => {
  const invoice = { netMinor: 300n, taxMinor: 100n };
  const taxes: bigint[] = [];
  for (let i = 0n; i < 3n; i += 1n) {
    const taxMinor = taxes.reduce((sum, tax) => sum + tax, 0n);
    taxes.push(taxOfCredit(invoice, { netMinor: i * 100n, taxMinor }, 100n));
  }
  assert.deepEqual(taxes, [33n, 34n, 33n]);
});

const amount = fc.bigInt({ min: 1n, max: 10n ** 14n });

test('credit notes in any split sum to the invoice, and no note takes a tax below zero', () => {
  const splits = fc.array(fc.bigInt({ min: 1n, max: 10n ** 6n }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(splits, fc.bigInt({ min: 0n, max: 10n ** 13n }), (notes, taxMinor) => {
      const netMinor = notes.reduce((sum, note) => sum + note, 0n);
      const credited = { netMinor: 0n, taxMinor: 0n };
      for (const note of notes) {
        const tax = taxOfCredit({ netMinor, taxMinor }, credited, note);
        assert.ok(tax >= 0n);
        credited.netMinor += note;
        credited.taxMinor += tax;
        assert.ok(credited.taxMinor <= taxMinor);
      }
      assert.deepEqual(credited, { netMinor, taxMinor });
    }),
  );
});

test('a credit note first lessens what is owed, and all of it goes somewhere', () => {
  fc.assert(
    fc.property(
      amount,
      fc.bigInt({ min: 0n, max: 10n ** 14n }),
      amount,
      (netMinor, taxMinor, outstanding) => {
        const { openNet, openTax, paidNet, paidTax } = splitByPaid({ netMinor, taxMinor }, outstanding);
        assert.equal(openNet + paidNet, netMinor);
        assert.equal(openTax + paidTax, taxMinor);
        assert.ok(
          openNet + openTax === outstanding || (paidNet + paidTax === 0n && openNet + openTax < outstanding),
        );
        for (const part of [openNet, openTax, paidNet, paidTax]) assert.ok(part >= 0n);
      },
    ),
  );
});
