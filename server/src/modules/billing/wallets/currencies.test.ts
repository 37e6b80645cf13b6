import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '../../../platform/money.ts';
import { isoScale, narrow, widen } from './currencies.ts';

test('only currencies that are listed have a scale', () => {
  assert.deepEqual(['USD', 'EUR', 'JPY', 'usd', ''].map(isoScale), [2, 2, null, null, null]);
});

test('more decimals change nothing of an amount, and fewer round it once, half to even', () => {
  assert.deepEqual(widen(money(1234n, 'USD', 2), 6), money(12_340_000n, 'USD', 6));
  const cents = (millionths: bigint) => narrow(money(millionths, 'USD', 6), 2).amountMinor;
  assert.deepEqual([5_000n, 5_001n, 15_000n, 14_999n, 0n, -5_000n, -15_000n, 12_340_000n].map(cents), [
    0n,
    1n,
    2n,
    1n,
    0n,
    0n,
    -2n,
    1234n,
  ]);
  assert.throws(() => widen(money(1n, 'USD', 6), 2), RangeError);
  assert.throws(() => narrow(money(1n, 'USD', 2), 6), RangeError);
});
