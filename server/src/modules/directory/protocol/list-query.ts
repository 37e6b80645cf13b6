// What a client asks of a list: which resources, in which order, which page of them, and what of each.
import { type Sql, sql } from '../../../platform/db/query.ts';
import type { ResourceKind } from './attributes.ts';
import { parseAttributePath, parseFilter } from './filter.ts';
import { compileFilter, type Scalar, type Source } from './filter-sql.ts';
import { type Projection, readProjection } from './projection.ts';
import { resolvePath } from './resolve.ts';
import { badRequest } from './scim-error.ts';

export type ListQuery = {
  condition: Sql;
  order: Sql;
  startIndex: number;
  count: number;
  projection: Projection;
};

export type Asked = (name: string) => string | undefined;

export const maxResults = 200;
const defaultCount = 100;

export function readListQuery(source: Source, asked: Asked): ListQuery {
  const filter = asked('filter');
  return {
    condition: filter === undefined ? sql`true` : compileFilter(source, parseFilter(filter)),
    order: orderOf(source, asked),
    ...readPage(asked),
    projection: projectionOf(source.kind, asked),
  };
}

export const readPage = (asked: Asked) => ({
  // Less than one means one, and a negative count means none (RFC 7644 section 3.4.2.4).
  startIndex: Math.max(1, integer('startIndex', asked('startIndex'), 1)),
  count: Math.min(maxResults, Math.max(0, integer('count', asked('count'), defaultCount))),
});

export const projectionOf = (kind: ResourceKind, asked: Asked): Projection =>
  readProjection(kind, asked('attributes'), asked('excludedAttributes'));

function integer(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^-?[0-9]{1,9}$/.test(text)) throw badRequest('invalidValue', `"${name}" must be a whole number.`);
  return Number(text);
}

function orderOf(source: Source, asked: Asked): Sql {
  const direction = directionOf(asked);
  const sortBy = asked('sortBy');
  if (sortBy === undefined) return sql`id asc`;
  const key = sortKey(source, sortBy);
  if (!key) throw cannotSort(sortBy);
  return sql`${key.value} ${direction} nulls last, id asc`;
}

export function directionOf(asked: Asked): Sql {
  const sortOrder = asked('sortOrder') ?? 'ascending';
  const direction = { ascending: sql`asc`, descending: sql`desc` }[sortOrder.toLowerCase()];
  if (!direction) throw badRequest('invalidValue', '"sortOrder" must be ascending or descending.');
  return direction;
}

export const cannotSort = (sortBy: string) =>
  badRequest('invalidPath', `"${sortBy.slice(0, 100)}" cannot be sorted by.`);

/** What resources of one kind are sorted by; null where they have no such value. */
export function sortKey(source: Source, sortBy: string): { type: Scalar['type']; value: Sql } | null {
  const path = parseAttributePath(sortBy);
  const resolved = path && resolvePath(source.kind, path);
  const scalar = resolved && sortValue(source, resolved);
  if (!scalar) return null;
  const { type, value, caseExact } = scalar;
  return { type, value: type === 'string' && !caseExact ? sql`lower(${value})` : value };
}

function sortValue(source: Source, resolved: NonNullable<ReturnType<typeof resolvePath>>): Scalar | null {
  return resolved.attribute.multiValued ? (source.several(resolved)?.first ?? null) : source.scalar(resolved);
}
