// Proves the documents: that each is what was hashed, follows from the one before it, is numbered without a gap, and looks
// as it did.
import type { Database, Tenant } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { sha256 } from '../../../platform/hashing.ts';
import type { BillingDocument, DocumentKind } from '../document.ts';
import { renderer, renderPdf } from '../pdf/render-pdf.ts';
import { chainStart, type Head } from './chain.ts';
import { numberOf } from './numbers.ts';

export type DocumentsReport = Tenant & {
  documents: number;
  /** Whose PDF is still to be drawn. */
  undrawn: number;
  broken: null | { sequence: string; reason: string };
};

type Row = {
  sequence: string;
  kind: DocumentKind;
  subject: string;
  number: string;
  issuedAt: string;
  json: string;
  sha256: Buffer;
  previousSha256: Buffer;
  pdf: Buffer | null;
  pdfSha256: Buffer | null;
  renderer: string | null;
};

const batch = 50;

export async function* verifyDocuments(
  database: Database,
  accountSid?: string,
): AsyncGenerator<DocumentsReport> {
  for (const { chain, head, given } of await findChains(database, accountSid))
    yield verifyChain(database, chain, head, given);
}

/** How many numbers were given in each series. */
type Given = Partial<Record<DocumentKind, string>>;

/** Chains are found by their heads and by their documents: a removed head must not hide a chain. */
async function findChains(database: Database, accountSid?: string) {
  const rows = await database.system((s) =>
    s.many<Tenant & { sequence: string | null; sha256: Buffer | null; given: Given | null }>(sql`
      select chain.account_sid as "accountSid", chain.livemode, chain.sequence, chain.sha256,
        (select json_object_agg(n.series, n.last_number::text) from billing_document_numbers n
          where n.account_sid = chain.account_sid and n.livemode = chain.livemode) as given
        from (select * from billing_document_heads h
          full join (select distinct account_sid, livemode from billing_documents) d using (account_sid, livemode)) as chain
       where ${accountSid ?? null}::text is null or chain.account_sid = ${accountSid ?? null}
       order by 1, 2`),
  );
  return rows.map(({ sequence, sha256: hash, given, ...chain }) => ({
    chain,
    given: given ?? {},
    head: sequence === null || hash === null ? null : { sequence, sha256: hash },
  }));
}

type Progress = { last: Head; counts: Map<DocumentKind, bigint>; undrawn: number };

/** Up to the head as it was read before: what is issued meanwhile belongs to the next proof. */
async function verifyChain(
  database: Database,
  chain: Tenant,
  head: Head | null,
  given: Given,
): Promise<DocumentsReport> {
  const progress: Progress = {
    last: { sequence: '0', sha256: chainStart },
    counts: new Map(),
    undrawn: 0,
  };
  const report = (broken: DocumentsReport['broken']) => ({
    ...chain,
    documents: Number(progress.last.sequence),
    undrawn: progress.undrawn,
    broken,
  });
  for (;;) {
    const rows = await readDocuments(database, chain, progress.last.sequence, head);
    for (const row of rows) {
      const reason = await faultOf(chain, row, progress);
      if (reason) return report({ sequence: row.sequence, reason });
      progress.last = { sequence: row.sequence, sha256: row.sha256 };
      if (row.pdf === null) progress.undrawn += 1;
    }
    if (rows.length < batch) break;
  }
  const { sequence } = progress.last;
  const reason = headFault(progress.last, head) ?? countFault(given, progress.counts);
  return report(reason === null ? null : { sequence, reason });
}

function readDocuments(database: Database, chain: Tenant, after: string, head: Head | null): Promise<Row[]> {
  const until = head?.sequence ?? null;
  return database.system((s) =>
    s.many<Row>(sql`
      select d.sequence, d.kind, d.subject, d.number, d.issued_at as "issuedAt", d.json, d.sha256,
        d.previous_sha256 as "previousSha256", p.pdf, p.sha256 as "pdfSha256", p.renderer
        from billing_documents d left join billing_document_pdfs p using (account_sid, livemode, sequence)
       where d.account_sid = ${chain.accountSid} and d.livemode = ${chain.livemode} and d.sequence > ${after}
         and (${until}::bigint is null or d.sequence <= ${until}::bigint)
       order by d.sequence limit ${batch}`),
  );
}

/** What is wrong with a document; null when nothing is. */
async function faultOf(chain: Tenant, row: Row, { last, counts }: Progress): Promise<string | null> {
  const expected = BigInt(last.sequence) + 1n;
  if (BigInt(row.sequence) !== expected) return `document ${expected} is missing`;
  if (!row.previousSha256.equals(last.sha256)) return 'it does not follow from the document before it';
  if (!sha256(row.json).equals(row.sha256)) return 'its content was changed';
  const column = disagreement(chain, row);
  if (column) return `its ${column} is not the one in its JSON`;
  const count = (counts.get(row.kind) ?? 0n) + 1n;
  counts.set(row.kind, count);
  const number = numberOf(chain, row.kind, String(count));
  if (row.number !== number) return `its number is ${row.number}, and should be ${number}`;
  return pdfFault(row);
}

/** The columns repeat of the JSON what is searched by; the first that says something else. */
function disagreement(chain: Tenant, row: Row): string | undefined {
  const document = JSON.parse(row.json) as BillingDocument;
  const stored: Partial<BillingDocument> = {
    accountSid: chain.accountSid,
    livemode: chain.livemode,
    sequence: Number(row.sequence),
    kind: row.kind,
    subject: row.subject,
    number: row.number,
    issuedAt: row.issuedAt,
    previousSha256: row.previousSha256.toString('hex'),
  };
  const names = Object.keys(stored) as (keyof BillingDocument)[];
  return names.find((name) => stored[name] !== document[name]);
}

/** One that another version of the service has drawn can only be held against its own hash. */
async function pdfFault({ json, pdf, pdfSha256, renderer: drawnBy }: Row): Promise<string | null> {
  if (pdf === null || pdfSha256 === null) return null;
  if (!sha256(pdf).equals(pdfSha256)) return 'its PDF was changed';
  if (drawnBy !== renderer || pdf.equals(await renderPdf(json))) return null;
  return 'its PDF is not the one that follows from its JSON';
}

function headFault(last: Head, head: Head | null): string | null {
  if (!head) return 'the head of the chain is missing';
  if (last.sequence !== head.sequence) return `the head tells of ${head.sequence} documents`;
  return last.sha256.equals(head.sha256) ? null : 'it is not the document the head tells of';
}

/** A number that was given and stands on no document is a gap. */
function countFault(given: Given, counts: Map<DocumentKind, bigint>): string | null {
  for (const [series, last] of Object.entries(given) as [DocumentKind, string][]) {
    const found = counts.get(series) ?? 0n;
    if (BigInt(last) !== found)
      return `${last} numbers were given to ${found} documents of the kind ${series}`;
  }
  return null;
}
