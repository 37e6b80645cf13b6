// A document as people read it, from its JSON alone: the same JSON gives the same bytes.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sha256Hex } from '../../../platform/hashing.ts';
import { format, fromWire } from '../../../platform/money.ts';
import type { BillingDocument, Cell, DocumentKind, DocumentTable } from '../document.ts';
import { type Box, faint, type Line, Sheet, type Style, textWidth } from './sheet.ts';

/** Names this way of drawing. It is raised with every change that moves a byte, be it ours or the library's. */
export const renderer = 'layout 1';

const titles: Record<DocumentKind, string> = {
  receipt: 'Receipt',
  statement: 'Statement',
  invoice: 'Invoice',
  credit_note: 'Credit note',
};

export async function renderPdf(json: string): Promise<Buffer> {
  const document = JSON.parse(json) as BillingDocument;
  const title = titles[document.kind];
  const author = document.issuer.name;
  const sheet = new Sheet({
    title: `${title} ${document.number}`,
    author,
    drawnAt: new Date(document.issuedAt),
  });
  drawHead(sheet, title, document);
  drawParties(sheet, document);
  drawPairs(sheet, document.facts);
  for (const table of document.tables) await drawTable(sheet, table);
  drawTotals(sheet, document.totals);
  for (const note of document.notes ?? []) drawText(sheet, note);
  drawHashes(sheet, json, document);
  return sheet.finish((page, pages) => [
    ...sheet.lines(`${title} ${document.number}`, left, small).slice(0, 1),
    ...sheet.lines(`Page ${page} of ${pages}`, right, { ...small, align: 'right' }),
  ]);
}

const half = textWidth / 2 - 12;
const whole: Box = { at: 0, width: textWidth };
const left: Box = { at: 0, width: half };
const right: Box = { at: textWidth - half, width: half };
const small: Style = { size: 7.5, color: faint };
const label: Style = { color: faint };
const strong: Style = { strong: true };

function drawHead(sheet: Sheet, title: string, document: BillingDocument): void {
  drawLines(sheet, sheet.lines(title, whole, { size: 22, strong: true }));
  sheet.down(4);
  if (!document.livemode) {
    const warning = 'Sandbox: a test document about play money. Nothing is owed.';
    drawLines(sheet, sheet.lines(warning, whole, { strong: true, color: '#9a3412' }));
    sheet.down(8);
  }
  drawPairs(sheet, [
    { label: 'Number', value: document.number },
    { label: 'Issued', value: document.issuedAt },
    { label: 'Reference', value: document.subject },
  ]);
}

function drawParties(sheet: Sheet, { issuer, recipient }: BillingDocument): void {
  const column = (heading: string, { name, details }: BillingDocument['issuer'], box: Box) => [
    ...sheet.lines(heading, box, label),
    ...sheet.lines(name, box, strong),
    ...details.flatMap((line) => sheet.lines(line, box)),
  ];
  drawBeside(sheet, [column('From', issuer, left), column('To', recipient, right)]);
  sheet.down(12);
}

const pairLabel: Box = { at: 0, width: 110 };
const pairValue: Box = { at: 118, width: textWidth - 118 };

function drawPairs(sheet: Sheet, pairs: BillingDocument['facts']): void {
  for (const pair of pairs)
    drawBeside(sheet, [sheet.lines(pair.label, pairLabel, label), sheet.lines(shown(pair.value), pairValue)]);
  sheet.down(12);
}

// A long table must not keep everybody else of the process waiting.
const rowsATurn = 25;

/** A row may be longer than a sheet, so it goes on overleaf line by line; the heads of its columns are repeated there. */
async function drawTable(sheet: Sheet, { title, columns, rows }: DocumentTable): Promise<void> {
  const boxes = boxesOf(columns);
  const styleOf = (at: number): Style => ({ align: columns[at]!.align ?? 'left' });
  const heads = columns.map(({ label: text }, at) =>
    sheet.lines(text, boxes[at]!, { ...styleOf(at), strong: true, size: 8 }),
  );
  const drawHeads = () => {
    drawBeside(sheet, heads);
    sheet.rule();
    sheet.down(4);
  };
  const headHeight = 60;
  if (!sheet.fits(headHeight)) sheet.turn();
  drawLines(sheet, sheet.lines(title, whole, { strong: true, size: 11 }));
  sheet.down(2);
  drawHeads();
  for (const [number, row] of rows.entries()) {
    if (number % rowsATurn === rowsATurn - 1) await nextTurn();
    drawBeside(
      sheet,
      columns.map(({ key }, at) => sheet.lines(shown(row[key] ?? null), boxes[at]!, styleOf(at))),
      drawHeads,
    );
    sheet.down(2);
  }
  sheet.down(12);
}

const gap = 8;

function boxesOf(columns: DocumentTable['columns']): Box[] {
  const shares = columns.map(({ share = 1 }) => share);
  const sum = shares.reduce((total, share) => total + share, 0);
  let at = 0;
  return shares.map((share) => {
    const width = (textWidth * share) / sum;
    const box = { at, width: width - gap };
    at += width;
    return box;
  });
}

const totalLabel: Box = { at: textWidth - 280, width: 150 };
const totalAmount: Box = { at: textWidth - 122, width: 122 - gap };

function drawTotals(sheet: Sheet, totals: BillingDocument['totals']): void {
  for (const [at, { label: text, amount }] of totals.entries()) {
    const style = at === totals.length - 1 ? strong : {};
    drawBeside(sheet, [
      sheet.lines(text, totalLabel, style),
      sheet.lines(shown(amount), totalAmount, { ...style, align: 'right' }),
    ]);
  }
  sheet.down(12);
}

function drawText(sheet: Sheet, text: string): void {
  drawLines(sheet, sheet.lines(text, whole));
  sheet.down(4);
}

function drawHashes(sheet: Sheet, json: string, { previousSha256, sequence }: BillingDocument): void {
  if (!sheet.fits(60)) sheet.turn();
  sheet.down(8);
  sheet.rule();
  sheet.down(6);
  for (const text of [
    `Document ${sequence} of this account. SHA-256 of its JSON: ${sha256Hex(json)}`,
    `SHA-256 of the document before it: ${previousSha256}`,
  ])
    drawLines(sheet, sheet.lines(text, whole, small));
}

function drawLines(sheet: Sheet, lines: Line[]): void {
  drawBeside(sheet, [lines]);
}

const keptTogether = 8;

/** Columns of lines, side by side; `overleaf` is called at the top of every sheet it goes on to. */
function drawBeside(sheet: Sheet, columns: Line[][], overleaf?: () => void): void {
  const height = Math.max(...columns.flat().map(({ style }) => sheet.lineHeight(style)));
  const depth = Math.max(...columns.map((lines) => lines.length));
  if (depth <= keptTogether && !sheet.fits(height * depth)) {
    sheet.turn();
    overleaf?.();
  }
  for (let at = 0; at < depth; at += 1) {
    if (!sheet.fits(height)) {
      sheet.turn();
      overleaf?.();
    }
    sheet.put(columns.flatMap((lines) => lines[at] ?? []));
    sheet.down(height);
  }
}

function shown(value: Cell): string {
  if (value === null) return '';
  return typeof value === 'object' ? format(fromWire(value)) : String(value);
}
