import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { wilson } from './interval.ts';

suite('the interval of a share', () => {
  test('is that of the published tables', () => {
    const rounded = (happened: number, tried: number) => {
      const { low, high } = wilson(happened, tried)!;
      return [low.toFixed(4), high.toFixed(4)];
    };
    // Newcombe 1998, table I, method 3.
    assert.deepEqual(rounded(81, 263), ['0.2553', '0.3662']);
    assert.deepEqual(rounded(15, 148), ['0.0624', '0.1605']);
    assert.deepEqual(rounded(0, 20), ['0.0000', '0.1611']);
    assert.deepEqual(rounded(1, 29), ['0.0061', '0.1718']);
    assert.equal(wilson(0, 0), null);
  });
  test('holds the share, stays between nothing and all, and narrows with more to go by', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (tried, part) => {
          const happened = Math.round(tried * part);
          const { low, high } = wilson(happened, tried)!;
          assert.ok(low >= 0 && high <= 1 && low <= happened / tried && happened / tried <= high);
          const wider = wilson(happened, tried)!;
          const narrower = wilson(happened * 4, tried * 4)!;
          assert.ok(narrower.high - narrower.low < wider.high - wider.low);
        },
      ),
    );
  });
});
