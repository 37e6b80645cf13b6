// When billing periods begin and end. A period is a half-open stretch of time, from its start up to its end; the next one starts
// where it ends. Whole calendar months go by a day of the month in UTC, so that the 31st becomes the 28th and the 31st again; any
// other period is followed by others of the same length.

export type Period = { start: Date; end: Date };

/** How the periods after one follow each other. */
export type Step =
  /** `day` of the month, or its last one where it has no such day. */
  { unit: 'month'; count: number; day: number } | { unit: 'millisecond'; count: number };

export const dayMs = 86_400_000;
export const monthly: Step = { unit: 'month', count: 1, day: 1 };

const timeOfDay = (at: Date) => ((at.getTime() % dayMs) + dayMs) % dayMs;
const monthNumber = (at: Date) => at.getUTCFullYear() * 12 + at.getUTCMonth();
const daysIn = (month: number) =>
  new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).getUTCDate();

/** The day of a month, counted from the year 0, at a time of day. */
function dayOfMonth(month: number, day: number, timeMs: number): Date {
  const clipped = Math.min(day, daysIn(month));
  return new Date(Date.UTC(Math.floor(month / 12), month % 12, clipped) + timeMs);
}

/**
 * The step of which this period is one. A period shorter than a day is closed once and followed by whole days: nobody reads a
 * statement a minute, and a service that was away for a week would write ten thousand.
 */
export function stepOf({ start, end }: Period): Step {
  const months = monthNumber(end) - monthNumber(start);
  const day = Math.max(start.getUTCDate(), end.getUTCDate());
  const fits = (at: Date) => dayOfMonth(monthNumber(at), day, timeOfDay(start)).getTime() === at.getTime();
  if (months > 0 && fits(start) && fits(end)) return { unit: 'month', count: months, day };
  return { unit: 'millisecond', count: Math.max(dayMs, end.getTime() - start.getTime()) };
}

/** When the period that starts there ends. */
export function endAfter(start: Date, step: Step): Date {
  if (step.unit === 'millisecond') return new Date(start.getTime() + step.count);
  return dayOfMonth(monthNumber(start) + step.count, step.day, timeOfDay(start));
}

/** The calendar month, in UTC, in which something happened. */
export function monthOf(at: Date): Period {
  const start = dayOfMonth(monthNumber(at), 1, 0);
  return { start, end: endAfter(start, monthly) };
}

/** How many periods have ended by now, beginning with one that is given; counts no further than `most`. */
export function endedBy(now: Date, first: Period, step: Step, most: number): number {
  let ended = 0;
  for (let { end } = first; end <= now && ended < most; end = endAfter(end, step)) ended += 1;
  return ended;
}

export const latest = (a: Date, b: Date): Date => new Date(Math.max(a.getTime(), b.getTime()));
