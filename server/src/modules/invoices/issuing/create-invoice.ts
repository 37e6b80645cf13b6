// The draft of an invoice, in the commit that closes its period. The debt moves from the wallet to the invoice at once, so that
// one whose submission is stuck is not billed again by the next.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newSid } from '../../../platform/ids.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import { money } from '../../../platform/money.ts';
import { moveMoney, nameInvoice, type Wallet, widen } from '../../billing/index.ts';
import { defaultInvoiceProvider, taxProfileOf } from '../../billing-documents/index.ts';
import { latest } from '../automation/calendar.ts';
import type { Draft } from '../composing/draft.ts';
import { invoiceEvents } from '../invoices/events.ts';
import { findInvoice, tell } from '../invoices/invoices.ts';
import { submitInvoice } from './submit-invoice.ts';
import { forgetUnbilled } from './unbilled.ts';

/** `numbers` are those of the periods it is about. Tells its SID. */
export async function createInvoice(
  t: TenantTx,
  wallet: Wallet,
  draft: Draft,
  numbers: number[],
): Promise<string> {
  const sid = newSid('IN', t.now);
  const periods = draft.periods.map(({ start, end }) => ({
    start: start.toISOString(),
    end: end.toISOString(),
  }));
  const profile = await taxProfileOf(t, wallet.currency);
  const bookedAt = latest(t.now, draft.periods.at(-1)!.end);
  await t.run(sql`
    insert into invoices (account_sid, livemode, sid, wallet_id, state, currency, scale, periods, lines, tax_lines, due_minor,
      net_minor, tax_minor, booked_at, submission_provider, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${wallet.id}, 'draft', ${wallet.currency}, ${draft.scale},
      ${JSON.stringify(periods)}::json, ${JSON.stringify(draft.lines)}::json, ${JSON.stringify(draft.taxLines)}::json,
      ${draft.dueMinor}, ${draft.netMinor}, ${draft.taxMinor}, ${bookedAt},
      ${profile?.invoiceProvider ?? defaultInvoiceProvider}, ${t.now}, ${t.now})`);
  for (const n of numbers) await nameInvoice(t, { walletId: wallet.id, from: n, to: n }, sid);
  await forgetUnbilled(t, wallet.id, draft.unbilled);
  await moveMoney(t, { walletId: wallet.id, reference: sid, moves: debtOf(wallet, draft) });
  tell(t, invoiceEvents.created, await findInvoice(t, sid));
  enqueue(t, submitInvoice, { invoiceSid: sid }, { key: `submit:${sid}` });
  return sid;
}

/** The rounded debt moves to the invoice; what it differs from the exact one by is rounding, so that the wallet owes nothing. */
function debtOf(wallet: Wallet, { netMinor, scale, residueMinor }: Draft) {
  const usage = widen(money(netMinor, wallet.currency, scale), wallet.scale).amountMinor;
  return {
    invoice_usage: usage,
    ...(residueMinor < 0n ? { rounding_up: -residueMinor } : { rounding_down: residueMinor }),
  };
}
