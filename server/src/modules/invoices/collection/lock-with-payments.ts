// Changing what is owed of an invoice while nobody is paying it.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import {
  cancelIntent,
  hasUnresolvedAttempt,
  type Intent,
  intentsOfInvoice,
  lockIntent,
} from '../../payments/index.ts';
import { type InvoiceRow, lockInvoice, shownOutstanding } from '../invoices/invoices.ts';

/**
 * Locks the rows in the order in which a payment locks them, and ends the links on which the invoice could be paid: what they ask
 * for is about to change. While somebody pays, or a card is being charged, nobody knows yet what is paid.
 */
export async function lockWithPayments(t: TenantTx, sid: string): Promise<InvoiceRow> {
  const { row, intents } = await lockWithIntents(t, sid);
  if (await hasUnresolvedAttempt(t, sid)) {
    throw new ApiError('CONFLICT', {
      message: `A payment of the invoice is under way, and ${shownOutstanding(row)} of it is outstanding. Try again when it has ended.`,
    });
  }
  for (const { id } of intents) await cancelIntent(t, id);
  return row;
}

/** The invoice and all payments of it, those included that nobody made yet. */
export async function lockWithIntents(
  t: TenantTx,
  sid: string,
): Promise<{ row: InvoiceRow; intents: Intent[] }> {
  const locked = await lockIntents(t, sid, new Set());
  const row = await lockInvoice(t, sid);
  // A link that was made meanwhile. Should somebody pay on it this very moment, one of us begins anew.
  await lockIntents(t, sid, locked);
  return { row, intents: await intentsOfInvoice(t, sid) };
}

async function lockIntents(t: TenantTx, sid: string, locked: Set<string>): Promise<Set<string>> {
  const ids = (await intentsOfInvoice(t, sid)).map(({ id }) => id).toSorted();
  for (const id of ids) if (!locked.has(id)) await lockIntent(t, id);
  return new Set(ids);
}
