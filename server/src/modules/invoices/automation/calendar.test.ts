import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { dayMs, endAfter, endedBy, monthly, monthOf, type Period, stepOf } from './calendar.ts';

const at = (text: string) => new Date(text.includes('T') ? text : `${text}T00:00:00.000Z`);
const period = (start: string, end: string): Period => ({ start: at(start), end: at(end) });

/** The first ends of the periods that follow one another. */
function endsOf(first: Period, count: number): string[] {
  const step = stepOf(first);
  const ends = [first.end];
  while (ends.length < count) ends.push(endAfter(ends.at(-1)!, step));
  return ends.map((end) => end.toISOString().replace('T00:00:00.000Z', ''));
}

suite('periods of whole calendar months', () => {
  test('keep their day through months that do not have it', () => {
    const expected = ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'];
    assert.deepEqual(endsOf(period('2026-01-31', '2026-02-28'), 4), expected);
    assert.deepEqual(endsOf(period('2026-02-28', '2026-03-31'), 3), expected.slice(1));
    assert.deepEqual(endsOf(period('2026-01-30', '2026-02-28'), 3), [
      '2026-02-28',
      '2026-03-30',
      '2026-04-30',
    ]);
    assert.deepEqual(endsOf(period('2026-01-28', '2026-02-28'), 3), [
      '2026-02-28',
      '2026-03-28',
      '2026-04-28',
    ]);
  });

  test('know leap years', () => {
    assert.deepEqual(endsOf(period('2027-12-31', '2028-01-31'), 3), [
      '2028-01-31',
      '2028-02-29',
      '2028-03-31',
    ]);
    assert.deepEqual(endsOf(period('2028-02-29', '2029-02-28'), 4), [
      '2029-02-28',
      '2030-02-28',
      '2031-02-28',
      '2032-02-29',
    ]);
    assert.deepEqual(endsOf(period('2099-12-31', '2100-01-31'), 2), ['2100-01-31', '2100-02-28']);
  });

  test('keep their time of day, and an offset is only notation', () => {
    const paris = period('2026-10-01T00:00:00+02:00', '2026-11-01T00:00:00+02:00');
    assert.deepEqual(endsOf(paris, 2), ['2026-10-31T22:00:00.000Z', '2026-11-30T22:00:00.000Z']);
    assert.deepEqual(
      stepOf(period('2026-10-01T00:00:00+02:00', '2026-11-01T00:00:00+01:00')).unit,
      'millisecond',
    );
  });

  test('may be quarters and years', () => {
    assert.deepEqual(endsOf(period('2026-01-01', '2026-04-01'), 3), [
      '2026-04-01',
      '2026-07-01',
      '2026-10-01',
    ]);
  });
});

suite('other periods', () => {
  test('are followed by periods of their length', () => {
    assert.deepEqual(endsOf(period('2026-02-20', '2026-03-06'), 3), [
      '2026-03-06',
      '2026-03-20',
      '2026-04-03',
    ]);
  });

  test('that are shorter than a day are followed by whole days', () => {
    const short = period('2026-02-20T10:00:00Z', '2026-02-20T10:00:01Z');
    assert.deepEqual(stepOf(short), { unit: 'millisecond', count: dayMs });
  });
});

test('the month of a moment is the calendar month in UTC', () => {
  assert.deepEqual(monthOf(at('2028-02-29T23:59:59.999Z')), period('2028-02-01', '2028-03-01'));
  assert.deepEqual(monthOf(at('2026-12-01')), period('2026-12-01', '2027-01-01'));
});

test('periods that have ended are counted up to a limit', () => {
  const first = period('2026-01-01', '2026-02-01');
  assert.equal(endedBy(at('2026-01-31T23:59:59.999Z'), first, monthly, 10), 0);
  assert.equal(endedBy(at('2026-04-01'), first, monthly, 10), 3);
  assert.equal(endedBy(at('2126-04-01'), first, monthly, 10), 10);
});

const instant = fc.date({ min: at('1999-01-01'), max: at('2101-01-01'), noInvalidDate: true });
const months = fc.tuple(instant, fc.integer({ min: 1, max: 24 })).map(([start, count]) => {
  const step = { unit: 'month', count, day: start.getUTCDate() } as const;
  return { start, end: endAfter(start, step) };
});
const lengths = fc
  .tuple(instant, fc.integer({ min: 1, max: 400 * dayMs }))
  .map(([start, length]) => ({ start, end: new Date(start.getTime() + length) }));

test('whatever the first period is, periods tile time and never drift', () => {
  fc.assert(
    fc.property(fc.oneof(months, lengths), fc.integer({ min: 1, max: 60 }), (first, count) => {
      const step = stepOf(first);
      let { end } = first;
      for (let i = 0; i < count; i += 1) {
        const next = endAfter(end, step);
        assert.ok(next > end, 'the next one ends later');
        if (step.unit === 'millisecond') assert.equal(next.getTime() - end.getTime(), step.count);
        else {
          const lastDay = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0)).getUTCDate();
          assert.equal(next.getUTCDate(), Math.min(step.day, lastDay));
          assert.equal(next.getTime() % dayMs, first.start.getTime() % dayMs);
        }
        end = next;
      }
    }),
  );
});
