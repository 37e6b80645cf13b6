// Money that came by bank transfer: somebody saw it on the account statement and says so.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { newUuid } from '../../../platform/ids.ts';
import { principalName } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import { isoScale } from '../../billing/index.ts';
import { emitPayment } from '../attempts/start-intent.ts';
import { paymentEvents } from '../events.ts';
import type { PaymentHooks } from '../hooks.ts';
import { type Intent, type IntentRow, intentColumns, toIntent } from '../intents/intents.ts';

export type Transfer = {
  invoiceSid: string;
  walletId: string;
  currency: string;
  amountMinor: bigint;
  /** How the bank calls it: recorded once. */
  reference: string;
};

export const recordTransfer =
  ({ followers }: PaymentHooks) =>
  async (t: TenantTx, transfer: Transfer): Promise<Intent> => {
    const { invoiceSid, walletId, currency, amountMinor, reference } = transfer;
    const row = await t.maybe<IntentRow>(sql`
      insert into payment_intents (account_sid, livemode, id, purpose, provider, state, wallet_id, currency, scale, net_minor,
        tax_minor, tax_lines, invoice_sid, save_card, reference, succeeded_at, created_by, created_at, updated_at)
      values (${t.accountSid}, ${t.livemode}, ${newUuid(t.now)}, 'invoice', 'transfer', 'succeeded', ${walletId}, ${currency},
        ${isoScale(currency)}, ${amountMinor}, 0, '[]', ${invoiceSid}, false, ${reference}, ${t.now},
        ${principalName(t.principal)}, ${t.now}, ${t.now})
      on conflict (account_sid, livemode, reference) where reference is not null do nothing
      returning ${intentColumns}`);
    if (!row) {
      throw new ApiError('CONFLICT', {
        message: `There is a payment with the reference ${reference} already.`,
      });
    }
    const intent = toIntent(row);
    const facts = { invoiceSid, amountMinor: amountMinor.toString(), currency, reference };
    audit(t, { action: 'payment.recorded', resource: intent.id, facts });
    for (const { succeeded } of followers) await succeeded?.(t, intent);
    emitPayment(t, paymentEvents.succeeded, intent);
    return intent;
  };
