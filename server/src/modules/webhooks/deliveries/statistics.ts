// What became of the attempts of an endpoint, day by day.
import { dayMs, dayOf, isDay } from '../../../platform/clock.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { invalid } from '../../../platform/errors/errors.ts';
import { loadEndpoint } from '../endpoints/endpoints.ts';
import { keptForMs } from '../events/history.ts';
import { noDurations, percentile } from '../sending/durations.ts';
import type { Statistics, StatisticsQuery, Tried } from './schema.ts';

const mostDays = 90;
const usualDays = 7;

type Row = { day: string; outcome: string; attempts: number; durations: number[] };

export async function getStatistics(t: TenantTx, sid: string, query: StatisticsQuery): Promise<Statistics> {
  await loadEndpoint(t, sid);
  const { from, to } = rangeOf(t, query);
  const rows = await t.many<Row>(sql`
    select day::text as day, outcome, attempts::float8 as attempts, durations::float8[] as durations
      from webhook_statistics
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and endpoint_sid = ${sid}
       and day between ${from}::date and ${to}::date
     order by day`);
  const byDay = Object.groupBy(rows, ({ day }) => day);
  return {
    object: 'webhook_statistics',
    accountSid: t.accountSid,
    livemode: t.livemode,
    endpointSid: sid,
    from,
    to,
    ...summarize(rows),
    days: Object.entries(byDay).map(([day, own]) => ({ day, ...summarize(own!) })),
  };
}

/** The last week, unless asked otherwise; both days count. */
function rangeOf(t: TenantTx, query: StatisticsQuery) {
  for (const path of ['from', 'to'] as const)
    if (query[path] !== undefined && !isDay(query[path])) throw invalid({ path, issue: 'must be a day' });
  const to = query.to ?? dayOf(t.now.getTime());
  const toMs = Date.parse(to);
  const from = query.from ?? dayOf(toMs - (usualDays - 1) * dayMs);
  const days = (toMs - Date.parse(from)) / dayMs + 1;
  if (!(days >= 1 && days <= mostDays))
    throw invalid({ path: 'from', issue: `must be a day at most ${mostDays - 1} days before \`to\`` });
  return { from, to };
}

function summarize(rows: Row[]): Tried {
  const count = (wanted: string) =>
    rows.reduce((sum, { outcome, attempts }) => sum + (outcome === wanted ? attempts : 0), 0);
  const durations = rows.reduce(
    (sums, row) => sums.map((sum, i) => sum + (row.durations[i] ?? 0)),
    noDurations(),
  );
  const succeeded = count('success');
  const attempts = rows.reduce((sum, row) => sum + row.attempts, 0);
  return {
    attempts,
    succeeded,
    failed: attempts - succeeded,
    failures: {
      dns: count('dns'),
      connect: count('connect'),
      tls: count('tls'),
      timeout: count('timeout'),
      status: count('status'),
      blocked: count('blocked'),
    },
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
  };
}

/** Kept for as long as the attempts themselves. */
export async function trimStatistics(t: TenantTx): Promise<void> {
  await t.run(sql`
    delete from webhook_statistics
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       and day < ${dayOf(t.now.getTime() - keptForMs)}::date`);
}
