// Payments begin: by a link on which somebody pays, or by a saved card that is charged while its holder is away.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { type EventType, emit } from '../../../platform/events.ts';
import { sha256 } from '../../../platform/hashing.ts';
import { newUuid, randomToken } from '../../../platform/ids.ts';
import { principalName } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import { isoScale } from '../../billing/index.ts';
import type { TaxLine } from '../../billing-documents/index.ts';
import { paymentEvents } from '../events.ts';
import {
  findIntent,
  hostedUrlOf,
  type Intent,
  type IntentRow,
  intentAt,
  intentColumns,
  lockIntent,
  toIntent,
  tokenContext,
  toPayment,
} from '../intents/intents.ts';
import { requirePayments } from '../intents/service.ts';
import type { PaymentCard, PaymentFailure } from '../ports.ts';
import type { PaymentIntentResource } from '../schema.ts';
import { isOpen, isPaid } from '../states.ts';
import { addAttempt, pageLivesMs, unresolvedOf } from './attempts.ts';
import { enqueueAttempt, enqueueClose } from './jobs.ts';

/** Amounts are in minor units of the currency itself. */
export type NewIntent = {
  walletId: string;
  currency: string;
  netMinor: bigint;
  taxMinor: bigint;
  taxLines: TaxLine[];
  /** What the payer is told it is for. */
  description: string;
};

type Purpose = { purpose: 'top_up'; saveCard: boolean } | { purpose: 'invoice'; invoiceSid: string };

// How long after it was asked for a payment is looked at, should the service say nothing.
const firstLookMs = 15 * 60_000;

/**
 * A payment by a link. That of a top-up can be paid for a day; that of an invoice until it is paid or called off, on one page
 * after the other.
 */
export async function startIntent(
  t: TenantTx,
  asked: NewIntent & Purpose,
): Promise<{ intent: Intent; hostedUrl: string }> {
  requirePayments(t);
  const topUp = asked.purpose === 'top_up';
  const expiresAt = topUp ? new Date(t.now.getTime() + pageLivesMs) : null;
  const lookAt = topUp ? new Date(t.now.getTime() + firstLookMs) : null;
  const intent = await insert(t, asked, { token: randomToken(24), expiresAt, lookAt, card: null });
  if (topUp) enqueueAttempt(t, (await addAttempt(t, intent, { step: 'session', attempt: 1 })).id);
  return { intent, hostedUrl: hostedUrlOf(t, intent)! };
}

type SavedCard = { customerId: string; methodId: string; card: PaymentCard | null };

async function insert(
  t: TenantTx,
  asked: NewIntent & Purpose,
  by: { token: string | null; expiresAt: Date | null; lookAt: Date | null; card: SavedCard | null },
): Promise<Intent> {
  const id = newUuid(t.now);
  const { token, expiresAt, lookAt, card } = by;
  const topUp = asked.purpose === 'top_up' ? asked : null;
  const invoiceSid = asked.purpose === 'invoice' ? asked.invoiceSid : null;
  const row = await t.one<IntentRow>(sql`
    insert into payment_intents (account_sid, livemode, id, purpose, provider, state, wallet_id, currency, scale, net_minor,
      tax_minor, tax_lines, description, invoice_sid, save_card, token_hash, sealed_token, customer_id,
      method_id, card, expires_at, look_at, created_by, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${id}, ${asked.purpose}, 'stripe', 'created', ${asked.walletId},
      ${asked.currency}, ${isoScale(asked.currency)}, ${asked.netMinor}, ${asked.taxMinor},
      ${JSON.stringify(asked.taxLines)}::json, ${asked.description}, ${invoiceSid},
      ${topUp?.saveCard ?? false}, ${token && sha256(token)}, ${token && t.sealer.seal(token, tokenContext(t.accountSid, id))},
      ${card?.customerId ?? null}, ${card?.methodId ?? null}, ${card ? JSON.stringify(card.card) : null}::json,
      ${expiresAt}, ${lookAt}, ${principalName(t.principal)}, ${t.now}, ${t.now})
    returning ${intentColumns}`);
  const intent = toIntent(row);
  const { amountMinor, currency } = intent;
  const facts = { purpose: intent.purpose, amountMinor: amountMinor.toString(), currency, invoiceSid };
  audit(t, { action: 'payment.started', resource: id, facts });
  emitPayment(t, paymentEvents.created, intent);
  return intent;
}

/** Events are kept and sent on: the link, which anybody who has it can open, is in answers only. */
export const emitPayment = (t: TenantTx, type: EventType<PaymentIntentResource>, intent: Intent): void =>
  emit(t, type, { ...toPayment(t, intent), hostedUrl: null });

/** The card a payment saved for invoices; null where it was not paid, saved none, or is not this account's. */
export async function savedCardOf(t: TenantTx, paymentIntentId: string): Promise<PaymentCard | null> {
  const intent = await findIntent(t, paymentIntentId);
  return intent && savedIn(intent) ? intent.card : null;
}

function savedIn(intent: Intent): SavedCard | null {
  const { state, saveCard, customerId, methodId, card } = intent;
  return isPaid(state) && saveCard && customerId && methodId ? { customerId, methodId, card } : null;
}

/** Whether somebody's payment of the invoice may be under way. */
export const hasUnresolvedAttempt = async (t: TenantTx, invoiceSid: string): Promise<boolean> =>
  (await unresolvedOf(t, invoiceSid)) !== undefined;

type CardCharge = NewIntent & {
  invoiceSid: string;
  /** The payment that saved the card. */
  paymentIntentId: string;
};

/**
 * Charges a saved card for an invoice, as a payment of its own, later; followers hear how it ended. Null while another attempt
 * is unresolved: a page that is open is then closed first.
 */
export async function chargeSavedCard(t: TenantTx, asked: CardCharge): Promise<Intent | null> {
  requirePayments(t);
  const saved = await findIntent(t, asked.paymentIntentId);
  const card = saved && savedIn(saved);
  if (!card) throw new ApiError('CONFLICT', { message: 'The payment has saved no card.' });
  const unresolved = await unresolvedOf(t, asked.invoiceSid);
  if (unresolved) {
    if (unresolved.step === 'session') enqueueClose(t, unresolved.intentId);
    return null;
  }
  const lookAt = new Date(t.now.getTime() + firstLookMs);
  const intent = await insert(
    t,
    { ...asked, purpose: 'invoice' },
    { token: null, expiresAt: null, lookAt, card },
  );
  enqueueAttempt(t, (await addAttempt(t, intent, { step: 'charge', attempt: 1 })).id);
  return intent;
}

/** Calls a payment off: nobody can pay on its page any more, unless somebody has by then. */
export async function cancelIntent(t: TenantTx, id: string): Promise<void> {
  const intent = await lockIntent(t, id);
  if (!isOpen(intent.state)) return;
  await t.run(sql`
    update payment_intents set cancel_asked_at = coalesce(cancel_asked_at, ${t.now}), updated_at = ${t.now}
     where ${intentAt(t, id)}`);
  enqueueClose(t, id);
}

const lostForGood = new Set([
  'lost_card',
  'stolen_card',
  'pickup_card',
  'restricted_card',
  'revocation_of_all_authorizations',
]);

/** Whether the same card may be charged again: a bank's "stolen" is for good, and some want to see their customer. */
export function retryOf({ code, declineCode }: PaymentFailure): 'later' | 'never' | 'authenticate' {
  if (code === 'authentication_required' || declineCode === 'authentication_required') return 'authenticate';
  return declineCode !== null && lostForGood.has(declineCode) ? 'never' : 'later';
}
