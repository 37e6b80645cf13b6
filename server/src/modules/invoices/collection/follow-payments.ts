// What becomes of payments of invoices.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { type DisputeChange, type Intent, type PaymentFollower, retryOf } from '../../payments/index.ts';
import { changeInvoice, lockInvoice } from '../invoices/invoices.ts';
import { mayMove } from '../invoices/states.ts';
import { receive, reinstate, takeBack } from '../settling/payments.ts';
import { noteFailure } from './collect.ts';

export const invoicesFollow: PaymentFollower = {
  async succeeded(t, intent) {
    const row = await invoiceOf(t, intent);
    if (row) await receive(t, row, { amountMinor: intent.amountMinor, reference: intent.id });
  },
  async failed(t, intent) {
    const row = await invoiceOf(t, intent);
    // Only what we tried ourselves counts: whoever pays on a page may take another card.
    if (row?.attemptIntentId !== intent.id) return;
    if (!mayMove(row.state, 'pay')) {
      // It was paid another way while the card was tried: nothing is owed, and nobody is reminded.
      await changeInvoice(t, row, sql`attempt_intent_id = null`);
      return;
    }
    const { failure } = intent;
    const why = failure?.declineCode ?? failure?.code ?? intent.state;
    await noteFailure(t, row, why, failure ? retryOf(failure) : 'later');
  },
  async disputed(t, intent, { reference, amountMinor }: DisputeChange) {
    const row = await invoiceOf(t, intent);
    if (row) await takeBack(t, row, amountMinor, reference);
  },
  async reinstated(t, intent, change: DisputeChange) {
    const row = await invoiceOf(t, intent);
    if (row) await reinstate(t, row, change);
  },
};

async function invoiceOf(t: TenantTx, { purpose, invoiceSid }: Intent) {
  return purpose === 'invoice' && invoiceSid !== null ? lockInvoice(t, invoiceSid) : null;
}
