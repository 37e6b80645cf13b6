/**
 * The items in rounds: the first of each key in one round, the second of each in the next. What concerns different keys is
 * done together, and what concerns the same one in its order.
 */
export function roundsOf<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const rounds: T[][] = [];
  const seen = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    const round = seen.get(key) ?? 0;
    seen.set(key, round + 1);
    rounds[round] ??= [];
    rounds[round].push(item);
  }
  return rounds;
}
