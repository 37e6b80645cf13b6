// What the next invoice would say if its period ended as it is now: made by the function that makes the invoice.
import type { TenantTx } from '../../../platform/db/database.ts';
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import { money, toWire } from '../../../platform/money.ts';
import { readWallet, walletOf } from '../../billing/index.ts';
import { nextPeriod } from '../automation/schedule.ts';
import { draftOf } from '../composing/draft.ts';
import type { InvoicePreview } from './schema.ts';

export async function issuesOfPreview(t: TenantTx, currency?: string): Promise<ErrorDetail[]> {
  const isKnown = currency === undefined || (await walletOf(t, currency)) !== null;
  return isKnown ? [] : [{ path: 'currency', issue: 'the account has no wallet in it' }];
}

export async function previewInvoice(t: TenantTx, currency?: string): Promise<InvoicePreview> {
  const wallet = currency === undefined ? await readWallet(t) : (await walletOf(t, currency))!;
  const draft = await draftOf(t, wallet, await nextPeriod(t, wallet.id));
  const wire = (amountMinor: bigint) => toWire(money(amountMinor, wallet.currency, draft.scale));
  return {
    object: 'invoice_preview',
    accountSid: t.accountSid,
    livemode: t.livemode,
    walletId: wallet.id,
    currency: wallet.currency,
    periods: draft.periods.map(({ start, end }) => ({ start: start.toISOString(), end: end.toISOString() })),
    lines: draft.lines,
    subtotal: wire(draft.subtotalMinor),
    balanceApplied: wire(draft.balanceAppliedMinor),
    taxLines: draft.taxLines,
    total: wire(draft.netMinor + draft.taxMinor),
    notInvoiced: draft.notInvoiced,
  };
}
