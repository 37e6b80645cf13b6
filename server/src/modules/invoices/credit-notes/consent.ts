// A customer cannot forgive itself what it owes: the platform agrees to each credit note, once.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError, type ErrorDetail } from '../../../platform/errors/errors.ts';
import { defineApprovable } from '../../../platform/http/operations/approvable.ts';
import type { Part } from '../../../platform/http/operations/operation.ts';
import { format, money } from '../../../platform/money.ts';
import {
  approvalRequired,
  approveInSandbox,
  findApproval,
  type NewApproval,
  requestApproval,
} from '../../approvals/index.ts';
import { findInvoiceIfAny } from '../invoices/invoices.ts';
import {
  type AskedCredit,
  creditInvoice,
  findCreditNote,
  issuesOfTax,
  issuesOfUnits,
  judgeCredit,
} from './credit-notes.ts';
import type { CreditNoteWithDocument, NewCreditNote } from './schema.ts';

const action = 'CREDIT_NOTE_CREATE';

export const creditNoteApproval = defineApprovable<AskedCredit>({
  action,
  scope: 'platform:staff',
  async run(t, asked, approvalSid) {
    const { document: _, ...note } = await creditInvoice(t, asked, approvalSid);
    return note;
  },
});

type Named = {
  params: { invoiceSid?: string };
  body: Part<NewCreditNote>;
  refused: ReadonlySet<string>;
};

/** Everything that is wrong with it, at once. What was agreed to is judged by what was agreed to, not by what is left by now. */
export async function issuesOfCreditNote(
  t: TenantTx,
  { params: { invoiceSid }, body, refused }: Named,
): Promise<ErrorDetail[]> {
  const row = invoiceSid === undefined ? null : await findInvoiceIfAny(t, invoiceSid);
  const { approvalSid } = body;
  const asksAnew = approvalSid === undefined && !refused.has('approvalSid');
  return [
    ...(row ? issuesOfUnits(row, body) : []),
    ...(row && asksAnew ? issuesOfTax(row, body) : []),
    ...(approvalSid === undefined ? [] : await issuesOfApproval(t, approvalSid, { ...body, invoiceSid })),
  ];
}

/** Is it the consent to this note? What cannot be read of the note is not compared. */
async function issuesOfApproval(
  t: TenantTx,
  approvalSid: string,
  asked: Part<AskedCredit>,
): Promise<ErrorDetail[]> {
  const approval = await findApproval(t, approvalSid);
  const path = 'approvalSid';
  if (approval?.action !== action) return [{ path, issue: 'is not an approval of a credit note' }];
  const isOther = isWhole(asked) && approval.summary !== approvalOf(asked).summary;
  return isOther ? [{ path, issue: 'is for another credit note' }] : [];
}

const isWhole = (asked: Part<AskedCredit>): asked is AskedCredit =>
  [asked.invoiceSid, asked.amountMinor, asked.taxMinor, asked.currency, asked.scale, asked.reason].every(
    (value) => value !== undefined,
  );

/** A returned error is kept with the approval it names. */
export async function createCreditNote(
  t: TenantTx,
  invoiceSid: string,
  { idempotencyKey: _, approvalSid, ...input }: NewCreditNote,
): Promise<CreditNoteWithDocument | ApiError> {
  const asked = { ...input, invoiceSid };
  if (approvalSid !== undefined) return approved(t, approvalSid);
  await judgeCredit(t, asked);
  if (t.livemode) return requestApproval(t, approvalOf(asked));
  return approveInSandbox(t, approvalOf(asked), (sid) => creditInvoice(t, asked, sid));
}

function approvalOf(asked: AskedCredit): NewApproval {
  const { amountMinor, taxMinor, currency, scale, invoiceSid, reason } = asked;
  const total = format(money(BigInt(amountMinor) + BigInt(taxMinor), currency, scale));
  return { action, summary: `Credit ${total} of the invoice ${invoiceSid}: ${reason}`, request: asked };
}

/** The note was made when somebody agreed; until then it waits. */
async function approved(t: TenantTx, approvalSid: string): Promise<CreditNoteWithDocument | ApiError> {
  const approval = (await findApproval(t, approvalSid))!;
  if (approval.state === 'PENDING') return approvalRequired(approvalSid);
  const note = approval.state === 'APPROVED' ? await findCreditNote(t, approvalSid) : null;
  if (!note)
    throw new ApiError('CONFLICT', {
      message: `The approval is ${approval.state}. Ask anew, with another key.`,
    });
  return note;
}
