// Submitting an invoice again that was refused: an operation, whose result is the invoice's.
import type { TenantTx } from '../../../platform/db/database.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { audit } from '../../audit/index.ts';
import {
  defineOperationType,
  type Operation,
  type OperationContext,
  startOperation,
} from '../../operations/index.ts';
import { findInvoice, lockInvoice, moveInvoice } from '../invoices/invoices.ts';
import { submitOnce } from './submit-invoice.ts';

const laterMs = 60_000;

export const resubmission = defineOperationType({
  type: 'invoices.resubmit',
  input: Closed({ invoiceSid: Sid('IN') }),
  // The invoice is with whoever registers it, who cannot be called back.
  cancelable: false,
  async run(context, { input: { invoiceSid } }) {
    const submitted = await submitOnce(context, invoiceSid);
    if (submitted?.outcome === 'unavailable')
      return { waitUntil: new Date(context.now().getTime() + laterMs) };
    const reason = await refusalOf(context, invoiceSid);
    if (reason !== null) return { failure: { code: 'CONFLICT', message: reason, retryable: false } };
    return { result: { invoiceSid } };
  },
});

/** As it is written down: the answer may have come to a run that died before it could end the operation. */
async function refusalOf({ read }: OperationContext, invoiceSid: string): Promise<string | null> {
  const { issuedAt, submissionError } = await read((t) => findInvoice(t, invoiceSid));
  return issuedAt === null ? (submissionError ?? 'It was refused.') : null;
}

export async function resubmitInvoice(t: TenantTx, sid: string): Promise<Operation> {
  const row = await lockInvoice(t, sid);
  await moveInvoice(t, row, 'submit');
  audit(t, { action: 'invoice.resubmitted', resource: sid });
  return startOperation(t, resubmission, { invoiceSid: sid });
}
