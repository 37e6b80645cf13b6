// Which element shows which row of a list. Making one and clearing it away takes longer than writing another row into one that is there.

/** By the row's number. Rows that stay keep their place; those that come take the places of those that left. */
export function placesFor(before: ReadonlyMap<number, number>, rows: readonly number[]): Map<number, number> {
  const kept = new Map(rows.flatMap((row) => (before.has(row) ? [[row, before.get(row)!]] : [])));
  const taken = new Set(kept.values());
  let free = 0;
  for (const row of rows) {
    if (kept.has(row)) continue;
    while (taken.has(free)) free += 1;
    kept.set(row, free);
    taken.add(free);
  }
  return kept;
}
