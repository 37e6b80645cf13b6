// Clocks on walls elsewhere: which day and minute it is in a zone, and when it will be a certain minute there.

export const days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
export type Day = (typeof days)[number];
/** A minute of a day somewhere. */
export type LocalTime = { day: Day; minute: number };

type Parts = { year: number; month: number; day: number; hour: number; minute: number; second: number };

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

// Making one costs a hundred times what using it does, and a business knows few zones.
const formats = new Map<string, Intl.DateTimeFormat | null>();
const maxFormats = 500;

/** Null for a zone that does not exist. */
function formatFor(zone: string): Intl.DateTimeFormat | null {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = makeFormat(zone);
  if (formats.size < maxFormats) formats.set(zone, made);
  return made;
}

function makeFormat(timeZone: string): Intl.DateTimeFormat | null {
  try {
    const number = 'numeric';
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      calendar: 'gregory',
      year: number,
      month: number,
      day: number,
      hour: number,
      minute: number,
      second: number,
      hourCycle: 'h23',
    });
  } catch {
    return null;
  }
}

function partsAt(at: number, format: Intl.DateTimeFormat): Parts {
  const parts = format.formatToParts(at).map(({ type, value }) => [type, Number(value)] as const);
  return Object.fromEntries(parts) as unknown as Parts;
}

/** The same clock as if it hung in Greenwich, so that its days can be reckoned with. */
function wallClock(at: number, format: Intl.DateTimeFormat): number {
  const { year, month, day, hour, minute, second } = partsAt(at, format);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

export const minuteOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

const dayOf = (wall: number): Day => days[(new Date(wall).getUTCDay() + 6) % 7]!;

/** Null for a zone that does not exist. */
export function localTime(now: string, zone: string): LocalTime | null {
  const format = formatFor(zone);
  if (!format) return null;
  const wall = wallClock(Date.parse(now), format);
  return { day: dayOf(wall), minute: Math.floor((wall % dayMs) / minuteMs) };
}

export const dayBefore = (day: Day): Day => days[(days.indexOf(day) + 6) % 7]!;

/**
 * The next moment, from now on, at which clocks in a zone show a time, on one of the days. Where a clock skips the time in spring
 * it is the moment as long after midnight. Null for a zone that does not exist.
 */
export function nextLocalTime(
  now: string,
  { at, timezone, days: on }: { at: string; timezone: string; days?: readonly Day[] },
): string | null {
  const format = formatFor(timezone);
  if (!format) return null;
  const start = Date.parse(now);
  const today = Math.floor(wallClock(start, format) / dayMs) * dayMs;
  for (let ahead = 0; ahead <= 8; ahead += 1) {
    const wall = today + ahead * dayMs + minuteOf(at) * minuteMs;
    if (on && !on.includes(dayOf(wall))) continue;
    const moment = momentOf(wall, format);
    if (moment >= start) return new Date(moment).toISOString();
  }
  return null;
}

/**
 * When clocks in a zone show a date and time that is written without one, such as 2027-03-28T09:00. A time they skip in spring is the
 * moment as long after midnight; one they show twice in autumn is the later. Null for a zone that does not exist.
 */
export function momentThere(wall: string, zone: string): Date | null {
  const format = formatFor(zone);
  return format && new Date(momentOf(Date.parse(`${wall}Z`), format));
}

/** When clocks show this; the second look is for the days on which they are put forward or back. */
function momentOf(wall: number, format: Intl.DateTimeFormat): number {
  const first = wall - (wallClock(wall, format) - wall);
  return wall - (wallClock(first, format) - first);
}
