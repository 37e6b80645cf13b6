import { styleText } from 'node:util';
import type { Row } from './part.ts';

type Column = { title: string; of(row: Row): string };

// What is small says little without its decimals.
const whole = (value: number | null) =>
  value === null ? '–' : value > 0 && value < 10 ? value.toFixed(2) : String(Math.round(value));
const decimal = (value: number | null) => (value === null ? '–' : value.toFixed(1));
const percent = (ratio: number) => `${Math.round(ratio * 100)} %`;

const columns: Column[] = [
  { title: '', of: ({ name }) => name },
  { title: 'per second', of: ({ perSecond }) => whole(perSecond) },
  { title: 'of bare', of: ({ ratio }) => (ratio === null ? '–' : percent(ratio)) },
  { title: 'p50 ms', of: ({ p50Ms }) => decimal(p50Ms) },
  { title: 'p95 ms', of: ({ p95Ms }) => decimal(p95Ms ?? null) },
  { title: 'p99 ms', of: ({ p99Ms }) => decimal(p99Ms) },
  { title: 'longest ms', of: ({ longestMs }) => decimal(longestMs ?? null) },
  { title: 'errors', of: sayErrors },
  { title: 'RSS MB', of: ({ serverRssMb }) => whole(serverRssMb) },
  { title: 'heap MB', of: ({ heapMb }) => decimal(heapMb ?? null) },
  { title: 'server µs', of: ({ serverMicros }) => whole(serverMicros) },
  { title: 'database µs', of: ({ databaseMicros }) => whole(databaseMicros) },
  { title: '× minimum', of: ({ ofMinimum }) => (ofMinimum == null ? '–' : ofMinimum.toFixed(2)) },
  { title: 'WAL bytes', of: ({ walBytes }) => whole(walBytes ?? null) },
  { title: 'WAL records', of: ({ walRecords }) => decimal(walRecords ?? null) },
  { title: 'server CPU %', of: ({ serverCpu }) => whole(serverCpu) },
  { title: 'database CPU %', of: ({ databaseCpu }) => whole(databaseCpu) },
  { title: 'client CPU %', of: ({ clientCpu }) => whole(clientCpu) },
  { title: 'aim', of: sayAim },
];

/** Refused load is no load: what was answered instead is told beside the number. */
function sayErrors({ errors, refusals = {} }: Row): string {
  const told = Object.entries(refusals).map(([status, count]) => `${count} × ${status}`);
  return told.length === 0 ? String(errors) : `${errors} (${told.join(', ')})`;
}

const met = (isMet: boolean) => (isMet ? 'met' : 'missed');

function sayAim({ aim, most, ratio, mostOfMinimum, ofMinimum, ...row }: Row): string {
  if (mostOfMinimum !== undefined && ofMinimum != null)
    return `≤ ${mostOfMinimum} × minimum: ${met(ofMinimum <= mostOfMinimum)}`;
  const told: string[] = [];
  if (ratio !== null && most !== undefined) told.push(`≤ ${percent(most)}: ${met(ratio <= most)}`);
  else if (ratio !== null && aim !== undefined) told.push(`≥ ${percent(aim)}: ${met(ratio >= aim)}`);
  const { leastPerSecond, perSecond, mostP99Ms, p99Ms } = row;
  if (leastPerSecond !== undefined) told.push(`≥ ${leastPerSecond}/s: ${met(perSecond >= leastPerSecond)}`);
  if (mostP99Ms !== undefined && p99Ms !== null)
    told.push(`p99 ≤ ${mostP99Ms} ms: ${met(p99Ms <= mostP99Ms)}`);
  const within = (what: string, value: number | undefined, most: number | undefined, unit: string) => {
    if (value !== undefined && most !== undefined)
      told.push(`${what} ≤ ${most} ${unit}: ${met(value <= most)}`);
  };
  within('p95', row.p95Ms, row.mostP95Ms, 'ms');
  within('longest', row.longestMs, row.mostLongestMs, 'ms');
  within('heap', row.heapMb, row.mostHeapMb, 'MB');
  return told.join(', ');
}

export function table(rows: Row[]): string {
  const told = columns.filter(({ of }, at) => at === 0 || rows.some((row) => !/^–?$/.test(of(row))));
  const cells = [told.map(({ title }) => title), ...rows.map((row) => told.map(({ of }) => of(row)))];
  const widths = told.map((_, i) => Math.max(...cells.map((line) => line[i]!.length)));
  const lines = cells.map((line) =>
    line
      .map((cell, i) =>
        i === 0 || told[i]!.title === 'aim' ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!),
      )
      .join('  ')
      .trimEnd(),
  );
  return lines.join('\n');
}

/** Loud, since a number beside errors means nothing. */
export function complaints(rows: Row[]): string[] {
  return rows
    .filter(({ errors }) => errors > 0)
    .map(({ name, errors, firstError }) =>
      [
        styleText(['bold', 'red'], `ERRORS: ${errors} in "${name}". Its numbers do not count. The first:`),
        firstError,
      ].join('\n'),
    );
}
