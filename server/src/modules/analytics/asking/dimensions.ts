// What messages can be counted by. Hours, templates and error codes are detail, which is kept for days only.
import { type Sql, sql } from '../../../platform/db/query.ts';

type Dimension = {
  detail?: true;
  /** Of `numbers`, as it stands there: so that an index can give the order. */
  column: Sql;
  /** The type it is compared in. */
  type: 'date' | 'timestamptz' | 'text';
};

const text = (column: Sql) => ({ column, type: 'text' }) as const;

/** In the order in which answers are sorted, which begins as the rows are. */
export const dimensions = {
  day: { column: sql`numbers.day`, type: 'date' },
  hour: { detail: true, column: sql`numbers.hour`, type: 'timestamptz' },
  direction: text(sql`numbers.direction`),
  sender: text(sql`numbers.sender_sid`),
  template: { detail: true, ...text(sql`numbers.template`) },
  category: text(sql`numbers.category`),
  country: text(sql`numbers.country`),
  campaign: text(sql`numbers.campaign_sid`),
  status: text(sql`numbers.status`),
  errorCode: { detail: true, ...text(sql`numbers.code`) },
} satisfies Record<string, Dimension>;

export type DimensionName = keyof typeof dimensions;
export const dimensionNames = Object.keys(dimensions) as DimensionName[];

export const isDetail = (name: DimensionName): boolean => 'detail' in dimensions[name];

const isDimension = (name: string): name is DimensionName => Object.hasOwn(dimensions, name);

/** The names in a list with commas between, and those that are none. */
export function dimensionsIn(groupBy: string | undefined): { named: DimensionName[]; unknown: string[] } {
  const names = groupBy === undefined ? [] : groupBy.split(',').map((name) => name.trim());
  return { named: names.filter(isDimension), unknown: names.filter((name) => !isDimension(name)) };
}
