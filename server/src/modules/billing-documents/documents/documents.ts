// Documents are issued once and never changed. The JSON and its hash are written by the transaction that issues; the PDF
// follows from the JSON alone, and is made by a job, so that nobody waits for it with a wallet locked.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { canonicalJson, sha256 } from '../../../platform/hashing.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import type { MoneyWire } from '../../../platform/money.ts';
import { operatorParty, type Party, partyOf } from '../../accounts/index.ts';
import type { BillingDocument, DocumentContent, DocumentKind } from '../document.ts';
import { renderPdf } from '../pdf/render-pdf.ts';
import { lockHead, moveHead } from './chain.ts';
import { renderDocument } from './jobs.ts';
import type { DocumentResource } from './schema.ts';

/** What a document is about: the SID of a receipt, statement or invoice, the id of a credit note. */
export type Subject = { kind: DocumentKind; subject: string };

export type NewDocument = Subject & {
  /** From `nextNumber`, which has also taken the lock this needs. */
  number: string;
  content: DocumentContent;
};

export type Issued = { sha256: string; previousSha256: string; issuedAt: string };

export async function issueDocument(
  t: TenantTx,
  { kind, subject, number, content }: NewDocument,
): Promise<Issued> {
  const head = await lockHead(t);
  const sequence = Number(head.sequence) + 1;
  const previousSha256 = head.sha256.toString('hex');
  const issuedAt = t.now.toISOString();
  const [issuer, recipient] = await Promise.all([operatorParty(t), recipientOf(t)]);
  const { facts, tables, totals, notes } = content;
  const document: BillingDocument = {
    version: 1,
    kind,
    number,
    subject,
    accountSid: t.accountSid,
    livemode: t.livemode,
    sequence,
    issuedAt,
    issuer,
    recipient,
    facts,
    tables,
    totals,
    ...(notes && { notes }),
    previousSha256,
  };
  const json = canonicalJson(document);
  const hash = sha256(json);
  await t.run(sql`
    with issued as (
      insert into billing_documents (account_sid, livemode, sequence, kind, subject, number, issued_at, json, sha256,
        previous_sha256)
      values (${t.accountSid}, ${t.livemode}, ${sequence}, ${kind}, ${subject}, ${number}, ${t.now}, ${json}, ${hash},
        ${head.sha256})
      returning account_sid, livemode, sequence, issued_at)
    insert into billing_documents_undrawn (account_sid, livemode, sequence, issued_at) select * from issued`);
  await moveHead(t, { sequence: String(sequence), sha256: hash });
  enqueue(t, renderDocument, { sequence });
  return { sha256: hash.toString('hex'), previousSha256, issuedAt };
}

async function recipientOf(t: TenantTx): Promise<Party> {
  const { name, details } = await partyOf(t, t.accountSid);
  return { name, details: [...details, t.accountSid] };
}

type Stored = {
  json: string;
  sha256: Buffer;
  previousSha256: Buffer;
  pdf: Buffer | null;
  pdfSha256: Buffer | null;
};

/** The document of a resource, as its `document` member; null where none was issued. */
export async function documentOf(t: TenantTx, of: Subject): Promise<DocumentResource | null> {
  const stored = await findDocument(t, of);
  if (!stored) return null;
  const pdf = await pdfOf(stored);
  return {
    json: stored.json,
    sha256: stored.sha256.toString('hex'),
    pdfSha256: (stored.pdfSha256 ?? sha256(pdf)).toString('hex'),
    previousSha256: stored.previousSha256.toString('hex'),
    pdfBase64: pdf.toString('base64'),
  };
}

export async function documentPdf(t: TenantTx, of: Subject): Promise<Buffer> {
  const stored = await findDocument(t, of);
  if (!stored) throw new ApiError('NOT_FOUND');
  return pdfOf(stored);
}

/** Whoever asks before the job has run does not wait for it: the same JSON gives the same bytes. */
const pdfOf = async ({ json, pdf }: Stored): Promise<Buffer> => pdf ?? (await renderPdf(json));

async function findDocument(t: TenantTx, { kind, subject }: Subject): Promise<Stored | undefined> {
  return t.maybe<Stored>(sql`
    select d.json, d.sha256, d.previous_sha256 as "previousSha256", p.pdf, p.sha256 as "pdfSha256"
      from billing_documents d
      left join billing_document_pdfs p using (account_sid, livemode, sequence)
     where d.account_sid = ${t.accountSid} and d.livemode = ${t.livemode} and d.kind = ${kind}
       and d.subject = ${subject}`);
}

export type ListedDocument = { kind: Exclude<DocumentKind, 'statement'>; number: string; total: MoneyWire };

/** What was issued in a stretch of time and in one currency, oldest first: what a statement names. */
export async function documentsBetween(
  t: TenantTx,
  currency: string,
  from: Date | null,
  to: Date,
): Promise<ListedDocument[]> {
  const rows = await t.many<Omit<ListedDocument, 'total'> & { totals: { amount: MoneyWire }[] }>(sql`
    select kind, number, json::json -> 'totals' as totals from billing_documents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and kind <> 'statement'
       and issued_at >= coalesce(${from}::timestamptz, '-infinity') and issued_at < ${to}
     order by sequence`);
  return rows
    .map(({ totals, ...row }) => ({ ...row, total: totals.at(-1)!.amount }))
    .filter(({ total }) => total.currency === currency);
}
