// What the provider bills the operator for a place against what accounts were charged for it. Only where both count the same messages, and
// the operator pays for all of them: everything else is a difference of the counts already, or none of the operator's money.
import type { CountDifference, Place, PlaceCount } from './compare-counts.ts';
import { usualPlace } from './compare-counts.ts';
import { isOff } from './tolerance.ts';

export type PlacePassedOn = PlaceCount & {
  minor: bigint;
  currency: string;
  scale: number;
  comparable: boolean;
};
/** In the currency the account is billed in; null where the provider does not tell. */
export type PlaceCost = PlaceCount & { cost: number | null };

export type CostDifference = CountDifference & { passedMinor: bigint; costMinor: bigint; scale: number };

export function compareCosts(ours: readonly PlacePassedOn[], theirs: readonly PlaceCost[]): CostDifference[] {
  const billed = merged(theirs, ({ cost }, known: number | null | undefined) =>
    cost === null || known === null ? null : (known ?? 0) + cost,
  );
  const paid = merged(ours, (one, known: PlacePassedOn | undefined) =>
    known
      ? {
          ...known,
          minor: known.minor + one.minor,
          comparable: known.comparable && one.comparable && known.currency === one.currency,
        }
      : one,
  );
  return [...paid].flatMap(([key, { place, volume, value }]) => {
    const bill = billed.get(key);
    if (!value.comparable || bill?.value == null || bill.volume !== volume) return [];
    const { minor: passedMinor, scale } = value;
    const costMinor = BigInt(Math.round(bill.value * 10 ** scale));
    if (!isOff(costMinor, passedMinor, scale)) return [];
    const difference = { outcome: 'amount_mismatch' as const, place, messages: volume, countedHereAs: null };
    return [{ ...difference, passedMinor, costMinor, scale }];
  });
}

type Merged<V> = Map<string, { place: Place; volume: number; value: V }>;

/** One for each place, in the usual words, in one order. */
function merged<T extends PlaceCount, V>(
  items: readonly T[],
  add: (item: T, known: V | undefined) => V,
): Merged<V> {
  const found: Merged<V> = new Map();
  for (const item of items) {
    const place = usualPlace(item);
    const key = Object.values(place).join(' ');
    const known = found.get(key);
    const volume = (known?.volume ?? 0) + item.volume;
    found.set(key, { place, volume, value: add(item, known?.value) });
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
