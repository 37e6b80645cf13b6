import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds, noDurations, percentile, stepOf } from './durations.ts';

test('the steps reach from a millisecond to beyond every timeout', () => {
  assert.ok(bounds[0] === 1 && bounds.at(-1)! > 60_000);
  for (const durationMs of [0, 1, 2, 99, 30_000, 10_000_000]) {
    const step = stepOf(durationMs);
    assert.ok(bounds[step]! >= durationMs || step === bounds.length - 1);
    assert.ok(step === 0 || bounds[step - 1]! < durationMs);
  }
});

test('a percentile is at most a step above the true one', () => {
  const counts = noDurations();
  for (let ms = 1; ms <= 1_000; ms += 1) counts[stepOf(ms)]! += 1;
  const [p50, p95] = [percentile(counts, 0.5)!, percentile(counts, 0.95)!];
  assert.ok(p50 >= 500 && p50 <= 500 * 1.34, String(p50));
  assert.ok(p95 >= 950 && p95 <= 950 * 1.34, String(p95));
  assert.equal(percentile(noDurations(), 0.5), null);
});
