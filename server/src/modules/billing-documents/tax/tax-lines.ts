// What is to be added to an amount as tax.
import { type Static, Type } from 'typebox';
import type { TenantTx } from '../../../platform/db/database.ts';
import { Money, NamedObject, sample } from '../../../platform/http/input/schema.ts';
import { type Money as Amount, multiplyRatio, toWire } from '../../../platform/money.ts';
import { taxProviders } from './providers.ts';
import { taxProfileOf } from './tax-profiles.ts';

export const TaxLine = NamedObject('TaxLine', {
  jurisdiction: Type.String(),
  code: Type.String(),
  name: Type.String(),
  /** In millionths: 200000 is 20 %. */
  ratePpm: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'In millionths: 200000 is 20 %.' }),
  base: Money,
  amount: Money,
});
export type TaxLine = Static<typeof TaxLine>;

export const taxLineSample = sample(TaxLine, {
  jurisdiction: 'FR',
  code: 'standard',
  name: 'TVA',
  ratePpm: 200_000,
  base: { amountMinor: '2500', currency: 'EUR', scale: 2 },
  amount: { amountMinor: '500', currency: 'EUR', scale: 2 },
});

const whole = 1_000_000n;

/**
 * One line a rate, each rounded once, half to even, at the scale of the amount. None for an account that has no tax profile
 * in the currency.
 */
export async function taxLinesFor(t: TenantTx, { net, at }: { net: Amount; at: Date }): Promise<TaxLine[]> {
  const profile = await taxProfileOf(t, net.currency);
  if (!profile) return [];
  const place = { jurisdiction: profile.taxJurisdiction, code: profile.taxCode };
  const rates = await taxProviders[profile.taxProvider]!.ratesAt(t, place, at);
  return rates.map(({ jurisdiction, code, name, ratePpm }) => ({
    jurisdiction,
    code,
    name,
    ratePpm,
    base: toWire(net),
    amount: toWire(multiplyRatio(net, BigInt(ratePpm), whole)),
  }));
}

/** What the lines sum up to. */
export const taxOf = (lines: readonly TaxLine[]): bigint =>
  lines.reduce((sum, { amount }) => sum + BigInt(amount.amountMinor), 0n);
