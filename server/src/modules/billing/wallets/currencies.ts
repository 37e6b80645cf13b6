// Documents and payments count in a currency's own minor units, wallets in finer ones.
import { type Money, money, multiplyRatio } from '../../../platform/money.ts';

// Written down and not looked up: what is not listed has not been thought about, and is refused.
const isoScales = new Map([
  ['USD', 2],
  ['EUR', 2],
]);

/** How many decimals banks count a currency in; null for one that is not dealt in. */
export const isoScale = (currency: string): number | null => isoScales.get(currency) ?? null;

/** The same amount with more decimals, exactly. */
export function widen(m: Money, scale: number): Money {
  if (scale < m.scale) throw new RangeError('An amount is widened to more decimals, never to fewer.');
  return money(m.amountMinor * 10n ** BigInt(scale - m.scale), m.currency, scale);
}

/** The amount with fewer decimals, rounded once, half to even. */
export function narrow(m: Money, scale: number): Money {
  if (scale > m.scale) throw new RangeError('An amount is narrowed to fewer decimals, never to more.');
  const { amountMinor } = multiplyRatio(m, 1n, 10n ** BigInt(m.scale - scale));
  return money(amountMinor, m.currency, scale);
}
