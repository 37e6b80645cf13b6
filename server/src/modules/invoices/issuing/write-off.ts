// Giving up what is owed is the platform's to decide: its staff does so itself, and everybody else asks it.
import type { TenantTx } from '../../../platform/db/database.ts';
import type { ApiError } from '../../../platform/errors/errors.ts';
import { defineApprovable } from '../../../platform/http/operations/approvable.ts';
import { approveInSandbox, type NewApproval, requestApproval } from '../../approvals/index.ts';
import { findInvoice, type InvoiceRow, requireMove, shownOutstanding } from '../invoices/invoices.ts';
import type { Ending, Invoice } from '../invoices/schema.ts';
import { writeOff } from './end-invoice.ts';

const action = 'INVOICE_WRITE_OFF';
type Request = Ending & { invoiceSid: string };

export const writeOffApproval = defineApprovable<Request>({
  action,
  scope: 'platform:staff',
  run: (t, { invoiceSid, ...ending }) => writeOff(t, invoiceSid, ending),
});

const isStaff = (t: TenantTx) => t.principal.scopesOn(t.accountSid)?.has('platform:staff') ?? false;

/** A returned error is kept with the approval it names. */
export async function writeOffInvoice(
  t: TenantTx,
  invoiceSid: string,
  ending: Ending,
): Promise<Invoice | ApiError> {
  const row = await findInvoice(t, invoiceSid);
  requireMove(row, 'writeOff');
  if (isStaff(t)) return writeOff(t, invoiceSid, ending);
  const approval = approvalOf(row, ending);
  return t.livemode
    ? requestApproval(t, approval)
    : approveInSandbox(t, approval, () => writeOff(t, invoiceSid, ending));
}

function approvalOf(row: InvoiceRow, ending: Ending): NewApproval {
  const summary = `Write off ${shownOutstanding(row)} of the invoice ${row.sid}: ${ending.reason}`;
  return { action, summary, request: { ...ending, invoiceSid: row.sid } };
}
