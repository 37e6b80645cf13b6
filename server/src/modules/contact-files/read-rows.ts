// A file as rows. What is wrong with one row is told with that row; what makes everything after it doubtful, such as a
// quote that never closes, ends the reading.
import { Readable } from 'node:stream';
import type { CsvError } from 'csv-parse';
import { ApiError } from '../../platform/errors/errors.ts';

export type RawRow = {
  /** Counted from 1, the header apart. */
  number: number;
  /** Where the next row begins. */
  endByte: number;
} & ({ cells: string[] } | { json: Buffer } | { issue: string });

const maxRowBytes = 256 * 1024;
export const maxRowKiB = maxRowBytes / 1024;

export const unreadable = (message: string) => new ApiError('VALIDATION_ERROR', { message });

type Place = { byte: number; number: number };
type Source = AsyncIterable<Buffer>;

type Parsed = { record: string[]; info: { bytes: number; lines: number } };

/** The rows of a CSV file from a place on. At the beginning of the file the first is its header. */
export async function* readCsv(source: Source, from: Place): AsyncGenerator<RawRow & { cells: string[] }> {
  let { number } = from;
  for await (const { record, info } of parseCsv(source, from.byte)) {
    yield { number, endByte: from.byte + info.bytes, cells: record };
    number += 1;
  }
}

/** `line` is where it ends: a quoted cell may go over several. */
export type CsvLine = { cells: string[]; line: number };

/** A whole CSV file, each row with its place in the file as people count it. */
export async function* readCsvLines(source: Source): AsyncGenerator<CsvLine> {
  for await (const { record, info } of parseCsv(source, 0)) yield { cells: record, line: info.lines };
}

async function* parseCsv(source: Source, fromByte: number): AsyncGenerator<Parsed> {
  const { parse } = await import('csv-parse'); // with the first file
  const parser = parse({
    bom: fromByte === 0,
    info: true,
    skip_empty_lines: true,
    // A row with too many or too few cells is an error of that row alone.
    relax_column_count: true,
    max_record_size: maxRowBytes,
  });
  const input = Readable.from(source);
  // An error of the source ends the parser; the parser's own is thrown by its iterator.
  input.on('error', (error) => parser.destroy(error));
  input.pipe(parser);
  try {
    yield* parser as AsyncIterable<Parsed>;
  } catch (error) {
    throw explain(error as CsvError);
  } finally {
    input.destroy();
    parser.destroy();
  }
}

const issues: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'a quoted cell goes on after its closing quote',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'a quoted cell goes on after its closing quote',
  INVALID_OPENING_QUOTE: 'a quote stands in the middle of a cell that is not quoted',
  CSV_MAX_RECORD_SIZE: `a row is longer than ${maxRowKiB} KiB`,
};

function explain(error: CsvError & { lines?: number }): unknown {
  const issue = issues[error.code];
  return issue ? unreadable(`Line ${error.lines ?? '?'}: ${issue}.`) : error;
}

const newline = 0x0a;

/** The lines of an NDJSON file from a place on. A line that is too long is passed over without being kept. */
export async function* readLines(source: Source, from: Place): AsyncGenerator<RawRow> {
  let { byte, number } = from;
  let pieces: Buffer[] = [];
  let length = 0;
  const take = function* (end: number): Generator<RawRow> {
    const line = length > maxRowBytes ? null : Buffer.concat(pieces);
    byte = end;
    pieces = [];
    length = 0;
    if (line !== null && isBlank(line)) return;
    const row = { number, endByte: byte };
    number += 1;
    yield line === null ? { ...row, issue: `is longer than ${maxRowKiB} KiB` } : { ...row, json: line };
  };
  for await (const piece of source) {
    let at = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, at)) {
      keep(piece.subarray(at, end));
      at = end + 1;
      yield* take(byte + length + 1);
    }
    keep(piece.subarray(at));
  }
  if (length > 0) yield* take(byte + length);

  function keep(part: Buffer): void {
    length += part.length;
    if (length <= maxRowBytes) pieces.push(part);
    else pieces = [];
  }
}

const isBlank = (line: Buffer) => line.every((code) => code === 0x20 || code === 0x0d || code === 0x09);
