// Guessing at a second factor: 5 failures within 15 minutes lock it for as long, and the third lock in a row turns it
// off. Each method counts for itself, so that guessing at one leaves a person the others.
import type { SystemTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';

const maxFailures = 5;
const windowMs = 15 * 60_000;
const maxLocks = 3;

export type Counter = {
  subject: string;
  failures: number;
  locks: number;
  windowStartedAt: string;
  lockedUntil: string | null;
};

/** Takes the counter for this transaction: attempts at one factor stand in line, so that many at once are no more guesses. */
export function lockCounter(s: SystemTx, subject: string, now: Date): Promise<Counter> {
  return s.one<Counter>(sql`
    insert into attempt_counters as c (subject, failures, window_started_at) values (${subject}, 0, ${now})
    on conflict (subject) do update set failures = c.failures
    returning subject, failures, locks, window_started_at as "windowStartedAt", locked_until as "lockedUntil"`);
}

export function isLocked({ lockedUntil }: Counter, now: Date): boolean {
  return lockedUntil !== null && new Date(lockedUntil) > now;
}

export async function forgetFailures(s: SystemTx, { subject }: Counter): Promise<void> {
  await s.run(sql`delete from attempt_counters where subject = ${subject}`);
}

/** Counts a failure and tells whether that locks the factor, and whether it must be turned off. */
export async function countFailure(
  s: SystemTx,
  counter: Counter,
  now: Date,
): Promise<{ lockedUntil: Date | null; turnOff: boolean }> {
  const next = afterFailure(counter, now);
  await s.run(sql`
    update attempt_counters set failures = ${next.failures}, locks = ${next.locks},
      window_started_at = ${next.windowStartedAt}, locked_until = ${next.lockedUntil}
     where subject = ${counter.subject}`);
  return { lockedUntil: next.lockedUntil, turnOff: next.turnOff };
}

function afterFailure(counter: Counter, now: Date) {
  const windowStart = new Date(counter.windowStartedAt);
  const fresh = now.getTime() - windowStart.getTime() >= windowMs || counter.lockedUntil !== null;
  const failures = fresh ? 1 : counter.failures + 1;
  const windowStartedAt = fresh ? now : windowStart;
  if (failures < maxFailures) {
    return { failures, locks: counter.locks, windowStartedAt, lockedUntil: null, turnOff: false };
  }
  const turnOff = counter.locks + 1 >= maxLocks;
  const lockedUntil = new Date(now.getTime() + windowMs);
  return { failures: 0, locks: turnOff ? 0 : counter.locks + 1, windowStartedAt, lockedUntil, turnOff };
}
