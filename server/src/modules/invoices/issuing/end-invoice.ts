// Invoices that end without being paid: voided, because they were issued in error, or written off, because nobody expects the
// money any more.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { format, money } from '../../../platform/money.ts';
import { principalName } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import { lockWalletById, moveMoney, nameInvoice, periodsOf, widen } from '../../billing/index.ts';
import { latest } from '../automation/calendar.ts';
import { lockWithPayments } from '../collection/lock-with-payments.ts';
import { invoiceEvents } from '../invoices/events.ts';
import {
  type InvoiceRow,
  moveInvoice,
  outstandingOf,
  requireMove,
  shownOutstanding,
  tell,
} from '../invoices/invoices.ts';
import type { Ending, Invoice } from '../invoices/schema.ts';
import { tellWallet } from '../settling/dunning-state.ts';
import { moveForInvoice } from '../settling/payments.ts';
import { leaveUnbilled } from './unbilled.ts';

/** Takes an invoice back as if it had not been made: its usage is unbilled again, and part of the next invoice. */
export async function voidInvoice(t: TenantTx, sid: string, ending: Ending): Promise<Invoice> {
  const row = await lockWithPayments(t, sid);
  requireMove(row, 'void');
  refuseTouched(row);
  const voided = await moveInvoice(t, row, 'void', sql`${endedBy(t, ending)}, dunning = 'none'`);
  await returnUsage(t, row);
  audit(t, { action: 'invoice.voided', resource: sid, facts: { reason: ending.reason } });
  const invoice = tell(t, invoiceEvents.voided, voided);
  await tellWallet(t, row.walletId);
  return invoice;
}

/** What was paid or credited cannot be taken back by voiding. */
function refuseTouched(row: InvoiceRow): void {
  const { paidMinor, creditedNetMinor, creditedTaxMinor, currency, scale } = row;
  const credited = creditedNetMinor + creditedTaxMinor;
  if (paidMinor === 0n && credited === 0n) return;
  const amount = (minor: bigint) => format(money(minor, currency, scale));
  throw new ApiError('CONFLICT', {
    message:
      `Of the invoice ${amount(paidMinor)} is paid and ${amount(credited)} is credited, so it cannot be voided. ` +
      `${shownOutstanding(row)} is outstanding and can be credited.`,
  });
}

/** The mirror of what making and issuing it moved; the exact debt is the wallet's again. */
async function returnUsage(t: TenantTx, row: InvoiceRow): Promise<void> {
  const wallet = (await lockWalletById(t, row.walletId))!;
  const widened = (amountMinor: bigint) =>
    widen(money(amountMinor, row.currency, row.scale), wallet.scale).amountMinor;
  const residue = widened(row.netMinor) - row.dueMinor;
  await moveMoney(t, {
    walletId: row.walletId,
    reference: row.sid,
    moves: {
      void_usage: widened(row.netMinor),
      // Tax is booked when an invoice is issued.
      void_tax: row.issuedAt === null ? 0n : widened(row.taxMinor),
      ...(residue < 0n ? { void_rounding_up: -residue } : { void_rounding_down: residue }),
    },
  });
  const numbers = (await periodsOf(t, row.walletId))
    .filter(({ invoiceSid }) => invoiceSid === row.sid)
    .map(({ n }) => n);
  for (const n of numbers) await nameInvoice(t, { walletId: row.walletId, from: n, to: n }, null);
  await leaveUnbilled(t, row.walletId, numbers, latest(t.now, new Date(wallet.closedUntil!)));
}

/** What is outstanding is given up. It stays owed: whoever pays it later has paid it. */
export async function writeOff(t: TenantTx, sid: string, ending: Ending): Promise<Invoice> {
  const row = await lockWithPayments(t, sid);
  const amountMinor = outstandingOf(row);
  const changes = sql`${endedBy(t, ending)}, written_off_minor = ${amountMinor}, dunning = 'written_off'`;
  const written = await moveInvoice(t, row, 'writeOff', changes);
  // It may have been written off before, paid after all, and taken back by a bank.
  await moveForInvoice(t, row, `${row.sid}:${t.now.toISOString()}`, { write_off: amountMinor });
  audit(t, {
    action: 'invoice.written_off',
    resource: sid,
    facts: { reason: ending.reason, amountMinor: amountMinor.toString() },
  });
  const invoice = tell(t, invoiceEvents.written_off, written);
  await tellWallet(t, row.walletId);
  return invoice;
}

const endedBy = (t: TenantTx, { reason, evidence }: Ending) => sql`ended_by = ${principalName(t.principal)},
  ended_reason = ${reason}, ended_evidence = ${JSON.stringify(evidence)}::json, next_attempt_at = null`;
