/** The name that was probably meant: the nearest of those that exist, if it is near at all. */
export function nearest(given: string, names: Iterable<string>): string | null {
  // Nobody mistypes more than this, and the work grows with the length.
  if (given.length > 64) return null;
  let best: string | null = null;
  let least = Math.max(1, Math.floor(given.length / 3)) + 1;
  for (const name of names) {
    if (Math.abs(name.length - given.length) >= least) continue;
    const distance = editsBetween(given.toLowerCase(), name.toLowerCase());
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

/** `; did you mean …?`, or nothing. */
export function meant(given: string, names: Iterable<string>, before = ''): string {
  const name = nearest(given, names);
  return name === null ? '' : `; did you mean ${before}${name}?`;
}

/** How many characters must be added, left out, replaced or swapped with their neighbour. */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let edits = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) edits = Math.min(edits, beforeLast[j - 2]! + 1);
      row.push(edits);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}
