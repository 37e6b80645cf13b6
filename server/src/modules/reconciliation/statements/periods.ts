// Which periods of a business account are compared, and when: those its automation names, and those that follow them in the same step;
// calendar months in UTC where none does.
import { endAfter, type Period, stepOf } from '../../invoices/index.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The provider corrects its figures for some days. */
const looks = [
  { look: 'first', afterMs: 48 * hourMs },
  { look: 'second', afterMs: 7 * dayMs },
] as const;
export type Look = (typeof looks)[number]['look'];
/** Periods that ended within this time may still lack a look; of older ones only the last may, after a long pause. */
const recentMs = 35 * dayMs;

export type DueLook = { from: Date; to: Date; look: Look };

const midnight = (at: Date) => new Date(Math.floor(at.getTime() / dayMs) * dayMs);

/** The calendar month before this one. */
function lastMonth(now: Date): Period {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month - 1)), end: new Date(Date.UTC(year, month)) };
}

/** For each period that ended long enough ago, the last look that is due. Figures are by day: parts of days are left out. */
export function looksDue(now: Date, automated: Period | null): DueLook[] {
  return endedPeriods(now, automated ?? lastMonth(now)).flatMap(({ start, end }) => {
    const due = looks.filter(({ afterMs }) => now.getTime() >= end.getTime() + afterMs).at(-1);
    const [from, to] = [midnight(start), midnight(end)];
    return due && from < to ? [{ from, to, look: due.look }] : [];
  });
}

function endedPeriods(now: Date, first: Period): Period[] {
  const step = stepOf(first);
  const ended: Period[] = [];
  for (let { start, end } = first; end <= now; [start, end] = [end, endAfter(end, step)]) {
    while (ended[0] && now.getTime() - ended[0].end.getTime() > recentMs) ended.shift();
    ended.push({ start, end });
  }
  return ended;
}
