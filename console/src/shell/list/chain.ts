// The pages of a list as far as somebody went: where each begins, and how many rows it has. What stands in them is kept elsewhere, and not for long.
import type { List } from '@godwit/sdk';

export type KnownPage = {
  cursor: string;
  /** Null until it was read. */
  size: number | null;
  /** Which row ends it. Cursors are sealed anew with every answer, so they cannot be compared. */
  last: string | null;
  /** Where it began before rows came or went above it. */
  formerly?: string;
};
export type Chain = readonly KnownPage[];

const unread = { size: null, last: null };
export const beginning: Chain = [{ cursor: '', ...unread }];

/** What is known once a page was read. Where it ends elsewhere than before, the next one begins elsewhere too. */
export function learned<Item>(chain: Chain, cursor: string, { data, nextCursor }: List<Item>): Chain {
  const at = chain.findIndex((page) => page.cursor === cursor);
  if (at < 0) return chain;
  const known = chain[at]!;
  const now = { ...known, size: data.length, last: nameOf(data.at(-1)) };
  const [next, ...later] = chain.slice(at + 1);
  const before = [...chain.slice(0, at), now];
  if (nextCursor === null) return next || known.size !== now.size ? before : chain;
  if (next === undefined) return [...before, { cursor: nextCursor, ...unread }];
  if (known.last !== now.last)
    return [...before, { ...next, cursor: nextCursor, formerly: next.cursor }, ...later];
  return known.size === now.size ? chain : [...before, next, ...later];
}

function nameOf(row: unknown): string | null {
  if (row === undefined) return null;
  const { sid, id } = row as { sid?: string; id?: string };
  return sid ?? id ?? JSON.stringify(row);
}

/** The pages in which rows stand, and how many rows come before them. What lies beyond the end is in the page that follows, if one does. */
export function pagesOf(chain: Chain, firstRow: number, lastRow: number) {
  const at = { from: 0, to: 0, before: 0 };
  let rows = 0;
  for (const [place, { size }] of chain.entries()) {
    if (rows <= firstRow || place === 0) Object.assign(at, { from: place, before: rows });
    at.to = place;
    rows += size ?? 0;
    if (rows > lastRow) break;
  }
  return at;
}

export const rowsOf = (chain: Chain): number => chain.reduce((sum, { size }) => sum + (size ?? 0), 0);

/** Whether its last page was read, after which nothing follows. */
export const isWhole = (chain: Chain): boolean => chain.at(-1)!.size !== null;
