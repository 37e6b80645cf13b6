// Keyset pagination. A cursor is sealed: nobody can read, forge or move it to another account, endpoint or filter.

import type { Tenant } from '../../db/database.ts';
import { invalid } from '../../errors/errors.ts';
import { canonicalJson, sha256Hex } from '../../hashing.ts';
import type { Sealer } from '../../sealing.ts';

const defaultLimit = 25;

export type PageOf<Item> = { object: 'list'; data: Item[]; hasMore: boolean; nextCursor: string | null };
type Key = (string | number)[];

export type Pager = {
  limit: number;
  /** The sort key of the last row the caller has seen; null on the first page. */
  after: Key | null;
  /** Ask the database for this many rows: one more than the page, to know whether another follows. */
  fetch: number;
  /** `lookedTo` is where a look that was cut short ended: the next page goes on there, even when this one has nothing. */
  page<Row, Item>(
    rows: Row[],
    keyOf: (row: Row) => Key,
    toItem: (row: Row) => Item,
    lookedTo?: Key | null,
  ): PageOf<Item>;
};

type Query = { limit?: number; cursor?: string } & Record<string, unknown>;

export function createPager(sealer: Sealer, operationId: string, tenant: Tenant | null, query: Query): Pager {
  const { limit = defaultLimit, cursor, ...filters } = query;
  const place = [operationId, tenant?.accountSid ?? null, tenant?.livemode ?? null, filters];
  // Worked out only where there is a cursor: most operations list nothing, and most lists fit on a page.
  const context = () => `cursor:${sha256Hex(canonicalJson(place))}`;
  return {
    limit,
    after: cursor === undefined ? null : readCursor(sealer, cursor, context()),
    fetch: limit + 1,
    page(rows, keyOf, toItem, lookedTo = null) {
      const shown = rows.slice(0, limit);
      const key = rows.length > limit ? keyOf(shown.at(-1)!) : lookedTo;
      const nextCursor =
        key === null ? null : sealer.seal(JSON.stringify(key), context()).toString('base64url');
      return { object: 'list', data: shown.map(toItem), hasMore: key !== null, nextCursor };
    },
  };
}

function readCursor(sealer: Sealer, cursor: string, context: string): Key {
  const sealed = Buffer.from(cursor, 'base64url');
  try {
    // The decoder skips what it cannot read; a cursor has one spelling only.
    if (sealed.toString('base64url') !== cursor) throw new Error('not a cursor');
    return JSON.parse(sealer.open(sealed, context).toString('utf8'));
  } catch {
    throw invalid({ path: 'cursor', issue: 'is not a cursor of this list with these filters' });
  }
}
