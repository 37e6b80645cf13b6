import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import {
  sampleContent as content,
  issueSampleDocument as issue,
} from '../../../../test/harness/documents.ts';
import { runJob, write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { canonicalJson, sha256Hex } from '../../../platform/hashing.ts';
import type { DocumentKind } from '../document.ts';
import { documentOf, issueDocument } from './documents.ts';
import { renderDocument } from './jobs.ts';
import { nextNumber } from './numbers.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

type Account = { accountSid: string; livemode?: boolean };

const inAccount = <T>(account: Account, work: (t: TenantTx) => Promise<T>) =>
  write({ app, ...account }, work);

suite('numbers', () => {
  test('100 documents of two series issued at once are numbered 1 to 50 in each, and are one chain', async () => {
    const account = await app.newAccount();
    const kinds: DocumentKind[] = Array.from({ length: 50 }, () => ['receipt', 'invoice'] as const).flat();
    const issued = await Promise.all(kinds.map((kind) => inAccount(account, (t) => issue(t, kind))));
    const tail = account.accountSid.slice(-16);
    const upTo50 = Array.from({ length: 50 }, (_, at) => String(at + 1).padStart(6, '0'));
    assert.deepEqual(issued.map(({ number }) => number).sort(), [
      ...upTo50.map((count) => `TEST-${tail}-${count}`),
      ...upTo50.map((count) => `TEST-${tail}-RC-${count}`),
    ]);
    const bySequence = await app.sql<{ sha256: string; previous: string }>(
      `select encode(sha256, 'hex') as sha256, encode(previous_sha256, 'hex') as previous from billing_documents
        where account_sid = $1 order by sequence`,
      [account.accountSid],
    );
    assert.deepEqual(
      bySequence.map(({ previous }) => previous),
      [sha256Hex(''), ...bySequence.slice(0, -1).map(({ sha256 }) => sha256)],
    );
  });

  test('one that was taken by a transaction that failed is given to the next', async () => {
    const account = await app.newAccount();
    const failing = inAccount(account, async (t) => {
      await issue(t);
      throw new Error('on purpose');
    });
    await assert.rejects(failing, /on purpose/);
    assert.match((await inAccount(account, (t) => issue(t))).number, /-RC-000001$/);
  });

  test('every series, environment and account counts for itself', async () => {
    const [one, other] = [await app.newAccount(), await app.newAccount()];
    const kinds = ['invoice', 'credit_note', 'receipt', 'statement'] as const;
    const numbers = async (account: Account) => {
      const found: string[] = [];
      for (const kind of kinds) found.push((await inAccount(account, (t) => issue(t, kind))).number);
      return found;
    };
    const of = (prefix: string, { accountSid }: Account) =>
      ['', 'CN-', 'RC-', 'ST-'].map((mark) => `${prefix}-${accountSid.slice(-16)}-${mark}000001`);
    assert.deepEqual(await numbers(one), of('TEST', one));
    assert.deepEqual(await numbers({ ...one, livemode: true }), of('GW', one));
    assert.deepEqual(await numbers(other), of('TEST', other));
  });
});

suite('a document', () => {
  test('tells its canonical JSON, whose hash it is known by, and the same PDF before and after it was stored', async () => {
    const account = await app.newAccount();
    const { subject, number, sha256, early } = await inAccount(account, async (t) => {
      const made = await issue(t);
      return { ...made, early: await documentOf(t, { kind: 'receipt', subject: made.subject }) };
    });
    // A job may run again after a crash.
    for (const _ of [1, 2]) await runJob({ app, ...account }, renderDocument, { sequence: 1 });
    assert.equal(await app.count(`billing_document_pdfs where account_sid = '${account.accountSid}'`), 1);
    const stored = await inAccount(account, (t) => documentOf(t, { kind: 'receipt', subject }));
    assert.deepEqual(stored, early);
    const { json, pdfBase64, pdfSha256, previousSha256 } = stored!;
    const value = JSON.parse(json);
    assert.equal(canonicalJson(value), json);
    assert.equal(sha256Hex(json), sha256);
    assert.equal(sha256Hex(Buffer.from(pdfBase64, 'base64')), pdfSha256);
    assert.equal(previousSha256, sha256Hex(''));
    const { issuer: _, recipient, ...rest } = value;
    assert.deepEqual(rest, {
      ...content,
      version: 1,
      kind: 'receipt',
      number,
      subject,
      accountSid: account.accountSid,
      livemode: false,
      sequence: 1,
      issuedAt: app.clock.now().toISOString(),
      previousSha256,
    });
    assert.deepEqual(recipient.details.at(-1), account.accountSid);
  });

  test('is issued once for what it is about', async () => {
    const account = await app.newAccount();
    const { subject } = await inAccount(account, (t) => issue(t));
    const again = inAccount(account, async (t) => {
      const number = await nextNumber(t, 'receipt');
      return issueDocument(t, { kind: 'receipt', subject, number, content });
    });
    await assert.rejects(again, /billing_documents_account_sid_livemode_kind_subject_key/);
  });

  test('of another account or environment is not there, and cannot be changed by anybody', async () => {
    const [account, other] = [await app.newAccount(), await app.newAccount()];
    const { subject } = await inAccount(account, (t) => issue(t));
    for (const place of [other, { ...account, livemode: true }])
      assert.equal(await inAccount(place, (t) => documentOf(t, { kind: 'receipt', subject })), null);
    for (const change of ["update billing_documents set json = '{}'", 'delete from billing_documents'])
      await assert.rejects(app.sql(change), /append/i);
  });
});
