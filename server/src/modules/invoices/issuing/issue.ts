// An invoice is issued when it has been accepted where it has to be registered: it gets its number, its document, its tax in the
// ledger and its day to be paid by, in one commit.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import { getWallet } from '../../billing/index.ts';
import { issueDocument, nextNumber } from '../../billing-documents/index.ts';
import { dayMs } from '../automation/calendar.ts';
import { type Collection, collectionOf } from '../automation/schedule.ts';
import { openLink } from '../collection/collect.ts';
import { collectInvoice } from '../collection/jobs.ts';
import { invoiceContent } from '../invoices/documents.ts';
import { invoiceEvents } from '../invoices/events.ts';
import {
  changeInvoice,
  type InvoiceRow,
  moveInvoice,
  tell,
  toInvoice,
  totalOf,
} from '../invoices/invoices.ts';
import { takeCredit } from '../settling/credits.ts';
import { closeIfPaid, moveForInvoice } from '../settling/payments.ts';

const daysToPay = 30;

/** For an invoice that is locked. */
export async function issueInvoice(t: TenantTx, row: InvoiceRow, reference: string): Promise<void> {
  const collection = await cardOf(t, row);
  const number = await nextNumber(t, 'invoice');
  const dueAt = collection ? t.now : new Date(t.now.getTime() + daysToPay * dayMs);
  const credited = await takeCredit(t, row.walletId, totalOf(row));
  const issued = await moveInvoice(
    t,
    row,
    'issue',
    sql`number = ${number}, issued_at = ${t.now}, due_at = ${dueAt}, submission_reference = ${reference},
      submission_error = null, paid_minor = ${credited}, card_intent_id = ${collection?.paymentIntentId ?? null},
      retry_delays_hours = ${collection?.retryDelaysHours ?? []}::integer[]`,
  );
  const said = { ...toInvoice(t, issued), dueAt: dueAt.toISOString() };
  await issueDocument(t, { kind: 'invoice', subject: row.sid, number, content: invoiceContent(said) });
  await moveForInvoice(t, issued, row.sid, { invoice_tax: row.taxMinor, credit_applied: credited });
  await announce(t, issued, collection !== null);
}

async function announce(t: TenantTx, issued: InvoiceRow, byCard: boolean): Promise<void> {
  const covered = issued.paidMinor === totalOf(issued);
  const payable = covered ? issued : byCard ? await scheduleCard(t, issued) : await openLink(t, issued);
  tell(t, invoiceEvents.issued, payable);
  if (covered) await closeIfPaid(t, payable);
}

/** The first try comes at once. */
async function scheduleCard(t: TenantTx, row: InvoiceRow): Promise<InvoiceRow> {
  enqueue(t, collectInvoice, { invoiceSid: row.sid }, { key: `collect:${row.sid}` });
  return changeInvoice(t, row, sql`next_attempt_at = ${t.now}`);
}

/** Whoever pays by invoice is not charged by card, whatever card was saved. */
async function cardOf(t: TenantTx, { walletId }: InvoiceRow): Promise<Collection | null> {
  const { commercialMode } = await getWallet(t, walletId);
  return commercialMode === 'invoice' ? null : collectionOf(t, walletId);
}
