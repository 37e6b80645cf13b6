// A list that is read page by page, as far as somebody wants to see.
import type { List } from '@godwit/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { ProblemPanel } from '../ui/problem.tsx';
import { Waiting } from '../ui/waiting.tsx';
import { useWords } from '../words/words.tsx';
import { useWorkspace } from './workspace.tsx';

type Page = { limit: number; cursor?: string };
type Props<Item> = {
  /** Under which it is kept, and by whose first part it is read anew. */
  name: readonly [string, ...unknown[]];
  load(page: Page): PromiseLike<List<Item>>;
  /** What is said where there is nothing. */
  none: string;
  children(items: Item[]): ReactNode;
};

export function CursorList<Item>({ name, load, none, children }: Props<Item>) {
  const words = useWords().list;
  const { key } = useWorkspace();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [...key, ...name],
    queryFn: async ({ pageParam }) => await load({ limit: 50, ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  if (error) return <ProblemPanel error={error} retry={refetch} />;
  if (!data) return <Waiting />;
  const items = data.pages.flatMap((page) => page.data);
  if (items.length === 0) return <p className="text-quiet">{none}</p>;
  return (
    <>
      {children(items)}
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {words.more}
        </Button>
      )}
    </>
  );
}
