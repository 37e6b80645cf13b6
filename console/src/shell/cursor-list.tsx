// A list that is read page by page, as far as somebody looks.
import type { List } from '@godwit/sdk';
import { hashKey } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { ProblemPanel } from '../ui/problem.tsx';
import { InList } from '../ui/rows/in-list.ts';
import { Waiting } from '../ui/waiting.tsx';
import { useWords } from '../words/words.tsx';
import { type Page, usePages } from './list/use-pages.ts';
import { useWorkspace } from './workspace.tsx';

type Props<Item> = {
  /** Under which it is kept, and by whose first part it is read anew. */
  name: readonly [string, ...unknown[]];
  load(page: Page): PromiseLike<List<Item>>;
  /** What is said where there is nothing. */
  none: string;
  /** What shows them as something else than the rows of a table is drawn whole, a page at a time. */
  untabled?: boolean;
  /** Draws what is at hand, in a table with one row for each. */
  children(items: Item[]): ReactNode;
};

export function CursorList<Item>(given: Props<Item>) {
  const { key } = useWorkspace();
  const queryKey = [...key, ...given.name];
  // Another list begins at its top.
  return <Listed key={hashKey(queryKey)} queryKey={queryKey} {...given} />;
}

type ListedProps<Item> = Props<Item> & { queryKey: unknown[] };

function Listed<Item>({ queryKey, load, none, untabled = false, children }: ListedProps<Item>) {
  const words = useWords().list;
  const [ownKey] = useState(queryKey);
  const { rows, first, count, isLong, isWhole, failed, look, position, leave } = usePages(ownKey, load);
  const part = useMemo(
    () => (isLong && !untabled ? { first, count, isWhole, onSeen: look, position, onLeave: leave } : null),
    [isLong, untabled, first, count, isWhole, look, position, leave],
  );
  // Rows that stay are not drawn again when others come.
  const drawn = useMemo(() => children(rows), [rows, children]);
  const problem = failed && <ProblemPanel error={failed.error} retry={failed.refetch} />;
  if (count === 0) return problem || (isWhole ? <p className="text-quiet">{none}</p> : <Waiting />);
  return (
    <>
      <InList value={part}>{drawn}</InList>
      {problem}
      {untabled && !isWhole && !failed && <Button onClick={() => look(0, count)}>{words.more}</Button>}
    </>
  );
}
