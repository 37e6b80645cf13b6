// Bodies that carry many others in a list: each of those is judged on its own, so that one that is wrong refuses nobody else.
import type { TSchema } from 'typebox';
import { type ApiError, type ErrorDetail, invalid } from '../../errors/errors.ts';
import { problemIn } from './json-body.ts';
import type { Judge } from './validation.ts';

export type Batch = {
  /** The member of the body that is the list. */
  list: string;
  /** How large the whole body may be. */
  maxBytes: number;
};

type ObjectSchema = { properties: Record<string, { items: TSchema }> };

/** The body as the whole is judged by it: of its list only that it is one, and how long. */
export function frameOf(schema: TSchema, { list }: Batch): TSchema {
  const { properties } = schema as unknown as ObjectSchema;
  const anything = { ...properties[list]!, items: {} };
  return { ...schema, properties: { ...properties, [list]: anything } } as unknown as TSchema;
}

/** What each item of the list is judged by. */
export const memberOf = (schema: TSchema, { list }: Batch): TSchema =>
  (schema as unknown as ObjectSchema).properties[list]!.items;

// A thousand members with a hundred remarks each would be an answer of ten megabytes.
const mostRemarks = 20;

/** The body with each item of its list as it is, or as the error it is refused with; the paths begin at the item. */
export function judgeMembers(body: unknown, { list }: Batch, judge: Judge): unknown {
  const items = (body as Record<string, unknown[]>)[list]!;
  return { ...(body as object), [list]: items.map((item) => judgeMember(item, judge)) };
}

/** One item as it is, or as the error it is refused with. */
export function judgeMember(item: unknown, judge: Judge): unknown {
  const problem = problemIn(item);
  const details = problem ? [problem] : judge(item);
  return details.length > 0 ? invalid(...details.slice(0, mostRemarks).map(nameRoot)) : item;
}

/** Remarks about the whole of a value have no path of their own. */
export const nameRoot = (detail: ErrorDetail): ErrorDetail =>
  detail.path === '' ? { ...detail, path: 'body' } : detail;

/** What a handler gets of each item. */
export type Judged<T> = T | ApiError;
