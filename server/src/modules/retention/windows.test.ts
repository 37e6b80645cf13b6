import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutoffsAt, longerOf, nextSlot, shortens } from './windows.ts';

const windows = (
  messageContentDays: number | null,
  messageMetadataMonths: number | null,
  analyticsMonths: number | null = null,
) => ({
  messageContentDays,
  messageMetadataMonths,
  analyticsMonths,
});

test('cut-offs are midnights in UTC, by days and by months of the calendar', () => {
  const now = new Date('2026-03-31T23:59:59.999Z');
  assert.deepEqual(cutoffsAt(now, windows(30, 1, 13)), {
    messageContent: new Date('2026-03-01T00:00:00Z'),
    messageMetadata: new Date('2026-02-28T00:00:00Z'),
    analytics: new Date('2025-02-28T00:00:00Z'),
  });
  assert.deepEqual(cutoffsAt(now, windows(null, null)), {
    messageContent: null,
    messageMetadata: null,
    analytics: null,
  });
});

test('content is not kept longer than its message', () => {
  const { messageContent, messageMetadata } = cutoffsAt(new Date('2026-03-31T12:00:00Z'), windows(3650, 1));
  assert.deepEqual(messageContent, messageMetadata);
  const kept = cutoffsAt(new Date('2026-03-31T12:00:00Z'), windows(null, 1));
  assert.deepEqual(kept.messageContent, kept.messageMetadata);
});

test('a number is shorter than none, and a longer window counts at once though another one waits', () => {
  assert.equal(shortens(windows(90, null), windows(null, null)), true);
  assert.equal(shortens(windows(null, null), windows(90, 3)), false);
  assert.equal(shortens(windows(91, 2), windows(90, 3)), true);
  assert.deepEqual(longerOf(windows(91, 2), windows(90, 3)), windows(91, 3));
});

test('every account has an hour of its own, which comes once a day', () => {
  const at = new Date('2026-03-31T12:34:56Z');
  const hours = new Set<number>();
  for (let n = 0; n < 500; n += 1) {
    const slot = nextSlot({ accountSid: `AC${n}`, livemode: false }, at);
    assert.ok(slot >= at && slot.getTime() - at.getTime() < 24 * 3_600_000);
    assert.deepEqual(nextSlot({ accountSid: `AC${n}`, livemode: false }, slot), slot);
    hours.add(slot.getUTCHours());
  }
  assert.equal(hours.size, 24);
});
