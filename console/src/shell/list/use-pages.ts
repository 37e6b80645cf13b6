// A list is read a page at a time, where somebody looks. Each page is kept by itself, so that what happens lets only those be read anew
// that somebody sees, however far they went.
import type { List } from '@godwit/sdk';
import { type QueryKey, type UseQueryResult, useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Position } from '../../ui/rows/in-list.ts';
import { beginning, type Chain, isWhole, learned, pagesOf, rowsOf } from './chain.ts';
import { leave, useLeft } from './left.ts';

const limit = 100;
/** How many rows are at hand before and after those somebody sees. */
const ahead = 50;
/** How many pages are kept on either side of those at hand; what is further away is read again when somebody comes back. */
const keptAround = 25;

export type Page = { limit: number; cursor?: string };

export function usePages<Item>(queryKey: QueryKey, load: (page: Page) => PromiseLike<List<Item>>) {
  const queries = useQueryClient();
  const { name, left } = useLeft(queryKey);
  const [chain, setChain] = useState(left?.chain ?? beginning);
  const [seen, setSeen] = useState(left?.seen ?? { first: 0, last: 0 });
  const { from, to, before } = pagesOf(chain, seen.first - ahead, seen.last + ahead);
  const looked = chain.slice(from, to + 1);
  const { answers, failed } = useQueries({
    queries: looked.map(({ cursor, formerly }) => ({
      queryKey: [...queryKey, { cursor }],
      queryFn: async () => await load({ limit, ...(cursor && { cursor }) }),
      // While a page is read from its new beginning, it is shown as it was.
      placeholderData: () =>
        formerly === undefined
          ? undefined
          : queries.getQueryData<List<Item>>([...queryKey, { cursor: formerly }]),
    })),
    combine: together<Item>,
  });
  let known = chain;
  for (const [place, { answer, isOld }] of answers.entries())
    if (answer && !isOld) known = learned(known, looked[place]!.cursor, answer);
  if (known !== chain) setChain(known);

  useFarPagesForgotten(queryKey, chain, from, to);

  // One run of rows without a gap: what is missing is on its way.
  const atHand = useMemo(() => {
    const read = answers.map(({ answer }) => answer?.data);
    const start = Math.max(
      0,
      read.findIndex((rows) => rows !== undefined),
    );
    const end = read.indexOf(undefined, start);
    const first = before + rowsOf(chain.slice(from, from + start));
    return { first, rows: read.slice(start, end < 0 ? undefined : end).flat() as Item[] };
  }, [answers, chain, from, before]);

  const now = useRef({ chain, seen });
  now.current = { chain, seen };

  return {
    ...atHand,
    position: left?.position,
    leave: useCallback((position: Position) => leave(name, { ...now.current, position }), [name]),
    count: rowsOf(chain),
    isLong: chain.length > 1,
    isWhole: isWhole(chain),
    failed,
    look: useCallback(
      (first: number, last: number) =>
        setSeen((before) => (first === before.first && last === before.last ? before : { first, last })),
      [],
    ),
  };
}

/** Pages that nobody is near are not kept. */
function useFarPagesForgotten(queryKey: QueryKey, chain: Chain, from: number, to: number) {
  const queries = useQueryClient();
  useEffect(() => {
    const near = new Set(
      chain.slice(Math.max(0, from - keptAround), to + keptAround).map(({ cursor }) => cursor),
    );
    queries.removeQueries({
      queryKey,
      type: 'inactive',
      predicate: ({ queryKey: [...parts] }) => {
        const { cursor } = (parts.at(-1) ?? {}) as { cursor?: string };
        return cursor !== undefined && !near.has(cursor);
      },
    });
  }, [queries, queryKey, chain, from, to]);
}

/** Of a class, since plain objects are compared down to their last field with what stood in the same place, which was another page. */
class Read<Item> {
  readonly answer: List<Item> | undefined;
  readonly isOld: boolean;

  constructor({ data, isPlaceholderData }: UseQueryResult<List<Item>>) {
    this.answer = data;
    this.isOld = isPlaceholderData;
  }
}

function together<Item>(results: UseQueryResult<List<Item>>[]) {
  const answers = results.map((result) => new Read(result));
  const { error, refetch } = results.find((one) => one.error) ?? {};
  return { answers, failed: error ? { error, refetch: refetch! } : null };
}
