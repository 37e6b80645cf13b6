import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { issueSampleDocument } from '../../../../test/harness/documents.ts';
import { runJob, write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { proveDocuments } from '../../../main/commands/billing/documents.ts';
import { renderDocument } from './jobs.ts';
import { type DocumentsReport, verifyDocuments } from './verify-documents.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { wrongBooks: true });
});

/** An account with three documents, the first two of which were drawn. */
async function story(): Promise<string> {
  const { accountSid } = await app.newAccount();
  for (const kind of ['receipt', 'invoice', 'receipt'] as const)
    await write({ app, accountSid }, (t) => issueSampleDocument(t, kind));
  for (const sequence of [1, 2]) await runJob({ app, accountSid }, renderDocument, { sequence });
  return accountSid;
}

async function reportsOf(accountSid: string): Promise<DocumentsReport[]> {
  const all: DocumentsReport[] = [];
  for await (const report of verifyDocuments(app.database, accountSid)) all.push(report);
  return all;
}

test('what was issued is proven, and what is still to be drawn is told', async () => {
  const accountSid = await story();
  assert.deepEqual(await reportsOf(accountSid), [
    { accountSid, livemode: false, documents: 3, undrawn: 1, broken: null },
  ]);
  const said: string[] = [];
  assert.equal(await proveDocuments(app.database, accountSid, (text) => said.push(text)), true);
  assert.deepEqual(said, ['Every document is as it was issued (3 documents, 1 still without a PDF).']);
});

/** Past every trigger and right: what somebody with the disk in hand could do. */
async function tamper(statement: string, values: unknown[]): Promise<void> {
  await app.sql(
    `do $$ begin set local session_replication_role = replica; execute ${literal(statement, values)}; end $$`,
  );
}

const literal = (statement: string, values: unknown[]) =>
  `'${statement.replaceAll(/\$(\d)/g, (_whole, at) => `'${values[Number(at) - 1]}'`).replaceAll("'", "''")}'`;

suite('a planted error is found', () => {
  const of = 'account_sid = $1';
  const planted: [string, string, RegExp][] = [
    [
      'a changed JSON',
      `update billing_documents set json = replace(json, '2500', '2400') where ${of} and sequence = 2`,
      /^2: its content was changed/,
    ],
    [
      'a changed JSON with its hash made anew',
      `update billing_documents set json = replace(json, '2500', '2400'),
         sha256 = sha256(convert_to(replace(json, '2500', '2400'), 'UTF8')) where ${of} and sequence = 2`,
      /^2: its PDF is not the one|^3: it does not follow/,
    ],
    [
      'a removed document',
      `delete from billing_documents where ${of} and sequence = 2`,
      /^3: document 2 is missing/,
    ],
    [
      'a removed last document',
      `delete from billing_documents where ${of} and sequence = 3`,
      /^2: the head tells of 3 documents/,
    ],
    [
      'a removed head',
      `delete from billing_document_heads where ${of}`,
      /^3: the head of the chain is missing/,
    ],
    [
      'a changed subject',
      `update billing_documents set subject = 'X' where ${of} and sequence = 1`,
      /^1: its subject is not the one in its JSON/,
    ],
    [
      'a changed time',
      `update billing_documents set issued_at = issued_at + interval '1 s' where ${of} and sequence = 1`,
      /^1: its issuedAt/,
    ],
    [
      'a changed number',
      `update billing_documents set number = 'X' where ${of} and sequence = 1`,
      /^1: its number is not the one in its JSON/,
    ],
    [
      'a number given twice over',
      `update billing_document_numbers set last_number = 5 where ${of} and series = 'receipt'`,
      /^3: 5 numbers were given to 2 documents/,
    ],
    [
      'a changed PDF',
      `update billing_document_pdfs set pdf = pdf || 'x'::bytea where ${of} and sequence = 1`,
      /^1: its PDF was changed/,
    ],
    [
      'a changed PDF with its hash made anew',
      `update billing_document_pdfs set pdf = pdf || 'x'::bytea, sha256 = sha256(pdf || 'x'::bytea) where ${of} and sequence = 1`,
      /^1: its PDF is not the one that follows from its JSON/,
    ],
  ];
  for (const [what, statement, reason] of planted) {
    test(`${what}`, async () => {
      const accountSid = await story();
      await tamper(statement, [accountSid]);
      const [{ broken }] = (await reportsOf(accountSid)) as [DocumentsReport];
      assert.match(`${broken?.sequence}: ${broken?.reason}`, reason);
      const said: string[] = [];
      assert.equal(await proveDocuments(app.database, accountSid, (text) => said.push(text)), false);
      assert.equal(said.at(-1), '1 chain is broken.');
    });
  }

  test('and the chain of another account is not its affair', async () => {
    const [broken, whole] = [await story(), await story()];
    await tamper(`delete from billing_document_heads where ${of}`, [broken]);
    assert.equal((await reportsOf(whole))[0]!.broken, null);
  });
});
