import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nextAttemptAt } from './schedule.ts';

const hour = 3_600_000;
const first = new Date('2026-08-21T10:00:00.000Z');

function attemptsWith(jitter: () => number, tookMs: () => number): number[] {
  const offsets = [0];
  for (let at = first, tries = 1; ; tries += 1) {
    const next = nextAttemptAt(first, new Date(at.getTime() + tookMs()), tries, jitter());
    if (!next) return offsets;
    at = next;
    offsets.push(next.getTime() - first.getTime());
  }
}

test('without jitter the attempts stand where the contract reads them', () => {
  const seconds = attemptsWith(
    () => 0,
    () => 0,
  ).map((ms) => ms / 1000);
  assert.deepEqual(seconds, [0, 60, 360, 1260, 4860, 19260, 62460, 148860, 235260]);
});

test('a receiver that asks to be left alone is not called earlier, nor beyond 72 hours, nor sooner than planned', () => {
  const minute = 60_000;
  const next = (tries: number, askedMs: number | null, failedAt = first) =>
    nextAttemptAt(first, failedAt, tries, 0, askedMs)?.getTime() ?? null;
  assert.equal(next(1, 10 * minute), first.getTime() + 10 * minute);
  assert.equal(next(1, 1_000), first.getTime() + minute);
  assert.equal(next(3, null), first.getTime() + 15 * minute);
  const late = new Date(first.getTime() + 71 * hour);
  assert.equal(next(2, hour, late), first.getTime() + 72 * hour);
  assert.equal(next(2, hour + 1, late), null);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 24 * hour }),
      fc.integer({ min: 0, max: 72 * hour }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (tries, askedMs, sinceMs, jitter) => {
        const failedAt = new Date(first.getTime() + sinceMs);
        const at = nextAttemptAt(first, failedAt, tries, jitter, askedMs);
        if (at === null) return;
        assert.ok(at.getTime() >= failedAt.getTime() + askedMs);
        assert.ok(at.getTime() <= first.getTime() + 72 * hour);
      },
    ),
  );
});

test('whatever the jitter and however slowly an endpoint fails: nine attempts, none early, none after 72 hours', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 9, maxLength: 9 }),
      fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 9, maxLength: 9 }),
      (jitters, durations) => {
        const offsets = attemptsWith(
          () => jitters.shift() ?? 0,
          () => durations.shift() ?? 0,
        );
        assert.equal(offsets.length, 9);
        assert.ok(offsets.at(-1)! <= 72 * hour);
        const planned = [60, 300, 900, 3600, 14400, 43200, 86400, 86400].map((seconds) => seconds * 1000);
        for (const [i, wait] of planned.entries()) {
          const waited = offsets[i + 1]! - offsets[i]!;
          assert.ok(waited >= wait && waited <= wait * 1.1 + 30_001, `${i}: ${waited}`);
        }
      },
    ),
    { numRuns: 1_000 },
  );
});
