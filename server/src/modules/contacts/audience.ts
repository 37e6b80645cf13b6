// Conditions on contacts, for whoever cuts an audience out of them. `c` is the contact.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { isRestricted } from './restrictions.ts';

export type AttributeTest =
  | { name: string; test: 'eq' | 'ne' | 'contains'; value: unknown }
  | { name: string; test: 'in'; values: unknown[] }
  | { name: string; test: 'gt' | 'gte' | 'lt' | 'lte'; value: number | string }
  | { name: string; test: 'exists'; value: boolean };

export type Audience = { joins: Sql[]; conditions: Sql[] };

/** The live contacts of the account for which all conditions hold; nobody who is restricted. */
export function audience(t: TenantTx, columns: Sql, { joins, conditions }: Audience): Sql {
  const all = conditions.map((condition) => sql`and ${condition}`);
  return sql`
    select ${columns} from contacts c ${sql.join(joins, sql` `)}
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.merged_into is null
       and not ${isRestricted(t, sql`c.sid`)} ${sql.join(all, sql` `)}`;
}

export const isOneOf = (sids: string[]): Sql => sql`c.sid = any (${sids}::text[])`;
export const createdAfter = (instant: string): Sql => sql`c.created_at > ${instant}::timestamptz`;

const comparisons = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` };

/** Values are compared by their JSON type: a number never equals its text, and text sorts by code point. */
export function attributeHolds(condition: AttributeTest): Sql {
  const value = sql`c.attributes -> ${condition.name}`;
  switch (condition.test) {
    case 'eq':
      return sql`${value} = ${JSON.stringify(condition.value)}::jsonb`;
    case 'ne':
      return sql`${value} is distinct from ${JSON.stringify(condition.value)}::jsonb`;
    case 'in':
      return sql`${value} = any (${condition.values.map((one) => JSON.stringify(one))}::text[]::jsonb[])`;
    case 'exists':
      return condition.value
        ? sql`c.attributes ? ${condition.name}`
        : sql`not c.attributes ? ${condition.name}`;
    case 'contains':
      return holdsWithin(condition.name, condition.value);
    default:
      return compares(condition.name, comparisons[condition.test], condition.value);
  }
}

/** Part of a text, or an element of a list. */
function holdsWithin(name: string, value: unknown): Sql {
  const inList = sql`jsonb_typeof(c.attributes -> ${name}) = 'array'
    and c.attributes -> ${name} @> ${JSON.stringify([value])}::jsonb`;
  if (typeof value !== 'string') return sql`(${inList})`;
  return sql`(case jsonb_typeof(c.attributes -> ${name})
    when 'string' then position(${value} in c.attributes ->> ${name}) > 0 else ${inList} end)`;
}

/** The type is looked at first: `case` keeps a text from ever being read as a number. */
function compares(name: string, comparison: Sql, value: number | string): Sql {
  return typeof value === 'number'
    ? sql`(case when jsonb_typeof(c.attributes -> ${name}) = 'number'
        then (c.attributes ->> ${name})::numeric ${comparison} ${value}::numeric else false end)`
    : sql`(case when jsonb_typeof(c.attributes -> ${name}) = 'string'
        then c.attributes ->> ${name} collate "C" ${comparison} ${value} else false end)`;
}
