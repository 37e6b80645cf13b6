// Gathers how attempts ended and writes them down account by account: while one transaction commits, the next gathers.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Tenant, TenantTx } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/observability/logging.ts';
import { type Attempted, recordAttempts } from './record.ts';

type Options = {
  write(tenant: Tenant, work: (t: TenantTx) => Promise<void>): Promise<void>;
  log: Log;
  onRecorded(endpointSid: string, deliverySids: string[]): void;
};

type Book = { tenant: Tenant; pages: Attempted[]; writing: Promise<void> | null };

const mostAtOnce = 500;
const againMs = 200;

export type Recorder = { add(tenant: Tenant, attempted: Attempted): void; end(): Promise<void> };

export function createRecorder({ write, log, onRecorded }: Options): Recorder {
  const books = new Map<string, Book>();
  const nameOf = ({ accountSid, livemode }: Tenant) => `${accountSid} ${livemode}`;

  /** An attempt that cannot be recorded is kept: it happened. */
  async function writeAll(book: Book): Promise<void> {
    while (book.pages.length > 0) {
      const some = book.pages.slice(0, mostAtOnce);
      try {
        await write(book.tenant, (t) => recordAttempts(t, some));
      } catch (error) {
        log.warn({ err: error }, 'webhook attempts cannot be recorded yet');
        await sleep(againMs);
        continue;
      }
      book.pages.splice(0, some.length);
      for (const [endpointSid, recorded] of Object.entries(Object.groupBy(some, (one) => one.endpointSid))) {
        onRecorded(
          endpointSid,
          recorded!.map(({ deliverySid }) => deliverySid),
        );
      }
    }
    books.delete(nameOf(book.tenant));
  }

  return {
    add(tenant, attempted) {
      const { accountSid, livemode } = tenant;
      const name = nameOf(tenant);
      const book = books.get(name) ?? { tenant: { accountSid, livemode }, pages: [], writing: null };
      books.set(name, book);
      book.pages.push(attempted);
      book.writing ??= writeAll(book);
    },
    async end() {
      await Promise.all([...books.values()].map(({ writing }) => writing));
    },
  };
}
