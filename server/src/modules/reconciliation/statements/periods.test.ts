import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looksDue } from './periods.ts';

const at = (text: string) => new Date(text);
const due = (now: string, period: [string, string] | null = null) =>
  looksDue(at(now), period && { start: at(period[0]), end: at(period[1]) }).map(({ from, to, look }) =>
    [from.toISOString().slice(0, 10), to.toISOString().slice(0, 10), look].join(' '),
  );

test('without an automation the month that ended is due after 48 hours, and again after 7 days', () => {
  assert.deepEqual(due('2027-03-02T23:59:59Z'), []);
  assert.deepEqual(due('2027-03-03T00:00:00Z'), ['2027-02-01 2027-03-01 first']);
  assert.deepEqual(due('2027-03-08T00:00:00Z'), ['2027-02-01 2027-03-01 second']);
});

test('periods of an automation follow in its own step: months by their day, others by their length', () => {
  const monthEnds: [string, string] = ['2027-01-31T00:00:00Z', '2027-02-28T00:00:00Z'];
  assert.deepEqual(due('2027-02-27T00:00:00Z', monthEnds), []);
  assert.deepEqual(due('2027-04-10T00:00:00Z', monthEnds), ['2027-02-28 2027-03-31 second']);
  const weeks: [string, string] = ['2027-01-04T00:00:00Z', '2027-01-11T00:00:00Z'];
  assert.deepEqual(due('2027-01-20T00:00:00Z', weeks), [
    '2027-01-04 2027-01-11 second',
    '2027-01-11 2027-01-18 first',
  ]);
});

test('after a long pause the last period that ended is still looked at', () => {
  const year: [string, string] = ['2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'];
  assert.deepEqual(due('2027-06-01T00:00:00Z', year), ['2026-01-01 2027-01-01 second']);
});

test('parts of days are left out, and a period within one day is not compared', () => {
  assert.deepEqual(due('2027-02-12T00:00:00Z', ['2027-01-01T06:00:00Z', '2027-02-01T06:00:00Z']), [
    '2027-01-01 2027-02-01 second',
  ]);
  assert.deepEqual(
    due('2027-01-09T10:00:00Z', ['2027-01-01T06:00:00Z', '2027-01-01T07:00:00Z']).at(0),
    '2027-01-01 2027-01-02 second',
  );
});
