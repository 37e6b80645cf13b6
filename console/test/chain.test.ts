// What a long list remembers of its pages, while rows come and go beneath it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { beginning, type Chain, isWhole, learned, pagesOf, rowsOf } from '../src/shell/list/chain.ts';

let sealed = 0;
/** Pages of three rows, with cursors that are another text in every answer. */
function reader(rows: string[]) {
  const places = new Map([['', 0]]);
  return {
    rows,
    read(cursor: string) {
      // A cursor says after which row one goes on, whatever was put before it.
      const start = places.get(cursor)!;
      const data = rows.slice(start, start + 3).map((sid) => ({ sid }));
      const more = start + 3 < rows.length;
      sealed += 1;
      if (more) places.set(`sealed ${sealed}`, start + 3);
      return { object: 'list' as const, data, hasMore: more, nextCursor: more ? `sealed ${sealed}` : null };
    },
    /** Rows that come first move all others on. */
    prepend(...sids: string[]) {
      rows.unshift(...sids);
      for (const [cursor, start] of places) if (cursor) places.set(cursor, start + sids.length);
    },
  };
}
type Reader = ReturnType<typeof reader>;

const readPage = (chain: Chain, at: number, list: Reader) =>
  learned(chain, chain[at]!.cursor, list.read(chain[at]!.cursor));
function readAll(list: Reader, chain = beginning): { chain: Chain; seen: string[] } {
  const seen: string[] = [];
  let known = chain;
  for (let at = 0; at < known.length; at += 1) {
    seen.push(...list.read(known[at]!.cursor).data.map(({ sid }) => sid));
    known = readPage(known, at, list);
  }
  return { chain: known, seen };
}
const seven = () => reader(['a', 'b', 'c', 'd', 'e', 'f', 'g']);

suite('the pages of a list', () => {
  test('are known as far as they were read, and all of them after the last', () => {
    const list = seven();
    const one = readPage(beginning, 0, list);
    assert.deepEqual([one.length, rowsOf(one), isWhole(one)], [2, 3, false]);
    const { chain } = readAll(list);
    assert.deepEqual(
      chain.map(({ size }) => size),
      [3, 3, 1],
    );
    assert.equal(isWhole(chain), true);
  });
  test('stay the same when they are read again and nothing has changed', () => {
    const list = seven();
    const { chain } = readAll(list);
    for (const at of chain.keys()) assert.equal(readPage(chain, at, list), chain);
  });
  test('begin elsewhere where rows came before them, so that none is missed', () => {
    const list = seven();
    const { chain } = readAll(list);
    list.prepend('new', 'newer');
    const moved = readPage(chain, 0, list);
    assert.equal(moved[1]!.formerly, chain[1]!.cursor);
    assert.equal(rowsOf(moved), 7, 'what follows keeps its room until it is read');
    const again = readAll(list, chain);
    assert.deepEqual(again.seen, list.rows);
    assert.equal(rowsOf(again.chain), 9);
  });
  test('end where the last row is, when others went', () => {
    const list = seven();
    const { chain } = readAll(list);
    list.rows.splice(2);
    const shorter = readPage(chain, 0, list);
    assert.deepEqual([shorter.length, rowsOf(shorter), isWhole(shorter)], [1, 2, true]);
  });
  test('are found by the rows in them, and beyond the last row stands the page to be read next', () => {
    const { chain } = readAll(seven());
    assert.deepEqual(pagesOf(chain, 0, 1), { from: 0, to: 0, before: 0 });
    assert.deepEqual(pagesOf(chain, -50, 3), { from: 0, to: 1, before: 0 });
    assert.deepEqual(pagesOf(chain, 3, 50), { from: 1, to: 2, before: 3 });
    assert.deepEqual(pagesOf(chain, 90, 99), { from: 2, to: 2, before: 6 });
    const one = readPage(beginning, 0, seven());
    assert.deepEqual(pagesOf(one, 0, 2), { from: 0, to: 0, before: 0 });
    assert.deepEqual(pagesOf(one, 0, 3), { from: 0, to: 1, before: 0 });
  });
});
