// A customer cannot forgive itself what it owes: the platform agrees to each credit note, once.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { defineApprovable } from '../../../platform/http/operations/approvable.ts';
import { format, money } from '../../../platform/money.ts';
import { approveInSandbox, findApproval, type NewApproval, requestApproval } from '../../approvals/index.ts';
import { type AskedCredit, creditInvoice, findCreditNote, judgeCredit } from './credit-notes.ts';
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

/** A returned error is kept with the approval it names. */
export async function createCreditNote(
  t: TenantTx,
  invoiceSid: string,
  { idempotencyKey: _, approvalSid, ...input }: NewCreditNote,
): Promise<CreditNoteWithDocument | ApiError> {
  const asked = { ...input, invoiceSid };
  if (approvalSid !== undefined) return approved(t, approvalSid, asked);
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
async function approved(
  t: TenantTx,
  approvalSid: string,
  asked: AskedCredit,
): Promise<CreditNoteWithDocument | ApiError> {
  const approval = await findApproval(t, approvalSid);
  if (approval?.action !== action) throw mismatch('is not an approval of a credit note');
  if (approval.summary !== approvalOf(asked).summary) throw mismatch('is for another credit note');
  if (approval.state === 'PENDING') {
    return new ApiError('APPROVAL_REQUIRED', { details: [{ path: 'approvalSid', issue: approvalSid }] });
  }
  const note = approval.state === 'APPROVED' ? await findCreditNote(t, approvalSid) : null;
  if (!note)
    throw new ApiError('CONFLICT', {
      message: `The approval is ${approval.state}. Ask anew, with another key.`,
    });
  return note;
}

const mismatch = (issue: string) => invalid({ path: 'approvalSid', issue });
