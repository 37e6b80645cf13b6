// Credit notes: what of an invoice is not to be paid after all. What is still owed becomes less; what was paid becomes credit.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, type ErrorDetail, invalid } from '../../../platform/errors/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Part } from '../../../platform/http/operations/operation.ts';
import { newUuid } from '../../../platform/ids.ts';
import { format, money, toWire } from '../../../platform/money.ts';
import { principalName } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import { documentOf, issueDocument, nextNumber } from '../../billing-documents/index.ts';
import { renewLink } from '../collection/collect.ts';
import { lockWithPayments } from '../collection/lock-with-payments.ts';
import {
  changeInvoice,
  findInvoice,
  type InvoiceRow,
  outstandingOf,
  shownOutstanding,
} from '../invoices/invoices.ts';
import { type InvoiceState, wrongState } from '../invoices/states.ts';
import { addCredit } from '../settling/credits.ts';
import { closeIfPaid, moveForInvoice } from '../settling/payments.ts';
import { splitByPaid, taxOfCredit } from './credit-tax.ts';
import { creditNoteContent } from './document.ts';
import { creditNoteEvents } from './events.ts';
import type { CreditNote, CreditNoteWithDocument, NewCreditNote } from './schema.ts';

/** What is asked for, without the keys it is asked with. */
export type AskedCredit = Omit<NewCreditNote, 'idempotencyKey' | 'approvalSid'> & { invoiceSid: string };

/** Refuses what can never be, all at once, and then what cannot be now. */
export async function judgeCredit(t: TenantTx, asked: AskedCredit): Promise<void> {
  judgeAgainst(await findInvoice(t, asked.invoiceSid), asked);
}

const creditable: readonly InvoiceState[] = ['open', 'past_due', 'paid'];

const leftOf = (row: InvoiceRow) => row.netMinor - row.creditedNetMinor;

function judgeAgainst(row: InvoiceRow, asked: AskedCredit): void {
  const left = leftOf(row);
  const netMinor = BigInt(asked.amountMinor);
  const details = [...issuesOfUnits(row, asked), ...issuesOfTax(row, asked)];
  if (details.length > 0) throw invalid(...details);
  if (!creditable.includes(row.state)) throw wrongState(row.state, creditable, shownOutstanding(row));
  if (netMinor > left) {
    const message = `Of the invoice ${format(money(left, row.currency, row.scale))} net is not credited yet.`;
    throw new ApiError('CONFLICT', { message, details: [{ path: 'amountMinor', issue: `at most ${left}` }] });
  }
}

/** A note is in the units of its invoice. */
export const issuesOfUnits = (row: InvoiceRow, { currency, scale }: Part<AskedCredit>): ErrorDetail[] => [
  ...(currency === undefined || currency === row.currency
    ? []
    : [{ path: 'currency', issue: `must be ${row.currency}` }]),
  ...(scale === undefined || scale === row.scale ? [] : [{ path: 'scale', issue: `must be ${row.scale}` }]),
];

/** The tax follows from what is credited, if so much can be. */
export function issuesOfTax(row: InvoiceRow, { amountMinor, taxMinor }: Part<AskedCredit>): ErrorDetail[] {
  if (amountMinor === undefined || taxMinor === undefined || BigInt(amountMinor) > leftOf(row)) return [];
  const credited = { netMinor: row.creditedNetMinor, taxMinor: row.creditedTaxMinor };
  const expected = taxOfCredit(row, credited, BigInt(amountMinor));
  return BigInt(taxMinor) === expected ? [] : [{ path: 'taxMinor', issue: `must be ${expected}` }];
}

/** Makes the note, which somebody has agreed to. */
export async function creditInvoice(
  t: TenantTx,
  asked: AskedCredit,
  approvalSid: string,
): Promise<CreditNoteWithDocument> {
  const row = await lockWithPayments(t, asked.invoiceSid);
  judgeAgainst(row, asked);
  const number = await nextNumber(t, 'credit_note');
  const note = await storeNote(t, row, { number, asked, approvalSid });
  const content = creditNoteContent(note, row);
  await issueDocument(t, { kind: 'credit_note', subject: note.id, number, content });
  // Drawn before the wallet is locked.
  const document = (await documentOf(t, { kind: 'credit_note', subject: note.id }))!;
  await book(t, row, note);
  audit(t, {
    action: 'credit_note.created',
    resource: note.id,
    facts: {
      invoiceSid: row.sid,
      number,
      amountMinor: asked.amountMinor,
      taxMinor: asked.taxMinor,
      approvalSid,
    },
  });
  emit(t, creditNoteEvents.created, note);
  return { ...note, document };
}

async function book(t: TenantTx, row: InvoiceRow, note: CreditNote): Promise<void> {
  const taxed = { netMinor: BigInt(note.amount.amountMinor), taxMinor: BigInt(note.tax.amountMinor) };
  const { openNet, openTax, paidNet, paidTax } = splitByPaid(taxed, outstandingOf(row));
  const changed = await changeInvoice(
    t,
    row,
    sql`credited_net_minor = credited_net_minor + ${taxed.netMinor}, credited_tax_minor = credited_tax_minor + ${taxed.taxMinor},
      credited_open_minor = credited_open_minor + ${openNet + openTax}`,
  );
  await addCredit(t, row, paidNet + paidTax);
  await moveForInvoice(t, row, note.id, {
    credit_note: openNet,
    credit_note_tax: openTax,
    credit_note_paid: paidNet,
    credit_note_tax_paid: paidTax,
  });
  await renewLink(t, row.state === 'paid' ? changed : await closeIfPaid(t, changed));
}

type Row = Pick<
  CreditNote,
  'id' | 'number' | 'invoiceSid' | 'reason' | 'evidence' | 'createdBy' | 'createdAt'
> & {
  currency: string;
  scale: number;
  netMinor: string;
  taxMinor: string;
  approvalSid: string | null;
};

const columns = sql`id, number, invoice_sid as "invoiceSid", currency, scale, net_minor as "netMinor", tax_minor as "taxMinor",
  reason, evidence, approval_sid as "approvalSid", created_by as "createdBy", created_at as "createdAt"`;

function toCreditNote(t: TenantTx, { netMinor, taxMinor, currency, scale, ...row }: Row): CreditNote {
  const wire = (amountMinor: bigint) => toWire(money(amountMinor, currency, scale));
  return {
    object: 'credit_note',
    accountSid: t.accountSid,
    livemode: t.livemode,
    ...row,
    amount: wire(BigInt(netMinor)),
    tax: wire(BigInt(taxMinor)),
    total: wire(BigInt(netMinor) + BigInt(taxMinor)),
  };
}

type NewNote = { number: string; asked: AskedCredit; approvalSid: string };

async function storeNote(
  t: TenantTx,
  row: InvoiceRow,
  { number, asked, approvalSid }: NewNote,
): Promise<CreditNote> {
  const stored = await t.one<Row>(sql`
    insert into credit_notes (account_sid, livemode, id, invoice_sid, number, currency, scale, net_minor, tax_minor, reason,
      evidence, approval_sid, created_by, created_at)
    values (${t.accountSid}, ${t.livemode}, ${newUuid(t.now)}, ${row.sid}, ${number}, ${row.currency}, ${row.scale},
      ${asked.amountMinor}, ${asked.taxMinor}, ${asked.reason}, ${JSON.stringify(asked.evidence)}::json, ${approvalSid},
      ${principalName(t.principal)}, ${t.now})
    returning ${columns}`);
  return toCreditNote(t, stored);
}

/** The note that was made once somebody agreed. */
export async function findCreditNote(
  t: TenantTx,
  approvalSid: string,
): Promise<CreditNoteWithDocument | null> {
  const row = await t.maybe<Row>(sql`
    select ${columns} from credit_notes
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and approval_sid = ${approvalSid}`);
  if (!row) return null;
  const document = (await documentOf(t, { kind: 'credit_note', subject: row.id }))!;
  return { ...toCreditNote(t, row), document };
}
