import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { manualClock, systemClock } from './clock.ts';

const runs = { numRuns: 1_000 };
const instants = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2999-12-31') });

test('the system clock does not run backwards between two readings', () => {
  const first = systemClock.now();
  assert.ok(systemClock.now() >= first);
});

test('a manual clock shows what it was set to and moves only when told', () => {
  fc.assert(
    fc.property(instants, instants, fc.array(fc.integer({ min: -1e9, max: 1e9 })), (start, later, steps) => {
      const clock = manualClock(start);
      assert.deepEqual(clock.now(), start);
      clock.set(later.toISOString());
      for (const step of steps) clock.advance(step);
      const moved = steps.reduce((total, step) => total + step, 0);
      assert.equal(clock.now().getTime(), later.getTime() + moved);
      assert.deepEqual(clock.now(), clock.now());
    }),
    runs,
  );
});

test('changing a date that was put in or read out does not move the clock', () => {
  const start = new Date('2030-01-01T00:00:00Z');
  const clock = manualClock(start);
  start.setTime(0);
  clock.now().setTime(0);
  assert.equal(clock.now().toISOString(), '2030-01-01T00:00:00.000Z');
});

test('an invalid date is refused and leaves the clock as it was', () => {
  assert.throws(() => manualClock('tomorrow'), RangeError);
  const clock = manualClock('2030-01-01T00:00:00Z');
  assert.throws(() => clock.set(new Date(Number.NaN)), RangeError);
  assert.throws(() => clock.advance(Number.NaN), RangeError);
  assert.equal(clock.now().toISOString(), '2030-01-01T00:00:00.000Z');
});
