// One search over all kinds of resources together (RFC 7644 section 3.4.3): one filter, one order, one page. An attribute that
// only some of them have has no value in the others.
import type { TenantTx } from '../../../platform/db/database.ts';
import { passingQuery, type Sql, sql } from '../../../platform/db/query.ts';
import type { ResourceKind } from './attributes.ts';
import { type AttributePath, parseFilter } from './filter.ts';
import { compileFilter, type Scalar, type Source } from './filter-sql.ts';
import {
  type Asked,
  cannotSort,
  directionOf,
  type ListQuery,
  projectionOf,
  readPage,
  sortKey,
} from './list-query.ts';
import type { Document } from './normalise.ts';
import { type Projection, project } from './projection.ts';
import { resolvePath } from './resolve.ts';
import type { Resource } from './resource.ts';
import type { ScimCall } from './scim-call.ts';

/** One kind of resource, as far as a search needs to know it. */
export type Searched = {
  kind: ResourceKind;
  source: Source;
  /** Its rows, in a query. */
  rows(call: ScimCall): Sql;
  among(ids: string[]): Sql;
  /** How many a page can show. */
  most(projection: Projection): number;
  list(t: TenantTx, call: ScimCall, query: ListQuery): Promise<{ total: number; resources: Resource[] }>;
};

type Part = Searched & { condition: Sql; key: Sql; projection: Projection };
export type Search = { parts: Part[]; direction: Sql; startIndex: number; count: number };

export function readSearch(all: Searched[], asked: Asked): Search {
  const text = asked('filter');
  const filter = text === undefined ? null : parseFilter(text);
  const isElsewhere = (path: AttributePath) => all.some(({ kind }) => resolvePath(kind, path) !== null);
  const keys = keysOf(all, asked('sortBy'));
  const parts = all.map((one, i) => ({
    ...one,
    condition: filter ? compileFilter({ ...one.source, isElsewhere }, filter) : sql`true`,
    key: keys[i]!,
    projection: projectionOf(one.kind, asked),
  }));
  const { startIndex, count } = readPage(asked);
  const most = Math.min(...parts.map(({ most, projection }) => most(projection)));
  return { parts, direction: directionOf(asked), startIndex, count: Math.min(count, most) };
}

const nothing: Record<Scalar['type'], Sql> = {
  string: sql`null::text`,
  boolean: sql`null::boolean`,
  dateTime: sql`null::timestamptz`,
};

function keysOf(all: Searched[], sortBy: string | undefined): Sql[] {
  if (sortBy === undefined) return all.map(() => nothing.string);
  const keys = all.map(({ source }) => sortKey(source, sortBy));
  const known = keys.find((key) => key !== null);
  if (!known) throw cannotSort(sortBy);
  return keys.map((key) => key?.value ?? nothing[known.type]);
}

export async function searchAll(t: TenantTx, call: ScimCall, search: Search) {
  const { parts, direction, startIndex, count } = search;
  const found = sql.join(
    parts.map(
      ({ kind, source, key, rows, condition }, place) => sql`
        select ${kind.name}::text as kind, ${place}::int as place, ${idIn(source)} as id, ${key} as key
          from ${rows(call)} and ${condition}`,
    ),
    sql` union all `,
  );
  const { total } = await t.one<{ total: number }>(
    passingQuery(sql`select count(*)::int as total from (${found}) found`),
  );
  const page = await t.many<Found>(
    passingQuery(sql`
      select kind, id from (${found}) found order by key ${direction} nulls last, place, id
       limit ${count} offset ${startIndex - 1}`),
  );
  return { total, resources: await load(t, call, parts, page) };
}

type Found = { kind: string; id: string };

const idPath: AttributePath = { uri: null, name: 'id', sub: null };
const idIn = (source: Source): Sql => source.scalar(resolvePath(source.kind, idPath)!)!.value;

async function load(t: TenantTx, call: ScimCall, parts: Part[], page: Found[]): Promise<Document[]> {
  const loaded = new Map<string, Document>();
  for (const { kind, among, list, projection } of parts) {
    const ids = page.filter((one) => one.kind === kind.name).map(({ id }) => id);
    if (ids.length === 0) continue;
    const query = { condition: among(ids), order: sql`id asc`, startIndex: 1, count: ids.length, projection };
    const { resources } = await list(t, call, query);
    for (const resource of resources) loaded.set(resource.id, project(kind, resource, projection));
  }
  // What was deleted meanwhile is left out.
  return page.map(({ id }) => loaded.get(id)).filter((found) => found !== undefined);
}
