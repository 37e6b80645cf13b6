// Money that comes in for an invoice, and money that is taken back. What the invoice does not need becomes credit: it was voided,
// or paid another way, while somebody paid it.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { money } from '../../../platform/money.ts';
import { getWallet, movedFor, moveMoney, narrow, type TransferKind, widen } from '../../billing/index.ts';
import type { DisputeChange } from '../../payments/index.ts';
import { invoiceEvents } from '../invoices/events.ts';
import { changeInvoice, type InvoiceRow, moveInvoice, outstandingOf, tell } from '../invoices/invoices.ts';
import { mayMove } from '../invoices/states.ts';
import { addCredit, least } from './credits.ts';
import { tellWallet } from './dunning-state.ts';
import { enqueueLink } from './jobs.ts';

type Moves = Partial<Record<TransferKind, bigint>>;

/** Moves amounts of an invoice, which have fewer decimals than the wallet, exactly. */
export async function moveForInvoice(
  t: TenantTx,
  row: InvoiceRow,
  reference: string,
  moves: Moves,
): Promise<void> {
  const { scale } = (await getWallet(t, row.walletId)).available;
  const widened = Object.entries(moves).map(([kind, amountMinor]) => [
    kind,
    widen(money(amountMinor, row.currency, row.scale), scale).amountMinor,
  ]);
  await moveMoney(t, { walletId: row.walletId, reference, moves: Object.fromEntries(widened) });
}

type Received = { amountMinor: bigint; reference: string; kind?: 'invoice_payment' | 'dispute_won_invoice' };

/** Money for an invoice that is locked: what it needs is paid, whatever is left is credit. */
export async function receive(t: TenantTx, row: InvoiceRow, received: Received): Promise<InvoiceRow> {
  const { amountMinor, reference, kind = 'invoice_payment' } = received;
  const payable = mayMove(row.state, 'pay');
  // What was written off is owed again the moment somebody pays it.
  const recovered = payable ? least(amountMinor, row.writtenOffMinor) : 0n;
  const paid = payable ? least(amountMinor, outstandingOf(row) + recovered) : 0n;
  const rest = amountMinor - paid;
  await addCredit(t, row, rest);
  const changes = sql`paid_minor = paid_minor + ${paid}, written_off_minor = written_off_minor - ${recovered}`;
  const changed = await changeInvoice(t, row, changes);
  await moveForInvoice(t, row, reference, { recovery: recovered, [kind]: paid, invoice_overpayment: rest });
  if (paid > 0n && row.sealedHostedUrl !== null) enqueueLink(t, row.sid);
  return payable ? closeIfPaid(t, changed) : changed;
}

/** An invoice of which nothing is outstanding any more is paid, whoever or whatever paid it. */
export async function closeIfPaid(t: TenantTx, row: InvoiceRow): Promise<InvoiceRow> {
  if (outstandingOf(row) > 0n || row.writtenOffMinor > 0n) return row;
  const paid = await moveInvoice(t, row, 'pay', sql`dunning = 'none', next_attempt_at = null`);
  tell(t, invoiceEvents.paid, paid);
  await tellWallet(t, paid.walletId);
  return paid;
}

/** A bank took a payment back: the invoice is owed again. Beyond what was paid of it the wallet pays. */
export async function takeBack(
  t: TenantTx,
  row: InvoiceRow,
  amountMinor: bigint,
  reference: string,
): Promise<void> {
  const owed = least(amountMinor, row.paidMinor);
  await moveForInvoice(t, row, reference, { dispute_open_invoice: owed, dispute_open: amountMinor - owed });
  const changes = sql`paid_minor = paid_minor - ${owed}`;
  if (owed > 0n) enqueueLink(t, row.sid);
  // One that was credited, or paid by somebody else, is owed nothing by a payment too much being taken back.
  if (row.state !== 'paid' || owed === 0n) {
    await changeInvoice(t, row, changes);
    return;
  }
  const dunning = sql`${changes}, dunning = 'action_required'`;
  const disputed = await moveInvoice(t, row, 'dispute', dunning);
  tell(t, invoiceEvents.past_due, disputed);
  await tellWallet(t, row.walletId);
}

/** The bank gave it back: what was taken from the wallet is the wallet's again, the rest pays the invoice. */
export async function reinstate(
  t: TenantTx,
  row: InvoiceRow,
  { reference, earlier, amountMinor }: DisputeChange,
): Promise<void> {
  const moved = await movedFor(t, earlier);
  const { scale } = (await getWallet(t, row.walletId)).available;
  const taken = money((moved.dispute_open ?? 0n) - (moved.dispute_won ?? 0n), row.currency, scale);
  const back = least(amountMinor, narrow(taken, row.scale).amountMinor);
  await moveForInvoice(t, row, reference, { dispute_won: back });
  if (amountMinor > back)
    await receive(t, row, { amountMinor: amountMinor - back, reference, kind: 'dispute_won_invoice' });
}
