import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { until } from '../../../test/harness/until.ts';
import type { Database } from '../db/database.ts';
import { compileQuery, type Sql } from '../db/query.ts';
import { silentLog } from '../observability/logging.ts';
import type { Hint } from './hints.ts';
import { createWatch } from './watch.ts';

let gone = new AbortController();
beforeEach(() => {
  gone = new AbortController();
});
// Whoever failed leaves too.
afterEach(() => gone.abort());

const tenant = { accountSid: 'AC1', livemode: false };

/** A log that counts how often it is looked at. */
function countedLog() {
  let head = 0;
  let reads = 0;
  let asks = 0;
  let failing = false;
  const tell = new Set<() => void>();
  const hint = (sequence: number): Hint => ({
    sequence,
    type: 'contact.created',
    resourceSid: `CT${sequence}`,
  });
  const rowsAfter = (after: number, limit: number) =>
    Array.from({ length: Math.min(limit, head - after) }, (_, at) => ({
      ...hint(after + 1 + at),
      sequence: String(after + 1 + at),
    }));
  const database = {
    ask: async () => {
      asks += 1;
      if (failing) throw new Error('the database is away');
      return [{ ...tenant, sequence: String(head) }];
    },
    read: async (_tenant: unknown, _context: unknown, work: (t: object) => Promise<unknown>) => {
      reads += 1;
      const many = async (query: Sql) => {
        const [, , after, limit] = compileQuery(query).values as [string, boolean, number, number];
        return rowsAfter(after, limit);
      };
      return work({ ...tenant, many });
    },
    listen: async (_channel: string, onNotify: () => void) => {
      tell.add(onNotify);
      return async () => void tell.delete(onNotify);
    },
  } as unknown as Database;
  return {
    watch: createWatch(database, () => new Date(0), silentLog),
    happen(count: number) {
      head += count;
      for (const told of tell) told();
    },
    reads: () => reads,
    asks: () => asks,
    fail(whether: boolean) {
      failing = whether;
    },
    listeners: () => tell.size,
  };
}

suite('watching an account', () => {
  test('reads what happened once, however many watch', async () => {
    const log = countedLog();
    const watchers = Array.from({ length: 50 }, () => log.watch.join(tenant, 0, gone.signal));
    await until('it listens', () => log.listeners() === 1);
    log.happen(3);
    await until('all have it', () => watchers.every((watching) => watching.after(0)?.length === 3));
    assert.equal(log.reads(), 1);
    for (const watching of watchers) watching.leave();
    await until('nobody listens any more', () => log.listeners() === 0);
    assert.equal(log.watch.accounts(), 0);
  });

  test('keeps the last thousand at hand, and no more for whoever is slow', async () => {
    const log = countedLog();
    const slow = log.watch.join(tenant, 0, gone.signal);
    await until('it listens', () => log.listeners() === 1);
    log.happen(900);
    await until('it is at hand', () => slow.after(0)?.length === 900);
    log.happen(600);
    await until('it is at hand', () => slow.after(1_400)?.length === 100);
    assert.equal(slow.after(499), null);
    assert.equal(slow.after(500)!.length, 1_000);
    log.happen(5_000);
    await until('it is at hand', () => slow.after(6_400)?.length === 100);
    assert.equal(slow.after(1_500), null);
    assert.equal(slow.after(5_500)![0]!.sequence, 5_501);
    assert.deepEqual(slow.after(6_500), []);
  });

  test('goes on where the last has left and another comes', async () => {
    const log = countedLog();
    const watching = log.watch.join(tenant, 0, gone.signal);
    await until('it listens', () => log.listeners() === 1);
    watching.leave();
    const again = log.watch.join(tenant, 0, gone.signal);
    log.happen(1);
    await until('it is at hand', () => again.after(0)?.length === 1);
  });

  test('goes on after the database was away', async () => {
    const log = countedLog();
    const watching = log.watch.join(tenant, 0, gone.signal);
    await until('it listens', () => log.listeners() === 1);
    log.fail(true);
    log.happen(2);
    const asked = log.asks();
    await until('it has tried', () => log.asks() > asked);
    log.fail(false);
    await until('it is at hand', () => watching.after(0)?.length === 2);
  });
});
