// What a document says: the JSON that is hashed, and from which alone the PDF is drawn.
import type { MoneyWire } from '../../platform/money.ts';
import type { Party } from '../accounts/index.ts';

export type DocumentKind = 'receipt' | 'statement' | 'invoice' | 'credit_note';

/** What a cell shows: text, a count, an amount, or nothing. */
export type Cell = string | number | MoneyWire | null;

export type DocumentTable = {
  title: string;
  /** `share` is the part of the width it gets, beside the others; 1 unless told. */
  columns: { key: string; label: string; align?: 'right'; share?: number }[];
  rows: Record<string, Cell>[];
};

/** What a document says, beside what every document says. Plain JSON: this is what is hashed, and what the PDF shows. */
export type DocumentContent = {
  /** Short facts below the title, such as a period or when it is due. */
  facts: { label: string; value: Cell }[];
  tables: DocumentTable[];
  /** At the end, one below the other; the last is the one that counts. */
  totals: { label: string; amount: MoneyWire }[];
  notes?: string[];
};

/** The whole document, as it is hashed. */
export type BillingDocument = DocumentContent & {
  version: 1;
  kind: DocumentKind;
  number: string;
  subject: string;
  accountSid: string;
  livemode: boolean;
  /** Its place among the documents of the account and environment. */
  sequence: number;
  issuedAt: string;
  issuer: Party;
  recipient: Party;
  /** Of the document before it; of nothing, for the first. */
  previousSha256: string;
};
