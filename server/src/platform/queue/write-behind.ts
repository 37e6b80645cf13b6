// Results on their way to the database. While those of an account are written the next gather, so that a thousand of them
// take few transactions. What cannot be written is kept and tried again: it happened, and only memory knows of it.
import type { Tenant } from '../db/database.ts';
import { tookTooLong } from '../db/failures.ts';
import type { Log } from '../observability/logging.ts';
import { createWaiter } from './waiter.ts';

type Options<Item> = {
  /** What is written, in the plural, as the log names it. */
  what: string;
  /** Writes all of them, or throws. */
  write(tenant: Tenant, items: Item[]): Promise<void>;
  onWritten(items: Item[]): void;
  log: Log;
};

export type WriteBehind<Item> = {
  add(tenant: Tenant, item: Item): void;
  /** Settles when everything added so far is written, however long the database is away. */
  written(): Promise<void>;
  /**
   * The same with a limit, for a process that has to end. What is unwritten then is told and left; this throws, so that
   * whoever ends the process knows that it did not end well.
   */
  end(limitMs: number): Promise<void>;
};

type Page<Item> = { tenant: Tenant; items: Item[]; writing: Promise<void> | null };

const most = 500;
const firstRestMs = 100;
const longestRestMs = 2_000;

export function createWriteBehind<Item>({ what, write, onWritten, log }: Options<Item>): WriteBehind<Item> {
  const pages = new Map<string, Page<Item>>();
  const leaving = new AbortController();

  const rest = async (failures: number): Promise<void> => {
    const waiter = createWaiter();
    leaving.signal.addEventListener('abort', waiter.wake, { once: true });
    await waiter.wait(Math.min(firstRestMs * 2 ** (failures - 1), longestRestMs));
    leaving.signal.removeEventListener('abort', waiter.wake);
  };

  const writeDown = async (key: string, page: Page<Item>): Promise<void> => {
    // What took too long would take as long again: it is tried in parts, until this page is written.
    let size = most;
    for (let failures = 0; page.items.length > 0 && !leaving.signal.aborted; ) {
      const some = page.items.slice(0, size);
      try {
        await write(page.tenant, some);
      } catch (error) {
        failures += 1;
        if (tookTooLong(error)) size = Math.ceil(some.length / 2);
        log.warn({ err: error, results: some.length }, `could not write down ${what} yet`);
        await rest(failures);
        continue;
      }
      failures = 0;
      page.items.splice(0, some.length);
      onWritten(some);
    }
    // In the same breath as the look that found nothing more: what is added from now on opens a page of its own.
    if (page.items.length === 0) pages.delete(key);
  };

  const written = async (): Promise<void> => {
    while (pages.size > 0 && !leaving.signal.aborted) {
      await Promise.all([...pages.values()].map(({ writing }) => writing));
    }
  };

  return {
    add({ accountSid, livemode }, item) {
      const key = `${accountSid} ${livemode}`;
      const page = pages.get(key) ?? { tenant: { accountSid, livemode }, items: [], writing: null };
      pages.set(key, page);
      page.items.push(item);
      page.writing ??= writeDown(key, page);
    },
    written,
    async end(limitMs) {
      const limit = createWaiter();
      await Promise.race([written().then(limit.wake), limit.wait(limitMs)]);
      leaving.abort();
      const unwritten = pages.values().reduce((sum, { items }) => sum + items.length, 0);
      if (unwritten === 0) return;
      const told = `${unwritten} ${what} could not be written down in ${limitMs / 1_000} s`;
      log.error({ unwritten }, told);
      throw new Error(told);
    },
  };
}
