// Lists, newest first, page by page.
import { created, expand, maybe, text, whole } from './params.ts';
import { invalid, noSuch } from './problems.ts';

/** What every list takes. */
export const pageParams = {
  limit: maybe(whole(1, 100)),
  starting_after: maybe(text()),
  ending_before: maybe(text()),
  expand,
};
export const createdParam = { created };

export type PageInput = { limit?: number; starting_after?: string; ending_before?: string };
type Span = { gt?: number; gte?: number; lt?: number; lte?: number };

export const within = (span: Span | undefined, moment: number): boolean =>
  span === undefined ||
  (moment > (span.gt ?? Number.NEGATIVE_INFINITY) &&
    moment >= (span.gte ?? Number.NEGATIVE_INFINITY) &&
    moment < (span.lt ?? Number.POSITIVE_INFINITY) &&
    moment <= (span.lte ?? Number.POSITIVE_INFINITY));

/** One page of those that fit. A cursor names any object of the table, also one that does not fit. */
export function pageOf<T extends { id: string }>(
  table: Map<string, T>,
  url: string,
  what: string,
  input: PageInput,
  fits: (item: T) => boolean,
) {
  const { limit = 10, starting_after: after, ending_before: before } = input;
  if (after !== undefined && before !== undefined)
    throw invalid('You cannot parameterize both starting_after and ending_before.', 'ending_before');
  const all = [...table.values()].reverse();
  const cursor = after ?? before;
  const at = cursor === undefined ? -1 : all.findIndex(({ id }) => id === cursor);
  if (cursor !== undefined && at === -1)
    throw noSuch(what, cursor, after === undefined ? 'ending_before' : 'starting_after');
  const side = before === undefined ? all.slice(at + 1) : all.slice(0, at);
  const fitting = side.filter(fits);
  const data = before === undefined ? fitting.slice(0, limit) : fitting.slice(-limit);
  return { object: 'list' as const, data, has_more: fitting.length > data.length, url };
}
