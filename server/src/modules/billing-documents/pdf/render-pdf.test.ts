import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readPdf } from '../../../../test/harness/pdf.ts';
import { canonicalJson, sha256Hex } from '../../../platform/hashing.ts';
import type { BillingDocument, DocumentTable } from '../document.ts';
import { renderer, renderPdf } from './render-pdf.ts';

const dollars = (amountMinor: string) => ({ amountMinor, currency: 'USD', scale: 2 });

const lines: DocumentTable = {
  title: 'Usage',
  columns: [
    { key: 'description', label: 'Description', share: 4 },
    { key: 'quantity', label: 'Quantity', align: 'right' },
    { key: 'amount', label: 'Amount', align: 'right' },
  ],
  rows: [
    { description: 'Marketing messages to France', quantity: 1000, amount: dollars('2500') },
    { description: 'Service messages to France', quantity: 3, amount: null },
  ],
};

const invoice: BillingDocument = {
  version: 1,
  kind: 'invoice',
  number: 'GW-0123456789ABCDEF-000007',
  subject: 'IN01K3SAMP1E00000000000000',
  accountSid: 'AC01K3SAMP1E00000000000000',
  livemode: true,
  sequence: 7,
  issuedAt: '2026-08-21T10:00:00.000Z',
  issuer: { name: 'Operator SAS', details: ['1 rue de la Paix', 'VAT FR00123456789'] },
  recipient: { name: 'Customer Ltd', details: ['GB'] },
  facts: [{ label: 'Period', value: '2026-07-01 to 2026-08-01' }],
  tables: [lines],
  totals: [
    { label: 'Net', amount: dollars('2500') },
    { label: 'VAT 20 %', amount: dollars('500') },
    { label: 'Total', amount: dollars('3000') },
  ],
  notes: ['Payable within 30 days.'],
  previousSha256: 'ab'.repeat(32),
};

const render = (changes: Partial<BillingDocument> = {}) =>
  renderPdf(canonicalJson({ ...invoice, ...changes }));

suite('a PDF', () => {
  test('says all that its JSON says, and names its hash', async () => {
    const json = canonicalJson(invoice);
    const { text, info, active } = await readPdf(await renderPdf(json));
    const said = [
      'Invoice',
      ...[invoice.number, invoice.issuedAt, invoice.subject],
      ...[invoice.issuer, invoice.recipient].flatMap(({ name, details }) => [name, ...details]),
      ...['Period', '2026-07-01 to 2026-08-01'],
      ...['Usage', 'Description', 'Quantity', 'Amount'],
      ...['Marketing messages to France', '1000', '25.00 USD', 'Service messages to France', '3'],
      ...['Net', '25.00 USD', 'VAT 20 %', '5.00 USD', 'Total', '30.00 USD'],
      'Payable within 30 days.',
      `Document 7 of this account. SHA-256 of its JSON: ${sha256Hex(json)}`,
      `SHA-256 of the document before it: ${invoice.previousSha256}`,
      'Page 1 of 1',
    ];
    const pieces = text.split('\n');
    for (const words of said) assert.ok(pieces.includes(words), `${words} is missing in\n${text}`);
    assert.equal(info.CreationDate, 'D:20260821100000Z');
    assert.equal(info.Title, `Invoice ${invoice.number}`);
    assert.equal(active, 0);
  });

  test('of the sandbox says on its face that nothing is owed, and a live one does not', async () => {
    const warning = /Sandbox: a test document/;
    assert.match((await readPdf(await render({ livemode: false }))).text, warning);
    assert.doesNotMatch((await readPdf(await render())).text, warning);
  });

  test('is the same byte for byte, also beside others, for each kind', async () => {
    const kinds = ['receipt', 'statement', 'invoice', 'credit_note'] as const;
    const [first, second] = [
      await Promise.all(kinds.map((kind) => render({ kind }))),
      await Promise.all(kinds.toReversed().map((kind) => render({ kind }))),
    ];
    assert.deepEqual(first.map(sha256Hex), second.toReversed().map(sha256Hex));
    assert.equal(new Set(first.map(sha256Hex)).size, kinds.length);
  });

  test('has the bytes it has always had: whoever changes them gives the way of drawing a new name', async () => {
    assert.deepEqual([renderer, sha256Hex(await render())], ['layout 1', pinned]);
  });

  test('changes with every member of the JSON', async () => {
    const before = sha256Hex(await render());
    const changes: Partial<BillingDocument>[] = [
      { issuedAt: '2026-08-21T10:00:01.000Z' },
      { previousSha256: 'cd'.repeat(32) },
      { facts: [] },
      { notes: [] },
      { recipient: { name: 'Customer Ltd', details: ['FR'] } },
    ];
    for (const change of changes)
      assert.notEqual(sha256Hex(await render(change)), before, JSON.stringify(change));
  });
});

suite('hostile text', () => {
  const shownAs: [string, string][] = [
    ['<script>alert(1)</script><b>&amp;', '<script>alert(1)</script><b>&amp;'],
    ['=HYPERLINK("http://evil.example")', '=HYPERLINK("http://evil.example")'],
    ['(Tj) ET Q \\) endstream', '(Tj) ET Q \\) endstream'],
    ['pay \u202e00.1 DSU\u202c now', 'pay [U+202E]00.1 DSU[U+202C] now'],
    ['a\u200fb\u061cc\u2066d\u2069\u200ee', 'a[U+200F]b[U+061C]c[U+2066]d[U+2069][U+200E]e'],
    ['zero\u200bwidth\u00adhyphen\ufeff', 'zero[U+200B]width[U+00AD]hyphen[U+FEFF]'],
    ['party \u{1f389}', 'party [U+1F389]'],
    ['Жуковский, Ελλάδα, Łódź, Việt', 'Жуковский, Ελλάδα, Łódź, Việt'],
    ['שלום', '[U+05E9][U+05DC][U+05D5][U+05DD]'],
    ['two\r\nlines\tand\u2028more\u00a0  spaces', 'two lines and more spaces'],
    ['\u0007bell\u001b[31m', '[U+0007]bell[U+001B][31m'],
    // A heap of marks on one letter would run over the lines around it.
    [`a${'\u0301'.repeat(6)}b`, `a${'\u0301'.repeat(3)}${'[U+0301]'.repeat(3)}b`],
  ];
  test('appears as plain text, from left to right: markup, formulas, marks of direction, what has no shape', async () => {
    const rows = shownAs.map(([description]) => ({ description, quantity: 1, amount: dollars('100') }));
    const { text, active } = await readPdf(await render({ tables: [{ ...lines, rows }] }));
    const pieces = text.split('\n');
    for (const [, shown] of shownAs) assert.ok(pieces.includes(shown), `${shown} is missing in\n${text}`);
    assert.equal(active, 0);
  });

  test('a word longer than the line, and a cell longer than a sheet, go on and lose nothing', async () => {
    const word = Array.from({ length: 4000 }, (_, at) => String.fromCharCode(97 + (at % 26))).join('');
    const rows = [
      { description: word, quantity: 1, amount: dollars('100') },
      { description: 'after it', quantity: 2, amount: dollars('200') },
    ];
    const { pages } = await readPdf(await render({ tables: [{ ...lines, rows }] }));
    assert.ok(pages.length > 1);
    const pieces = pages.flat().filter(({ text }) => /^[a-z]{40,}$/.test(text) || word.endsWith(text));
    assert.equal(pieces.map(({ text }) => text).join(''), word);
    assert.ok(pages.flat().every(({ x, y }) => x >= 47 && x < 548 && y > 40));
    assert.ok(pages.flat().some(({ text }) => text === 'after it'));
  });

  test('a name of 200 characters in every place stays on the sheet', async () => {
    const name = 'Ж'.repeat(200);
    const party = { name, details: [name, name] };
    const { pages, text } = await readPdf(
      await render({
        issuer: party,
        recipient: party,
        facts: [{ label: name, value: name }],
        totals: [{ label: name, amount: dollars('1') }],
      }),
    );
    assert.equal(text.replaceAll(/[^Ж]/g, '').length, 9 * 200);
    assert.ok(pages.flat().every(({ x, y }) => x >= 47 && x < 548 && y > 40));
  });
});

test('a long table goes on overleaf: every row once, the heads of the columns and the number on every sheet', async () => {
  const rows = Array.from({ length: 300 }, (_, at) => ({
    description: `Line ${at}`,
    quantity: at,
    amount: dollars(String(at)),
  }));
  const tables = [{ ...lines, rows }];
  // Both at once: each is drawn a stretch at a time, so that nobody else has to wait for it.
  const [pdf, other] = await Promise.all([render({ tables }), render({ tables })]);
  assert.ok(pdf.equals(other));
  const { pages } = await readPdf(pdf);
  assert.ok(pages.length > 5);
  const described = pages.flat().flatMap(({ text }) => (text.startsWith('Line ') ? [text] : []));
  assert.deepEqual(
    described,
    rows.map(({ description }) => description),
  );
  for (const [at, page] of pages.entries()) {
    const words = page.map(({ text }) => text);
    assert.ok(words.includes(`Page ${at + 1} of ${pages.length}`));
    assert.ok(words.includes(`Invoice ${invoice.number}`));
    if (words.some((text) => text.startsWith('Line '))) assert.ok(words.includes('Description'));
  }
});

const pinned = 'b25c5f235d11496000b6e5cf2b2cfcc5dc598d0a99eeddda5ff3223590b000ea';
