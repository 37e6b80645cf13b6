// When a failed delivery is tried again: after 1 minute, 5, 15, 1 hour, 4, 12, 24, then daily, each counted from the
// failure before it, as long as that is within 72 hours of the first attempt. Nine attempts in all, or fewer where the receiver
// asks to be left alone for longer.

const minute = 60_000;
const hour = 60 * minute;
const delaysMs = [minute, 5 * minute, 15 * minute, hour, 4 * hour, 12 * hour, 24 * hour];
const dailyMs = 24 * hour;
const horizonMs = 72 * hour;
// Up to a tenth more, never less: receivers that failed together are not called again together.
const mostJitter = 0.1;

/**
 * The next instant, or null when the schedule is used up.
 * @param tries how many attempts have failed, this one included
 * @param jitter from 0 to 1
 * @param askedMs how long the receiver asked to be left alone, if it did
 */
export function nextAttemptAt(
  firstAttemptAt: Date,
  failedAt: Date,
  tries: number,
  jitter: number,
  askedMs: number | null = null,
): Date | null {
  const wait = Math.max(delaysMs[tries - 1] ?? dailyMs, askedMs ?? 0);
  const horizon = firstAttemptAt.getTime() + horizonMs;
  // Also where only the receiver asks for that long: an attempt before would come earlier than it asked.
  if (failedAt.getTime() + wait > horizon) return null;
  return new Date(Math.min(failedAt.getTime() + Math.round(wait * (1 + mostJitter * jitter)), horizon));
}
