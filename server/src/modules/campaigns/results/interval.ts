// How sure a share is: Wilson's interval. It holds for small counts and for shares near nothing and near all, where the usual one claims
// less than nothing or more than all.

/** Of 95 %: the true share lies within, nineteen times out of twenty. */
const z = 1.959963984540054;

export type Interval = { low: number; high: number };

/** Null where nothing was tried. */
export function wilson(happened: number, tried: number): Interval | null {
  if (tried === 0) return null;
  const share = happened / tried;
  const spread = (z * z) / tried;
  const middle = share + spread / 2;
  const half = z * Math.sqrt((share * (1 - share)) / tried + spread / (4 * tried));
  const within = (value: number) => Math.min(1, Math.max(0, value / (1 + spread)));
  // Exact at the ends, where rounding would leave a trace of doubt.
  return {
    low: happened === 0 ? 0 : within(middle - half),
    high: happened === tried ? 1 : within(middle + half),
  };
}
