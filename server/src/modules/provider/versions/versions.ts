// The versions of the provider's API as the provider announced them, the newest first. A day the provider did not name is the
// first of its month, and says so.

export type DatePrecision = 'DAY' | 'MONTH';
/** Such as `2026-07-29`; the first of the month where only the month is known. */
export type KnownDate = { date: string; precision: DatePrecision };
export type ProviderVersion = {
  version: string;
  releasedOn: KnownDate;
  /** Null while the provider has not announced it. */
  endsOn: KnownDate | null;
};

const day = (date: string): KnownDate => ({ date, precision: 'DAY' });
const month = (text: string): KnownDate => ({ date: `${text}-01`, precision: 'MONTH' });

/** When somebody last held the table against the provider's own pages. */
export const versionsRevisedAt = '2026-09-30T00:00:00.000Z';

export const providerVersions: readonly ProviderVersion[] = [
  { version: 'v26.0', releasedOn: day('2026-07-29'), endsOn: null },
  { version: 'v25.0', releasedOn: day('2026-02-18'), endsOn: day('2028-07-29') },
  { version: 'v24.0', releasedOn: day('2025-10-08'), endsOn: day('2028-02-18') },
  { version: 'v23.0', releasedOn: day('2025-05-29'), endsOn: day('2027-10-08') },
  { version: 'v22.0', releasedOn: day('2025-01-21'), endsOn: day('2027-05-20') },
  { version: 'v21.0', releasedOn: day('2024-10-02'), endsOn: day('2027-01-21') },
  { version: 'v20.0', releasedOn: day('2024-05-21'), endsOn: day('2026-09-24') },
  { version: 'v19.0', releasedOn: month('2024-01'), endsOn: day('2026-05-21') },
];

/** Below zero when the first is the older one. */
export const compareVersions = (a: string, b: string): number => numberOf(a) - numberOf(b);
const numberOf = (version: string) => Number(version.slice(1));

/** Undefined for a version nobody has written down. */
export const findVersion = (version: string): ProviderVersion | undefined =>
  providerVersions.find((known) => known.version === version);

/** A version is served until the day of its end begins, in UTC. */
export const hasEnded = ({ endsOn }: ProviderVersion, now: Date): boolean =>
  endsOn !== null && Date.parse(endsOn.date) <= now.getTime();

/** What answers in the place of a version: itself, or the oldest that has not ended, as the provider does without a word. */
export function servedVersion(version: string, now: Date): string {
  const known = findVersion(version);
  if (known ? !hasEnded(known, now) : compareVersions(version, oldest().version) > 0) return version;
  return providerVersions.findLast((candidate) => !hasEnded(candidate, now))?.version ?? version;
}

const oldest = () => providerVersions.at(-1)!;

/** The oldest version after this one that is out and has not ended. */
export function nextVersion(version: string, now: Date): ProviderVersion | null {
  const isOut = ({ releasedOn }: ProviderVersion) => Date.parse(releasedOn.date) <= now.getTime();
  const found = providerVersions.findLast(
    (candidate) =>
      compareVersions(candidate.version, version) > 0 && isOut(candidate) && !hasEnded(candidate, now),
  );
  return found ?? null;
}

const dayMs = 86_400_000;

/** Whole days from today to a date, in UTC; below zero once it is over. */
export function daysUntil({ date }: KnownDate, now: Date): number {
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  return (Date.parse(date) - today) / dayMs;
}
