// How long attempts took, counted in steps: 40 of them from 1 ms to beyond every timeout, each a third longer than the one
// before. So any number of attempts is 40 numbers, and a percentile is right to a step.
const steps = 40;
const growth = 1.33;

/** The upper bounds in milliseconds; what is longer than the last falls into it. */
export const bounds = Array.from({ length: steps }, (_, i) => Math.ceil(growth ** i));

export const noDurations = (): number[] => Array<number>(steps).fill(0);

export function stepOf(durationMs: number): number {
  const found = bounds.findIndex((bound) => durationMs <= bound);
  return found < 0 ? steps - 1 : found;
}

/** The bound under which this part of the attempts stayed; null without any. */
export function percentile(counts: readonly number[], part: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let missing = part * total;
  const step = counts.findIndex((count) => {
    missing -= count;
    return missing <= 0;
  });
  return bounds[step] ?? null;
}
