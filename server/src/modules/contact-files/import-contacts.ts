// Contacts from a file, as an operation: read once to know that it can be read and how long it is, then applied chunk by
// chunk. Every row is treated as the same contact sent by itself would be.
import type { TenantTx } from '../../platform/db/database.ts';
import { invalid } from '../../platform/errors/errors.ts';
import { sidTime } from '../../platform/ids.ts';
import { consentsOf, recordConsents } from '../consent/index.ts';
import {
  changedHands,
  erasedSince,
  type Known,
  planContacts,
  type Resolved,
  resolveContacts,
} from '../contacts/index.ts';
import { openMediaFile, requireReadyMedia } from '../media/index.ts';
import {
  accepted,
  type Chunk,
  type ChunkDone,
  defineOperationType,
  type OperationContext,
  type RunningOperation,
  startOperation,
} from '../operations/index.ts';
import { readHeader } from './columns.ts';
import { csvLine } from './csv.ts';
import { appendPart, createFile, findFile, readFile, storeWhole } from './files.ts';
import { type BadRow, type GoodRow, type JudgedRow, judgeRow } from './judge-row.ts';
import { type RawRow, readCsv, readLines, unreadable } from './read-rows.ts';
import { ImportInput, type NewImport } from './schema.ts';

const chunkRows = 1_000;
const maxRows = 2_000_000;

type Counts = { created: number; updated: number; unchanged: number; conflicts: number; consents: number };
type Checkpoint = {
  /** How many rows there are, once the whole file was read. */
  total: number;
  header: string[] | null;
  /** The first row that is not applied. */
  byte: number;
  number: number;
  counts: Counts;
};

const noCounts: Counts = { created: 0, updated: 0, unchanged: 0, conflicts: 0, consents: 0 };

export async function startImport(t: TenantTx, { content, dryRun = false, ...input }: NewImport) {
  if ((content === undefined) === (input.mediaSid === undefined)) {
    throw invalid({ path: 'content', issue: 'must be given, or mediaSid in its place' });
  }
  if (input.mediaSid !== undefined) await requireReadyMedia(t, input.mediaSid);
  const operation = await startOperation(t, dryRun ? contactImportCheck : contactImport, input);
  if (content !== undefined) await storeWhole(t, operation.sid, 'source', input.format, Buffer.from(content));
  return accepted(operation);
}

export const contactImport = defineOperationType({
  type: 'contacts.import',
  input: ImportInput,
  chunks: (context, operation, checkpoint) =>
    importChunks(context, operation, checkpoint as Checkpoint | null, apply),
  finish: (t, { sid }, checkpoint) => resultOf(t, sid, checkpoint as Checkpoint, false),
});

/** The dry run: the same reading, judging and planning, and nothing stored but what was wrong. */
export const contactImportCheck = defineOperationType({
  type: 'contacts.import-check',
  input: ImportInput,
  resumable: false,
  chunks(context, operation, checkpoint) {
    const known: Known = { owners: new Map(), counts: new Map() };
    return importChunks(context, operation, checkpoint as Checkpoint | null, (t, rows) =>
      plan(t, rows, known),
    );
  },
  finish: (t, { sid }, checkpoint) => resultOf(t, sid, checkpoint as Checkpoint, true),
});

type Importing = RunningOperation<ImportInput>;
type Applied = { resolved: Resolved[]; consents: number };
type Apply = (t: TenantTx, rows: GoodRow[]) => Promise<Applied>;

async function apply(t: TenantTx, rows: GoodRow[]): Promise<Applied> {
  const resolved = await resolveContacts(
    t,
    { consentsOf },
    rows.map(({ entry }) => entry),
    { lock: true },
  );
  const entries = rows.flatMap(({ consents }, i) => {
    const found = resolved[i]!;
    return 'issue' in found ? [] : consents.map((input) => ({ contactSid: found.contactSid, input }));
  });
  await recordConsents(t, entries);
  return { resolved, consents: entries.length };
}

async function plan(t: TenantTx, rows: GoodRow[], known: Known): Promise<Applied> {
  const resolved = await planContacts(
    t,
    rows.map(({ entry }) => entry),
    known,
  );
  const consents = rows.filter((_row, i) => !('issue' in resolved[i]!)).flatMap((row) => row.consents);
  return { resolved, consents: consents.length };
}

async function* importChunks(
  context: OperationContext,
  operation: Importing,
  checkpoint: Checkpoint | null,
  work: Apply,
): AsyncGenerator<Chunk> {
  const start = checkpoint ?? (await survey(context, operation));
  if (!checkpoint) {
    yield { checkpoint: start, total: start.total, apply: async () => ({ done: 0, failed: 0 }) };
  }
  const columns = start.header && readHeader(start.header);
  // A chunk builds on the counts of the one before it, also when its transaction is tried again.
  const counts = new Map([[start.number, start.counts]]);
  for await (const rows of inChunks(rowsOf(context, operation, start))) {
    context.signal.throwIfAborted();
    const judging = { columns, input: operation.input, now: context.now() };
    const judged = rows.map((row) => judgeRow(row, judging));
    const first = rows[0]!.number;
    const { number, endByte } = rows.at(-1)!;
    const next = { ...start, byte: endByte, number: number + 1 };
    yield {
      checkpoint: next,
      async apply(t) {
        const made = await applyChunk(t, operation, start.header, judged, work);
        const sum = addCounts(counts.get(first)!, made.counts);
        counts.set(next.number, sum);
        return { ...made.done, checkpoint: { ...next, counts: sum } };
      },
    };
  }
}

/** Reads the whole file once: whatever makes it unreadable is found before anything is stored. */
async function survey(context: OperationContext, operation: Importing): Promise<Checkpoint> {
  const begin = { byte: 0, number: 0 };
  const isCsv = operation.input.format === 'csv';
  const rows = isCsv
    ? readCsv(sourceOf(context, operation, 0), begin)
    : readLines(sourceOf(context, operation, 0), { byte: 0, number: 1 });
  let header: { cells: string[]; endByte: number } | null = null;
  let total = 0;
  for await (const row of rows) {
    if (isCsv && header === null && 'cells' in row) {
      readHeader(row.cells);
      header = row;
      continue;
    }
    total += 1;
    if (total > maxRows) throw unreadable(`The file has more than ${maxRows} rows.`);
    if (total % chunkRows === 0) context.signal.throwIfAborted();
  }
  if (isCsv && header === null) throw unreadable('The file has no header.');
  return { total, header: header?.cells ?? null, byte: header?.endByte ?? 0, number: 1, counts: noCounts };
}

/** The bytes of the file from one on: of what came with the request, or of what was uploaded before. */
async function* sourceOf(
  context: OperationContext,
  { sid, input }: Importing,
  fromByte: number,
): AsyncGenerator<Buffer> {
  if (input.mediaSid === undefined) return yield* readFile(context, sid, 'source', fromByte);
  const file = await openMediaFile(context, input.mediaSid);
  let skip = fromByte;
  for await (const piece of file.open() as AsyncIterable<Buffer>) {
    if (skip < piece.length) yield piece.subarray(skip);
    skip = Math.max(0, skip - piece.length);
  }
}

function rowsOf(context: OperationContext, operation: Importing, from: Checkpoint): AsyncIterable<RawRow> {
  const read = operation.input.format === 'csv' ? readCsv : readLines;
  return read(sourceOf(context, operation, from.byte), { byte: from.byte, number: from.number });
}

async function* inChunks(rows: AsyncIterable<RawRow>): AsyncGenerator<RawRow[]> {
  let chunk: RawRow[] = [];
  for await (const row of rows) {
    chunk.push(row);
    if (chunk.length < chunkRows) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Rows of people who were erased since the import began. */
async function rowsOfErased(t: TenantTx, rows: readonly GoodRow[], begunAt: Date): Promise<Set<GoodRow>> {
  const isErased = await erasedSince(
    t,
    rows.flatMap(({ entry }) => entry.identifiers),
    begunAt,
  );
  return new Set(rows.filter(({ entry }) => entry.identifiers.some(isErased)));
}

async function applyChunk(
  t: TenantTx,
  operation: Importing,
  header: string[] | null,
  judged: JudgedRow[],
  work: Apply,
): Promise<{ counts: Counts; done: ChunkDone }> {
  const all = judged.filter((row): row is GoodRow => 'entry' in row);
  const begunAt = sidTime(operation.sid);
  const gone = await rowsOfErased(t, all, begunAt);
  const good = all.filter((row) => !gone.has(row));
  const { resolved, consents } = await work(t, good);
  // Whoever is erased at this very moment was not found any more, and made anew: it is all tried again.
  if ((await rowsOfErased(t, good, begunAt)).size > 0) throw changedHands();
  const refused = resolved.flatMap((found, i): BadRow[] => {
    const { number, raw } = good[i]!;
    return 'issue' in found ? [{ number, raw, issues: `${found.issue.path}: ${found.issue.issue}` }] : [];
  });
  const erased = [...gone].map(
    ({ number, raw }): BadRow => ({ number, raw, issues: 'identifiers: the person was erased' }),
  );
  const bad = [...judged.filter((row): row is BadRow => 'issues' in row), ...refused, ...erased].sort(
    (a, b) => a.number - b.number,
  );
  await storeErrors(t, operation, header, bad);
  const children = bad.map(({ number, issues }) => ({
    position: number,
    ref: `row ${number}`,
    state: 'FAILED' as const,
    error: { code: 'VALIDATION_ERROR' as const, message: issues },
  }));
  return {
    counts: { ...countOutcomes(resolved), consents },
    done: { done: judged.length, failed: bad.length, children },
  };
}

function countOutcomes(resolved: Resolved[]): Omit<Counts, 'consents'> {
  const counts = { created: 0, updated: 0, unchanged: 0, conflicts: 0 };
  for (const found of resolved) {
    if ('issue' in found) continue;
    counts[found.outcome] += 1;
    if (found.conflictsWith.length > 0) counts.conflicts += 1;
  }
  return counts;
}

const addCounts = (a: Counts, b: Counts): Counts => ({
  created: a.created + b.created,
  updated: a.updated + b.updated,
  unchanged: a.unchanged + b.unchanged,
  conflicts: a.conflicts + b.conflicts,
  consents: a.consents + b.consents,
});

/** The refused rows as they came, each with its reason, to be corrected and sent again. */
async function storeErrors(
  t: TenantTx,
  { sid }: Importing,
  header: string[] | null,
  bad: BadRow[],
): Promise<void> {
  if (bad.length === 0) return;
  const columns = header?.filter((name) => name !== 'row' && name !== 'error');
  const kept = header?.flatMap((name, i) => (name === 'row' || name === 'error' ? [] : [i]));
  if (!(await findFile(t, sid, 'errors'))) {
    await createFile(t, sid, 'errors', 'csv');
    await appendPart(t, sid, 'errors', 0, Buffer.from(csvLine(['row', 'error', ...(columns ?? ['line'])])));
  }
  const lines = bad.map(({ number, issues, raw }) => {
    const cells =
      'cells' in raw ? kept!.map((i) => raw.cells[i] ?? '') : ['json' in raw ? raw.json.toString() : ''];
    return csvLine([String(number), issues, ...cells]);
  });
  await appendPart(t, sid, 'errors', bad[0]!.number, Buffer.from(lines.join('')));
}

async function resultOf(
  t: TenantTx,
  sid: string,
  { total, counts }: Checkpoint,
  dryRun: boolean,
): Promise<object> {
  const errors = await findFile(t, sid, 'errors');
  const url = `/v1/accounts/${t.accountSid}/contacts/imports/${sid}/errors`;
  return { dryRun, rows: total, ...counts, errors: errors && { url, expiresAt: errors.expiresAt } };
}
