import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  add,
  allocate,
  compare,
  format,
  fromWire,
  isNegative,
  type Money,
  MoneyMismatch,
  money,
  multiplyRatio,
  negate,
  parse,
  subtract,
  sum,
  toWire,
} from './money.ts';

const runs = { numRuns: 2_000 };
const limit = 10n ** 30n - 1n;
const amounts = fc.oneof(fc.bigInt({ min: -limit, max: limit }), fc.bigInt({ min: -1000n, max: 1000n }));
const dollars = amounts.map((amount) => usd(amount));
const currencies = fc.stringMatching(/^[A-Z]{3}$/);
const scales = fc.integer({ min: 0, max: 9 });
const anyMoney = fc.tuple(amounts, currencies, scales).map((parts) => money(...parts));

function usd(amount: bigint): Money {
  return money(amount, 'USD', 2);
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

test('a sum is exact, whatever the order of its parts', () => {
  fc.assert(
    fc.property(fc.array(dollars), (parts) => {
      const total = sum(parts, 'USD', 2);
      const exact = parts.reduce((running, part) => running + part.amountMinor, 0n);
      assert.deepEqual(total, usd(exact));
      assert.deepEqual(sum(parts.toReversed(), 'USD', 2), total);
    }),
    runs,
  );
});

test('subtracting undoes adding, and comparing agrees with the difference', () => {
  fc.assert(
    fc.property(dollars, dollars, (a, b) => {
      assert.deepEqual(subtract(add(a, b), b), a);
      assert.deepEqual(add(a, negate(a)), usd(0n));
      assert.equal(compare(a, b) < 0, isNegative(subtract(a, b)));
      assert.equal(compare(a, b) === 0, a.amountMinor === b.amountMinor);
      assert.equal(compare(a, b) + compare(b, a), 0);
    }),
    runs,
  );
});

test('money of another currency or scale never mixes', () => {
  const differing = fc
    .tuple(anyMoney, anyMoney)
    .filter(([a, b]) => a.currency !== b.currency || a.scale !== b.scale);
  fc.assert(
    fc.property(differing, ([a, b]) => {
      for (const mix of [add, subtract, compare]) assert.throws(() => mix(a, b), MoneyMismatch);
      assert.throws(() => sum([b], a.currency, a.scale), MoneyMismatch);
    }),
    runs,
  );
  assert.throws(() => add(usd(1n), money(1n, 'USD', 3)), MoneyMismatch);
  assert.throws(() => add(usd(1n), money(1n, 'EUR', 2)), MoneyMismatch);
});

test('money survives its journey as JSON, to the last unit', () => {
  fc.assert(
    fc.property(anyMoney, (m) => {
      assert.deepEqual(fromWire(JSON.parse(JSON.stringify(toWire(m)))), m);
    }),
    runs,
  );
  assert.deepEqual(toWire(usd(450n)), { amountMinor: '450', currency: 'USD', scale: 2 });
});

test('an amount written in any other way is refused', () => {
  const refused = [
    '',
    '-',
    '+1',
    '01',
    '-01',
    '1.0',
    '1e3',
    ' 1',
    '1\n',
    '0x10',
    '1_000',
    '٣',
    '9'.repeat(31),
  ];
  for (const amountMinor of [...refused, `-${'9'.repeat(31)}`, 450 as unknown as string]) {
    assert.throws(() => fromWire({ amountMinor, currency: 'USD', scale: 2 }), RangeError, `${amountMinor}`);
  }
  assert.equal(
    fromWire({ amountMinor: `-${'9'.repeat(30)}`, currency: 'USD', scale: 2 }).amountMinor,
    -limit,
  );
});

test('a floating-point amount, an unknown currency form or scale is refused', () => {
  assert.throws(() => money(4.5 as unknown as bigint, 'USD', 2), TypeError);
  for (const currency of ['', 'usd', 'US', 'USDT', 'USD\n'])
    assert.throws(() => money(1n, currency, 2), RangeError);
  for (const scale of [-1, 10, 1.5, Number.NaN]) assert.throws(() => money(1n, 'USD', scale), RangeError);
});

test('a ratio is rounded once, to the nearest unit, and from the middle to the even one', () => {
  const factors = fc.oneof(fc.bigInt({ min: -40n, max: 40n }), amounts);
  fc.assert(
    fc.property(
      dollars,
      factors,
      factors.filter((d) => d !== 0n),
      (m, numerator, denominator) => {
        // The definition itself is the oracle: no unit is nearer, and a tie is even.
        const rounded = multiplyRatio(m, numerator, denominator).amountMinor;
        const twiceError = 2n * magnitude(rounded * denominator - m.amountMinor * numerator);
        assert.ok(twiceError <= magnitude(denominator));
        if (twiceError === magnitude(denominator)) assert.equal(rounded % 2n, 0n);
      },
    ),
    { numRuns: 10_000 },
  );
});

test('halves go to the even side on both sides of zero', () => {
  const halves = [-7n, -5n, -3n, -1n, 1n, 3n, 5n, 7n].map((n) => multiplyRatio(usd(n), 1n, 2n).amountMinor);
  assert.deepEqual(halves, [-4n, -2n, -2n, 0n, 0n, 2n, 2n, 4n]);
  assert.equal(multiplyRatio(usd(7n), 1n, -2n).amountMinor, -4n);
  assert.throws(() => multiplyRatio(usd(1n), 1n, 0n), RangeError);
});

test('allocation loses no unit and gives each part its share to within one', () => {
  const weightings = fc
    .array(fc.bigInt({ min: 0n, max: 1000n }), { minLength: 1, maxLength: 20 })
    .filter((weights) => weights.some((weight) => weight > 0n));
  fc.assert(
    fc.property(dollars, weightings, (m, weights) => {
      const parts = allocate(m, weights);
      const totalWeight = weights.reduce((total, weight) => total + weight, 0n);
      assert.equal(parts.length, weights.length);
      assert.deepEqual(sum(parts, 'USD', 2), m);
      parts.forEach((part, i) => {
        const error = part.amountMinor * totalWeight - m.amountMinor * weights[i]!;
        assert.ok(magnitude(error) < totalWeight);
      });
      assert.deepEqual(allocate(negate(m), weights), parts.map(negate));
    }),
    runs,
  );
});

test('units left over go to the largest remainder, and among equals to the earlier part', () => {
  const split = (amount: bigint, ...weights: bigint[]) =>
    allocate(usd(amount), weights).map((m) => m.amountMinor);
  assert.deepEqual(split(100n, 1n, 1n, 1n), [34n, 33n, 33n]);
  assert.deepEqual(split(-100n, 1n, 1n, 1n), [-34n, -33n, -33n]);
  assert.deepEqual(split(10n, 1n, 5n), [2n, 8n]);
  assert.deepEqual(split(10n, 0n, 1n, 0n), [0n, 10n, 0n]);
  for (const weights of [[], [0n], [-1n, 2n], [1n, -1n]]) {
    assert.throws(() => allocate(usd(1n), weights), RangeError);
  }
});

test('people read the same amount that is stored', () => {
  fc.assert(
    fc.property(anyMoney, (m) => {
      const text = format(m);
      const [number, currency] = text.split(' ');
      assert.equal(currency, m.currency);
      assert.equal(BigInt(number!.replace('.', '')), m.amountMinor);
      assert.equal(number!.split('.')[1]?.length ?? 0, m.scale);
    }),
    runs,
  );
  const shown = [usd(450n), usd(-5n), usd(0n), money(450n, 'JPY', 0), money(-1234567n, 'KWD', 3)].map(format);
  assert.deepEqual(shown, ['4.50 USD', '-0.05 USD', '0.00 USD', '450 JPY', '-1234.567 KWD']);
});

test('what people read can be read back, and nothing else can', () => {
  const readable = anyMoney.filter(({ amountMinor, scale }) => amountMinor < 10n ** BigInt(18 + scale));
  fc.assert(
    fc.property(readable, (m) => {
      const [number] = format(m).split(' ');
      if (number!.replace('-', '').split('.')[0]!.length > 20) return;
      assert.deepEqual(parse(number!, m.currency, m.scale), m);
    }),
    runs,
  );
  const read = (text: string) => parse(text, 'USD', 2)?.amountMinor ?? null;
  assert.deepEqual(['4', '4.5', '4.50', '-0.05', '007'].map(read), [400n, 450n, 450n, -5n, 700n]);
  const wrong = [
    '',
    '.',
    '4.',
    '.5',
    '4.505',
    '4,50',
    '1e3',
    '0x1',
    ' 4',
    '4 ',
    '+4',
    '--4',
    'NaN',
    '9'.repeat(21),
  ];
  for (const text of wrong) assert.equal(read(text), null, text);
});
