// Answers from the numbers alone: what it costs follows how many groups there are, never how many messages.
import { dayMs } from '../../../platform/clock.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { passingQuery, type Sql, sql } from '../../../platform/db/query.ts';
import type { PageOf, Pager } from '../../../platform/http/operations/pagination.ts';
import type { MessageAnalytics, MessageAnalyticsQuery } from '../schema.ts';
import { type DimensionName, dimensionNames, dimensions, dimensionsIn } from './dimensions.ts';
import { asksForDetail, rangeOf, refuseOldDetail } from './range.ts';

/** What a group has in one currency. */
type Row = Record<DimensionName, string> & {
  currency: string;
  scale: number;
  messages: number;
  charged: string;
  expected: string;
};

export async function messageAnalytics(
  t: TenantTx,
  query: MessageAnalyticsQuery,
  pager: Pager,
): Promise<PageOf<MessageAnalytics>> {
  const { named } = dimensionsIn(query.groupBy);
  const range = rangeOf(query, t.now);
  const detailed = asksForDetail(query);
  if (detailed) refuseOldDetail(range.from, t.now);
  const groups = dimensionNames.filter((name) => named.includes(name));
  const from = detailed ? withinHours(t, query, range) : withinDays(t, query, range);
  const found = await groupsOf(t, from, groups, pager);
  return pager.page(found, ([row]) => keyOf(groups, row!), toResource);
}

const keyOf = (groups: DimensionName[], row: Row) => groups.map((name) => row[name]);

/**
 * The groups of a page, and one more where there is, each with its currencies. Most have one: so about as many rows are read as there
 * are groups wanted, and more only where that was not enough.
 */
async function groupsOf(
  t: TenantTx,
  from: Sql,
  groups: DimensionName[],
  { after, fetch }: Pager,
): Promise<Row[][]> {
  const found: Row[][] = [];
  for (let [at, most] = [after, fetch + 1]; ; ) {
    const rows = await t.many<Row>(passingQuery(rowsOf(from, groups, at, most)));
    const read = [...Map.groupBy(rows, (row) => JSON.stringify(keyOf(groups, row))).values()];
    // What was cut off may be missing in the last group.
    const isCut = rows.length === most;
    const whole = isCut ? read.slice(0, -1) : read;
    found.push(...whole);
    if (!isCut || found.length >= fetch) return found;
    if (whole.length > 0) at = keyOf(groups, whole.at(-1)![0]!);
    else most *= 2;
  }
}

type Range = { from: string; to: string };

const withinDays = (t: TenantTx, query: MessageAnalyticsQuery, { from, to }: Range) => sql`
  analytics_days as numbers where account_sid = ${t.accountSid} and livemode = ${t.livemode}
    and day between ${from}::date and ${to}::date ${filtersOf(query)}`;

/** The same of the hours, of which each also knows its day. */
const withinHours = (t: TenantTx, query: MessageAnalyticsQuery, { from, to }: Range) => sql`
  (select *, (hour at time zone 'UTC')::date as day from analytics_hours) as numbers
  where account_sid = ${t.accountSid} and livemode = ${t.livemode}
    and hour >= ${new Date(from)} and hour < ${new Date(Date.parse(to) + dayMs)} ${filtersOf(query)}`;

function filtersOf(query: MessageAnalyticsQuery): Sql {
  const wanted: [Sql, string | undefined][] = [
    [sql`direction`, query.direction],
    [sql`sender_sid`, query.senderSid],
    [sql`template`, query.template],
    [sql`category`, query.category],
    [sql`country`, query.country],
    [sql`campaign_sid`, query.campaignSid],
    [sql`status`, query.status],
    [sql`code`, query.errorCode],
  ];
  const parts = wanted.flatMap(([column, value]) =>
    value === undefined ? [] : [sql`and ${column} = ${value}`],
  );
  return sql.join(parts, sql` `);
}

/** Sums by group and currency, sorted as the rows are: a page by day ends with its last day, however many follow. */
function rowsOf(from: Sql, groups: DimensionName[], after: Pager['after'], most: number): Sql {
  const keys = groups.map((name) => dimensions[name].column);
  const beyond =
    after && keys.length > 0 ? sql`and (${sql.join(keys)}) > (${sql.join(valuesOf(groups, after))})` : sql``;
  const told = dimensionNames.map(
    (name) => sql`${groups.includes(name) ? toldAs(name) : sql`''`} as ${sql.id(name)}`,
  );
  const columns = sql.join([...keys, sql`numbers.currency`, sql`numbers.scale`]);
  return sql`
    select ${sql.join(told)}, currency, scale, sum(messages)::float8 as messages, sum(charged_minor) as charged,
      sum(expected_minor) as expected
      from ${from} ${beyond}
     group by ${columns}
    having sum(messages) <> 0
     order by ${columns}
     limit ${most}`;
}

function toldAs(name: DimensionName): Sql {
  const { column, type } = dimensions[name];
  if (type === 'text') return column;
  return type === 'date'
    ? sql`numbers.day::text`
    : sql`to_char(numbers.hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`;
}

/** Where the page before ended, each part in its type. */
const valuesOf = (groups: DimensionName[], after: (string | number)[]) =>
  after.map((value, at) => {
    const { type } = dimensions[groups[at]!];
    return type === 'text'
      ? sql`${value}::text`
      : type === 'date'
        ? sql`${value}::date`
        : sql`${value}::timestamptz`;
  });

function toResource(rows: Row[]): MessageAnalytics {
  const [row] = rows;
  const told = (name: DimensionName) => (row![name] === '' ? null : row![name]);
  return {
    object: 'message_analytics',
    day: told('day'),
    hour: told('hour'),
    direction: told('direction') as MessageAnalytics['direction'],
    senderSid: told('sender'),
    template: told('template'),
    category: told('category') as MessageAnalytics['category'],
    country: told('country'),
    campaignSid: told('campaign'),
    status: told('status') as MessageAnalytics['status'],
    errorCode: told('errorCode'),
    messages: rows.reduce((sum, { messages }) => sum + messages, 0),
    costs: rows.filter(({ currency }) => currency !== '').map(toCost),
  };
}

function toCost({ currency, scale, charged, expected }: Row): MessageAnalytics['costs'][number] {
  const money = (amountMinor: string) => ({ amountMinor, currency, scale });
  const total = BigInt(charged) + BigInt(expected);
  return { total: money(total.toString()), charged: money(charged), expected: money(expected) };
}
