import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { dueIn, quietUntil } from './times.ts';

const now = new Date('2027-03-20T12:00:00Z');
const due = (zone: string, sendAt: string, at = now) =>
  dueIn(zone, { sendAt, localTime: true }, at).toISOString();

suite('a local time', () => {
  test('is the same on every clock, on both sides of a change of clocks', () => {
    assert.equal(due('Europe/Paris', '2027-03-27T09:00:00Z'), '2027-03-27T08:00:00.000Z');
    assert.equal(due('Europe/Paris', '2027-03-28T09:00:00Z'), '2027-03-28T07:00:00.000Z');
    assert.equal(due('America/New_York', '2027-03-28T09:00:00Z'), '2027-03-28T13:00:00.000Z');
    assert.equal(due('Asia/Kolkata', '2027-03-28T09:00:00+02:00'), '2027-03-28T03:30:00.000Z');
    assert.equal(due('Europe/Paris', '2027-10-31T09:00:00Z'), '2027-10-31T08:00:00.000Z');
  });

  test('that a clock skips comes as long after midnight, and one it shows twice comes the second time', () => {
    assert.equal(due('Europe/Paris', '2027-03-28T02:30:00Z'), '2027-03-28T01:30:00.000Z');
    assert.equal(due('Europe/Paris', '2027-10-31T02:30:00Z'), '2027-10-31T01:30:00.000Z');
  });

  test('that has passed somewhere is now', () => {
    const later = new Date('2027-03-28T03:00:00Z');
    assert.equal(due('Asia/Tokyo', '2027-03-28T09:00:00Z', later), later.toISOString());
  });
});

suite('quiet hours', () => {
  const quiet = (zone: string, at: string, hours = { from: '21:00', to: '08:00' }) =>
    quietUntil(zone, hours, new Date(at))?.toISOString() ?? null;

  test('are of the clock of the recipient, across midnight and across a change of clocks', () => {
    assert.equal(quiet('Europe/Paris', '2027-01-15T19:59:59Z'), null);
    assert.equal(quiet('Europe/Paris', '2027-01-15T20:00:00Z'), '2027-01-16T07:00:00.000Z');
    assert.equal(quiet('Europe/Paris', '2027-01-16T07:00:00Z'), null);
    assert.equal(quiet('Europe/Paris', '2027-03-27T22:00:00Z'), '2027-03-28T06:00:00.000Z');
    assert.equal(quiet('Europe/Paris', '2027-10-30T22:00:00Z'), '2027-10-31T07:00:00.000Z');
    assert.equal(quiet('Asia/Tokyo', '2027-01-15T20:00:00Z'), '2027-01-15T23:00:00.000Z');
  });

  test('may lie within a day', () => {
    const lunch = { from: '12:00', to: '14:00' };
    assert.equal(quiet('UTC', '2027-01-15T11:59:00Z', lunch), null);
    assert.equal(quiet('UTC', '2027-01-15T12:00:00Z', lunch), '2027-01-15T14:00:00.000Z');
    assert.equal(quiet('UTC', '2027-01-15T14:00:00Z', lunch), null);
  });
});
