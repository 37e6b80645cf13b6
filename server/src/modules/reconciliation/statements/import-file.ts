// An itemised file of the provider's charges, one message a row, against our records. Rows are read as they come and worked on a few
// hundred at a time, so that a million of them take no more room than a thousand. What a file finds is found once, since cases
// know their messages; a file that was read to its end is not read again.
import type { Database, RequestContext, Tenant, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { type PricedAs, pricedAs } from '../../billing/index.ts';
import { type CsvLine, readCsvLines } from '../../contact-files/index.ts';
import { type BilledMessage, billedMessages, sidsOfProviderIds } from '../../messages/index.ts';
import { loadSenders } from '../../senders/index.ts';
import { chargedFor } from '../cases/adjustments.ts';
import { type DoubtedMessage, fileDoubtedPrice } from '../cases/prices.ts';
import { pricesOf } from '../cases/reprice.ts';
import { fileUnknown, fileUntold } from '../reports/doubts.ts';

const batch = 500;
const source = 'itemised_file';

export type BadRow = { line: number; issue: string; messageId: string };

type Importing = {
  database: Database;
  tenant: Tenant;
  context: () => RequestContext;
  /** The file's bytes, from its beginning. */
  open(): AsyncIterable<Buffer>;
  sha256: Buffer;
  tellBad(row: BadRow): void | Promise<void>;
};

export type Imported = { rows: number; bad: number; differences: number; before: string | null };

export async function importFile(importing: Importing): Promise<Imported> {
  const { database, tenant, context, sha256 } = importing;
  const before = await database.write(tenant, context(), (t) => importedAt(t, sha256));
  if (before !== null) return { rows: 0, bad: 0, differences: 0, before };
  const done: Imported = { rows: 0, bad: 0, differences: 0, before: null };
  let rows: Row[] = [];
  const work = async () => {
    done.differences += await compareRows(importing, rows);
    rows = [];
  };
  for await (const row of readRows(importing, done)) {
    if (rows.push(row) >= batch) await work();
  }
  await work();
  await database.write(tenant, context(), (t) =>
    t.run(sql`
      insert into reconciliation_imports (account_sid, livemode, sha256, rows, bad_rows, imported_at)
      values (${t.accountSid}, ${t.livemode}, ${sha256}, ${done.rows}, ${done.bad}, ${t.now}) on conflict do nothing`),
  );
  return done;
}

async function importedAt(t: TenantTx, sha256: Buffer): Promise<string | null> {
  const row = await t.maybe<{ at: string }>(sql`
    select imported_at as at from reconciliation_imports
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sha256 = ${sha256}`);
  return row?.at ?? null;
}

type Row = { messageId: string; category: string; type: string; billable: boolean | null; deliveredAt: Date };

const columnNames = ['message_id', 'category', 'type', 'delivered_at'] as const;
type Column = (typeof columnNames)[number] | 'billable';

/** The header names what is in the file; without one of these columns nothing in it can be compared. */
export class UnreadableFile extends Error {}

async function* readRows({ open, context, tellBad }: Importing, done: Imported): AsyncGenerator<Row> {
  let header: string[] | null = null;
  for await (const read of readCsvLines(open())) {
    if (header === null) {
      header = read.cells.map((cell) => cell.trim().toLowerCase());
      const missing = columnNames.filter((name) => !header!.includes(name));
      if (missing.length > 0) throw new UnreadableFile(`The file has no column ${missing.join(', ')}.`);
      continue;
    }
    done.rows += 1;
    const judged = judgeRow(header, read, context().now);
    if (!('issue' in judged)) {
      yield judged;
      continue;
    }
    done.bad += 1;
    await tellBad(judged);
  }
  if (header === null) throw new UnreadableFile('The file is empty.');
}

const latestMs = 24 * 60 * 60 * 1000;

function judgeRow(header: string[], { cells, line }: CsvLine, now: Date): Row | BadRow {
  const cell = (name: Column) => (cells[header.indexOf(name)] ?? '').trim();
  const messageId = cell('message_id');
  const bad = (issue: string): BadRow => ({ line, issue, messageId });
  if (cells.length !== header.length)
    return bad(`has ${cells.length} cells, and the header ${header.length}`);
  if (!/^[\x21-\x7e]{1,512}$/.test(messageId))
    return bad('message_id must be 1 to 512 characters without spaces');
  const [category, type] = [cell('category').toLowerCase(), cell('type').toLowerCase()];
  if (!/^[a-z][a-z_-]{0,63}$/.test(category)) return bad('category must be a word such as utility');
  if (pricedAs({ type, category }, anything) === null)
    return bad('type must be regular or one of the free ones');
  const deliveredAt = instantIn(cell('delivered_at'));
  if (!deliveredAt)
    return bad('delivered_at must be a time such as 2026-10-01T12:00:00Z, or seconds since 1970');
  if (deliveredAt.getTime() > now.getTime() + latestMs) return bad('delivered_at is in the future');
  const word = cell('billable').toLowerCase();
  if (!['', 'true', 'false'].includes(word)) return bad('billable must be true or false');
  return { messageId, category, type, billable: word === '' ? null : word === 'true', deliveredAt };
}

const anything: PricedAs = { category: 'service', pricingType: 'REGULAR', transport: 'cloud_api' };

function instantIn(text: string): Date | null {
  if (/^\d{9,11}$/.test(text)) return new Date(Number(text) * 1000);
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/.test(text)) return null;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? null : at;
}

type Found = { unknown: Row[]; untold: { message: BilledMessage; row: Row }[]; prices: DoubtedMessage[] };

async function compareRows({ database, tenant, context }: Importing, rows: Row[]): Promise<number> {
  if (rows.length === 0) return 0;
  const write = <T>(work: (t: TenantTx) => Promise<T>) => database.write(tenant, context(), work);
  const { unknown, untold, prices } = await write((t) => sort(t, rows));
  const dayOf = ({ deliveredAt }: Row) => deliveredAt.toISOString().slice(0, 10);
  await write(async (t) => {
    const strangers = unknown.map((row) => ({
      providerMessageId: row.messageId,
      senderSid: null,
      wabaSid: null,
      day: dayOf(row),
    }));
    await fileUnknown(t, strangers, source);
    const days = Map.groupBy(untold, ({ row }) => dayOf(row));
    for (const [day, here] of [...days].sort(([a], [b]) => (a < b ? -1 : 1)))
      await fileUntold(
        t,
        here.map(({ message }) => message),
        source,
        new Date(day),
      );
  });
  // Each in a transaction of its own: one may take the wallet's lock, and the next then the lock of its case.
  for (const doubted of prices) await write((t) => fileDoubtedPrice(t, doubted));
  return unknown.length + untold.length + prices.length;
}

/** What of the rows differs from our records. */
async function sort(t: TenantTx, rows: Row[]): Promise<Found> {
  const sids = await sidsOfProviderIds(
    t,
    rows.map(({ messageId }) => messageId),
  );
  const messages = await billedMessages(t, [...sids.values()]);
  const known = [...messages.values()];
  const [charged, priceAs, senders] = [
    await chargedFor(t, known),
    await pricesOf(t, known),
    await loadSenders(t, [...new Set(known.map(({ senderSid }) => senderSid))]),
  ];
  const found: Found = { unknown: [], untold: [], prices: [] };
  for (const row of rows) {
    const message = messages.get(sids.get(row.messageId) ?? '');
    if (!message) {
      if (row.billable ?? row.type === 'regular') found.unknown.push(row);
    } else if (!message.delivered) found.untold.push({ message, row });
    else if (message.finalMinor !== null) {
      const as = pricedAs(row, admittedAs(message))!;
      const reportedMinor = row.billable === false ? 0n : priceAs(message, as).totalMinor;
      const wabaSid = senders.get(message.senderSid)?.wabaSid ?? null;
      if (reportedMinor !== charged.get(message.sid)!.minor)
        found.prices.push({ message, wabaSid, reportedMinor, as, source });
    }
  }
  return found;
}

const admittedAs = ({ category, transport }: BilledMessage): PricedAs => ({
  category: category as PricedAs['category'],
  pricingType: 'REGULAR',
  transport: transport as PricedAs['transport'],
});
