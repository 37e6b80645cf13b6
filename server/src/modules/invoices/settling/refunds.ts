// What of an invoice can be paid back: only what became credit, since everything else was owed.
import type { TenantTx } from '../../../platform/db/database.ts';
import { intentsOfInvoice } from '../../payments/index.ts';
import { findInvoice } from '../invoices/invoices.ts';
import { creditOfInvoice } from './credits.ts';

export async function invoiceForRefund(t: TenantTx, invoiceSid: string) {
  const { walletId, currency, scale } = await findInvoice(t, invoiceSid);
  const creditMinor = await creditOfInvoice(t, invoiceSid);
  const intentIds = (await intentsOfInvoice(t, invoiceSid)).map(({ id }) => id);
  return { walletId, currency, scale, creditMinor, intentIds };
}
