import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../platform/errors/errors.ts';
import { readHeader } from './columns.ts';
import { csvLine, readCell } from './csv.ts';
import { judgeRow } from './judge-row.ts';
import { type RawRow, readCsv, readLines } from './read-rows.ts';

/** Cut anywhere, as a network or a disk would. */
async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all(rows: AsyncIterable<RawRow>): Promise<RawRow[]> {
  const found: RawRow[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

const start = { byte: 0, number: 0 };
const cell = fc.string({
  unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r\n', '=', "'", '+', ' ', '😀'),
  maxLength: 8,
});
const table = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 12 });

suite('rows of CSV', () => {
  test('are what was written, however the file is cut, with or without a byte order mark', async () => {
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (cells, size, mark) => {
        const bytes = Buffer.from((mark ? '\ufeff' : '') + cells.map(csvLine).join(''));
        const rows = await all(readCsv(cut(bytes, size), start));
        const read = rows.map((row) => ('cells' in row ? row.cells.map(readCell) : []));
        assert.deepEqual(read, cells);
        assert.equal(rows.at(-1)!.endByte, bytes.length);
      }),
      { numRuns: 500 },
    );
  });

  test('read from where any row ended are the rest, and no more', async () => {
    await fc.assert(
      fc.asyncProperty(table, fc.boolean(), fc.nat(), async (cells, mark, where) => {
        const bytes = Buffer.from((mark ? '\ufeff' : '') + cells.map(csvLine).join(''));
        const rows = await all(readCsv(cut(bytes, 7), start));
        const at = where % rows.length;
        const { endByte, number } = rows[at]!;
        const rest = await all(
          readCsv(cut(bytes.subarray(endByte), 7), { byte: endByte, number: number + 1 }),
        );
        assert.deepEqual(rest, rows.slice(at + 1));
      }),
      { numRuns: 500 },
    );
  });

  test('of any bytes at all end in rows, in errors of rows, or in one error of the file that says why', async () => {
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc
        .array(
          fc.constantFrom(
            'phone',
            'displayName',
            ',',
            '"',
            '\r',
            '\n',
            '\ufeff',
            '\0',
            '\ufffd',
            'x',
            '+33612345678',
          ),
          { maxLength: 60 },
        )
        .map((words) => Buffer.from(words.join(''))),
    );
    await fc.assert(
      fc.asyncProperty(anything, fc.integer({ min: 1, max: 50 }), async (bytes, size) => {
        const input = { format: 'csv' as const };
        try {
          const [header, ...rows] = await all(readCsv(cut(bytes, size), start));
          const columns = header && 'cells' in header ? readHeader(header.cells) : null;
          for (const raw of rows) {
            const judged = judgeRow(raw, { columns, input, now: new Date('2026-08-21T10:00:00Z') });
            assert.ok('entry' in judged || judged.issues.length > 0);
          }
        } catch (error) {
          assert.ok(error instanceof ApiError, String((error as Error).stack));
          assert.match(error.message, /^(Line|The header) /);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('a line of 100 MB is refused after a few hundred KiB of it', async () => {
    let given = 0;
    const endless = async function* () {
      yield Buffer.from('phone\n');
      for (; given < 100; given += 1) yield Buffer.alloc(1024 * 1024, 0x78);
    };
    await assert.rejects(all(readCsv(endless(), start)), /longer than 256 KiB/);
    assert.ok(given < 5, `${given} MiB were read`);
  });

  test('a header of a million columns is refused', async () => {
    const bytes = Buffer.from(`phone${',x'.repeat(1_000_000)}\n`);
    await assert.rejects(all(readCsv(cut(bytes, 65_536), start)), /longer than 256 KiB/);
  });
});

suite('lines of NDJSON', () => {
  test('are split alike however the file is cut, and can be resumed after any of them', async () => {
    const line = fc.string({ unit: fc.constantFrom('{', '}', '"', 'é', ' ', 'x'), maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 10 }),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(),
        async (lines, size, where) => {
          const bytes = Buffer.from(lines.join('\n'));
          const rows = await all(readLines(cut(bytes, size), { byte: 0, number: 1 }));
          const texts = rows.map((row) => ('json' in row ? row.json.toString() : null));
          assert.deepEqual(
            texts,
            lines.filter((text) => text.trim() !== ''),
          );
          if (rows.length === 0) return;
          const { endByte, number } = rows[where % rows.length]!;
          const rest = await all(
            readLines(cut(bytes.subarray(endByte), size), { byte: endByte, number: number + 1 }),
          );
          assert.deepEqual(rest, rows.slice((where % rows.length) + 1));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('one of 100 MB is an error of that line, and is not kept', async () => {
    const bytes = async function* () {
      for (let i = 0; i < 100; i += 1) yield Buffer.alloc(1024 * 1024, 0x78);
      yield Buffer.from('\n{}');
    };
    const rows = await all(readLines(bytes(), { byte: 0, number: 1 }));
    assert.deepEqual(
      rows.map((row) => ('issue' in row ? row.issue : 'json' in row && row.json.toString())),
      ['is longer than 256 KiB', '{}'],
    );
  });
});
