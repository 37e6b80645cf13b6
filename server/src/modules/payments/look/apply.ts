// What the service was seen to say, put into effect. It may be old by now, said before or said out of order: everything here
// has a rank, and only what ranks higher than what is known changes anything.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { moveMoney } from '../../billing/index.ts';
import { type Attempt, attemptsOf, resolveAttempt } from '../attempts/attempts.ts';
import { emitPayment } from '../attempts/start-intent.ts';
import { paymentEvents } from '../events.ts';
import type { PaymentHooks } from '../hooks.ts';
import { findIntent, type Intent, intentAt, lockIntent } from '../intents/intents.ts';
import type { SeenDispute, SeenPayment, SeenRefund, SeenSession } from '../ports.ts';
import { isOpen, isPaid } from '../states.ts';
import { applyDisputes } from './disputes.ts';
import { endUnpaid, moveTo, park, succeed, widening } from './end.ts';
import { applyRefunds } from './refunds.ts';

export type Seen = {
  session?: SeenSession | null;
  payment?: SeenPayment | null;
  refunds?: SeenRefund[];
  disputes?: SeenDispute[];
};

export async function applySeen(
  t: TenantTx,
  hooks: PaymentHooks,
  intentId: string,
  seen: Seen,
): Promise<Intent> {
  let intent = await lockIntent(t, intentId);
  const payment = seen.payment ?? seen.session?.payment ?? null;
  if (payment) intent = await applyPayment(t, hooks, intent, payment, seen.session ?? null);
  if (seen.session) intent = await applySession(t, hooks, intent, seen.session);
  if (seen.disputes) intent = await applyDisputes(t, hooks, intent, seen.disputes);
  if (seen.refunds) intent = await applyRefunds(t, hooks, intent, seen.refunds);
  return lookAgain(t, intent.id);
}

async function applyPayment(
  t: TenantTx,
  hooks: PaymentHooks,
  intent: Intent,
  payment: SeenPayment,
  session: SeenSession | null,
): Promise<Intent> {
  const wrong = mismatch(intent, payment);
  if (wrong) {
    await park(t, intent, wrong);
    return intent;
  }
  if (payment.status === 'succeeded') {
    const paid = isPaid(intent.state) ? intent : await succeed(t, hooks, intent, payment);
    return noteFee(t, paid, payment);
  }
  if (!isOpen(intent.state)) return intent;
  await t.run(sql`
    update payment_intents set payment_id = ${payment.id},
      failure = ${payment.failure && JSON.stringify(payment.failure)}::json, updated_at = ${t.now}
     where ${intentAt(t, intent.id)}`);
  const noted = { ...intent, paymentId: payment.id, failure: payment.failure };
  if (payment.status === 'processing') return process(t, noted);
  // On a page that is open another card can be tried, and one that expired may be followed by another.
  if (session !== null && session.status !== 'complete') return noted;
  if (payment.status === 'canceled') return endUnpaid(t, hooks, noted, 'canceled');
  return payment.failure ? endUnpaid(t, hooks, noted, 'failed') : noted;
}

function mismatch(intent: Intent, payment: SeenPayment): string | null {
  if (payment.intentId !== intent.id) return `payment ${payment.id} is not of this payment`;
  if (intent.paymentId !== null && isPaid(intent.state) && intent.paymentId !== payment.id)
    return `paid a second time by ${payment.id}`;
  if (payment.amountMinor === intent.amountMinor && payment.currency === intent.currency) return null;
  return `payment ${payment.id} is of ${payment.amountMinor} ${payment.currency}`;
}

async function process(t: TenantTx, intent: Intent): Promise<Intent> {
  const moved = await moveTo(t, intent, 'processing');
  if (moved) emitPayment(t, paymentEvents.processing, moved);
  return moved ?? intent;
}

async function applySession(
  t: TenantTx,
  hooks: PaymentHooks,
  intent: Intent,
  session: SeenSession,
): Promise<Intent> {
  const attempt = (await attemptsOf(t, intent.id)).find(({ objectId }) => objectId === session.id);
  if (session.status === 'open') return (await moveTo(t, intent, 'requires_action')) ?? intent;
  if (session.status === 'expired') return expire(t, hooks, intent, attempt);
  return intent;
}

/** The page of an invoice is followed by another when somebody comes again; that of a top-up was all there was. */
async function expire(
  t: TenantTx,
  hooks: PaymentHooks,
  intent: Intent,
  attempt: Attempt | undefined,
): Promise<Intent> {
  if (attempt) await resolveAttempt(t, attempt, 'expired');
  if (!isOpen(intent.state)) return intent;
  if (intent.cancelAskedAt) return endUnpaid(t, hooks, intent, 'canceled');
  return intent.purpose === 'top_up' ? endUnpaid(t, hooks, intent, 'expired') : intent;
}

/** What the service kept, once it says so: a moment after the payment. */
async function noteFee(t: TenantTx, intent: Intent, { charge }: SeenPayment): Promise<Intent> {
  const move = charge?.move;
  if (!move || intent.feeMinor !== null || !isPaid(intent.state)) return intent;
  if (move.currency !== intent.currency || move.amountMinor !== intent.amountMinor) {
    await park(t, intent, `settled as ${move.amountMinor} ${move.currency}`);
    return intent;
  }
  await t.run(sql`
    update payment_intents set fee_minor = ${move.feeMinor}, charge_id = ${charge.id}, updated_at = ${t.now}
     where ${intentAt(t, intent.id)} and fee_minor is null`);
  const wide = await widening(t, intent);
  const { walletId, id: reference } = intent;
  await moveMoney(t, {
    walletId,
    reference,
    moves: { processor_fee: wide(move.feeMinor) },
    repeated: 'skipped',
  });
  return { ...intent, feeMinor: move.feeMinor, chargeId: charge.id };
}

const minute = 60_000;
const hour = 60 * minute;

/** When to look the next time, if nothing is told before; null when nothing more is expected. */
function nextLookMs(intent: Intent, t: TenantTx): number | null {
  if (intent.parked !== null) return null;
  if (intent.state === 'disputed') return 12 * hour;
  if (intent.refundingMinor > 0n) return hour;
  if (isPaid(intent.state)) {
    const paidMs = t.now.getTime() - Date.parse(intent.succeededAt!);
    return intent.feeMinor === null && intent.provider === 'stripe' && paidMs < 72 * hour ? 5 * minute : null;
  }
  return isOpen(intent.state) ? 15 * minute : null;
}

async function lookAgain(t: TenantTx, id: string): Promise<Intent> {
  const intent = (await findIntent(t, id))!;
  const ms = nextLookMs(intent, t);
  const at = ms === null ? null : new Date(t.now.getTime() + ms);
  await t.run(sql`update payment_intents set look_at = ${at} where ${intentAt(t, id)}`);
  return intent;
}
