/**
 * An exact amount: whole minor units, the currency they are of, and how many decimals one unit of that
 * currency has. Amounts of another currency or scale never mix, and nothing is rescaled on the quiet.
 */
export type Money = { readonly amountMinor: bigint; readonly currency: string; readonly scale: number };

/** Money as JSON carries it; the amount is text because a JSON number loses digits beyond 2^53. */
export type MoneyWire = { amountMinor: string; currency: string; scale: number };

export class MoneyMismatch extends Error {
  override name = 'MoneyMismatch';

  constructor(a: Money, b: Money) {
    super(`${a.currency} at scale ${a.scale} does not mix with ${b.currency} at scale ${b.scale}.`);
  }
}

const CURRENCY = /^[A-Z]{3}$/;
const WHOLE_NUMBER = /^-?(0|[1-9][0-9]*)$/;
const MAX_SCALE = 9;
// Far above any real sum, yet short enough that parsing what a stranger sent costs nothing.
const MAX_WIRE_DIGITS = 30;

export function money(amount: bigint, currency: string, scale: number): Money {
  if (typeof amount !== 'bigint') throw new TypeError('An amount is a bigint of minor units.');
  if (!CURRENCY.test(currency)) throw new RangeError('A currency is three capital letters.');
  if (!Number.isInteger(scale) || scale < 0 || scale > MAX_SCALE) {
    throw new RangeError(`A scale is a whole number from 0 to ${MAX_SCALE}.`);
  }
  return { amountMinor: amount, currency, scale };
}

export function toWire(m: Money): MoneyWire {
  return { amountMinor: m.amountMinor.toString(), currency: m.currency, scale: m.scale };
}

export function fromWire(wire: MoneyWire): Money {
  const text = wire.amountMinor;
  // The sign is not a digit, hence the one more character to look at.
  const plausible = typeof text === 'string' && text.length <= MAX_WIRE_DIGITS + 1 && WHOLE_NUMBER.test(text);
  if (!plausible || text.replace('-', '').length > MAX_WIRE_DIGITS) {
    throw new RangeError(`amountMinor is a whole number as text, of at most ${MAX_WIRE_DIGITS} digits.`);
  }
  return money(BigInt(text), wire.currency, wire.scale);
}

export function add(a: Money, b: Money): Money {
  return withAmount(a, a.amountMinor + sameKind(a, b).amountMinor);
}

export function subtract(a: Money, b: Money): Money {
  return withAmount(a, a.amountMinor - sameKind(a, b).amountMinor);
}

export function negate(m: Money): Money {
  return withAmount(m, -m.amountMinor);
}

export function compare(a: Money, b: Money): -1 | 0 | 1 {
  const difference = subtract(a, b).amountMinor;
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

/** The currency and scale are asked for because a sum of nothing must still be a sum of something. */
export function sum(amounts: Iterable<Money>, currency: string, scale: number): Money {
  let total = money(0n, currency, scale);
  for (const amount of amounts) total = add(total, amount);
  return total;
}

export function isNegative(m: Money): boolean {
  return m.amountMinor < 0n;
}

/** Multiplies by a fraction and rounds once, half to even, so that many roundings do not lean one way. */
export function multiplyRatio(m: Money, numerator: bigint, denominator: bigint): Money {
  if (denominator === 0n) throw new RangeError('The denominator must not be zero.');
  const sign = denominator < 0n ? -1n : 1n;
  return withAmount(m, divideHalfEven(m.amountMinor * numerator * sign, denominator * sign));
}

/**
 * Splits an amount by weight without losing or making a unit. Each part is first rounded towards zero; the
 * units left over go to the parts that lost most, and among equals to the earlier one. A debt splits as the
 * mirror image of the same credit.
 */
export function allocate(m: Money, weights: readonly bigint[]): Money[] {
  const totalWeight = weights.reduce((total, weight) => total + weight, 0n);
  if (weights.some((weight) => weight < 0n) || totalWeight === 0n) {
    throw new RangeError('Weights must not be negative, and one must be above zero.');
  }
  if (isNegative(m)) return allocate(negate(m), weights).map(negate);

  const shares = weights.map((weight) => m.amountMinor * weight);
  const parts = shares.map((share) => share / totalWeight);
  const leftOver = m.amountMinor - parts.reduce((total, part) => total + part, 0n);
  const favoured = new Set(byLargest(shares.map((share) => share % totalWeight)).slice(0, Number(leftOver)));
  return parts.map((part, i) => withAmount(m, favoured.has(i) ? part + 1n : part));
}

/** For people to read, as in "4.50 USD". */
export function format(m: Money): string {
  const sign = isNegative(m) ? '-' : '';
  const digits = m.amountMinor
    .toString()
    .replace('-', '')
    .padStart(m.scale + 1, '0');
  const point = digits.length - m.scale;
  const decimals = m.scale === 0 ? '' : `.${digits.slice(point)}`;
  return `${sign}${digits.slice(0, point)}${decimals} ${m.currency}`;
}

/** Reads an amount as people write it, as in "4.50"; null where it is not one, or has more decimals than the scale. */
export function parse(text: string, currency: string, scale: number): Money | null {
  const [, sign, units, decimals = ''] = /^(-?)(\d{1,20})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (units === undefined || decimals.length > scale) return null;
  return money(BigInt(`${sign}${units}${decimals.padEnd(scale, '0')}`), currency, scale);
}

function sameKind(a: Money, b: Money): Money {
  if (a.currency !== b.currency || a.scale !== b.scale) throw new MoneyMismatch(a, b);
  return b;
}

function withAmount(m: Money, amountMinor: bigint): Money {
  return { amountMinor, currency: m.currency, scale: m.scale };
}

function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  if (dividend < 0n) return -divideHalfEven(-dividend, divisor);
  const quotient = dividend / divisor;
  const twiceRemainder = (dividend % divisor) * 2n;
  const isHalf = twiceRemainder === divisor;
  const roundsUp = isHalf ? quotient % 2n === 1n : twiceRemainder > divisor;
  return roundsUp ? quotient + 1n : quotient;
}

/** The positions of the values, largest value first; sorting is stable, so equals keep their order. */
function byLargest(values: bigint[]): number[] {
  const descending = (a: bigint, b: bigint) => (a === b ? 0 : a > b ? -1 : 1);
  return values.map((_, i) => i).sort((i, j) => descending(values[i]!, values[j]!));
}
