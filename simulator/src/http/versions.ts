// Versions of the API: which one serves a call, and what all of them no longer take.
import { GraphError } from '../errors.ts';

const ends: Record<number, string | null> = {
  19: '2026-05-21',
  20: '2026-09-24',
  21: '2027-01-21',
  22: '2027-05-20',
  23: '2027-10-08',
  24: '2028-02-18',
  25: '2028-07-29',
  26: null,
};
const numbers = Object.keys(ends).map(Number);

/** For calls that name no version: what the app has set. */
const ofTheApp = 'v25.0';

/** The version asked for; the oldest living one instead of one that has ended. Null for one that never was. */
export function servedVersion(asked: string | undefined, nowMs: number): string | null {
  if (asked === undefined) return ofTheApp;
  const number = Number(/^v(\d+)\.0$/.exec(asked)?.[1] ?? 0);
  if (number < 1 || number > numbers.at(-1)!) return null;
  const living = numbers.filter((one) => ends[one] === null || nowMs < Date.parse(ends[one]!));
  return `v${Math.max(number, living[0]!)}.0`;
}

// Ids in the query and chosen date formats are refused by every version from this day on.
const refusedFromMs = Date.UTC(2026, 9, 27);
const refused = ['ids', 'date_format'];

export function refuseOldParameters(query: Record<string, unknown>, nowMs: number): void {
  const stray = refused.find((name) => query[name] !== undefined);
  if (stray && nowMs >= refusedFromMs)
    throw new GraphError(100, `The parameter ${stray} is no longer supported.`);
}
