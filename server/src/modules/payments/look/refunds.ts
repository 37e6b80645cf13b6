// Refunds at the service: asked for, and what became of them. Whether one may be made, and what it moves in the ledger, is
// decided by whoever asks.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { format } from '../../../platform/money.ts';
import { type Attempt, addAttempt, attemptsOf, changeOutcome } from '../attempts/attempts.ts';
import { enqueueAttempt } from '../attempts/jobs.ts';
import { emitPayment } from '../attempts/start-intent.ts';
import { paymentEvents } from '../events.ts';
import type { PaymentHooks, RefundOutcome } from '../hooks.ts';
import { findIntent, type Intent, intentAt, lockIntent, moneyOf, refundableOf } from '../intents/intents.ts';
import type { SeenRefund } from '../ports.ts';
import { stateOfPaid } from '../states.ts';
import { disputesOf } from './disputes.ts';
import { moveTo, park } from './end.ts';

export type AskedRefund = {
  refundId: string;
  paymentIntentId: string;
  amountMinor: bigint;
  reason: string | null;
};

/** Asks the service for a refund, later; followers hear how it ended. More than is left is a CONFLICT that says what is. */
export async function submitRefund(t: TenantTx, asked: AskedRefund): Promise<Intent> {
  const intent = await lockIntent(t, asked.paymentIntentId);
  const left = refundableOf(intent);
  if (asked.amountMinor > left || intent.provider !== 'stripe') {
    const message = `Of this payment ${format(moneyOf(intent, intent.provider === 'stripe' ? left : 0n))} can be refunded.`;
    throw new ApiError('CONFLICT', { message });
  }
  await t.run(sql`
    update payment_intents set refunding_minor = refunding_minor + ${asked.amountMinor}::bigint, updated_at = ${t.now}
     where ${intentAt(t, intent.id)}`);
  const refund = { id: asked.refundId, amountMinor: asked.amountMinor, reason: asked.reason };
  enqueueAttempt(t, (await addAttempt(t, intent, { step: 'refund', attempt: 1, refund })).id);
  return { ...intent, refundingMinor: intent.refundingMinor + asked.amountMinor };
}

type Ended = 'pending' | 'succeeded' | 'failed';
const ranks: Record<string, number> = { pending: 1, succeeded: 2, failed: 3 };
const rankOf = (outcome: string | null) => (outcome === null ? 0 : (ranks[outcome] ?? 0));

export async function applyRefunds(
  t: TenantTx,
  hooks: PaymentHooks,
  intent: Intent,
  seen: SeenRefund[],
): Promise<Intent> {
  const asked = (await attemptsOf(t, intent.id)).filter(({ step }) => step === 'refund');
  let current = intent;
  for (const refund of seen) {
    const attempt = asked.findLast(({ refundId }) => refundId === refund.refundId);
    // By hand, at the service: whoever did it says so here too.
    if (!attempt) await park(t, intent, `refund ${refund.id} was not made here`);
    else current = await applyRefund(t, hooks, current, attempt, refund);
  }
  return current;
}

async function applyRefund(
  t: TenantTx,
  hooks: PaymentHooks,
  intent: Intent,
  attempt: Attempt,
  { status, failure, currency, amountMinor }: SeenRefund,
): Promise<Intent> {
  if (currency !== intent.currency || String(amountMinor) !== attempt.amountMinor) {
    await park(t, intent, `a refund is of ${amountMinor} ${currency}`);
    return intent;
  }
  return endRefund(t, hooks, intent, attempt, status, failure);
}

/** Notes what became of a refund, once for each outcome. One that went through can fail afterwards. */
export async function endRefund(
  t: TenantTx,
  { followers }: PaymentHooks,
  intent: Intent,
  attempt: Attempt,
  outcome: Ended,
  failure: string | null,
): Promise<Intent> {
  if (rankOf(outcome) <= rankOf(attempt.outcome)) return intent;
  const amountMinor = BigInt(attempt.amountMinor!);
  const returned = outcome === 'failed' && attempt.outcome === 'succeeded';
  const refunding = outcome === 'pending' || returned ? 0n : -amountMinor;
  const refunded = outcome === 'succeeded' ? amountMinor : returned ? -amountMinor : 0n;
  await t.run(sql`
    update payment_intents set refunding_minor = refunding_minor + ${refunding}::bigint,
      refunded_minor = refunded_minor + ${refunded}::bigint, updated_at = ${t.now}
     where ${intentAt(t, intent.id)}`);
  if (outcome === 'pending') await t.run(pendingAttempt(t, attempt));
  else await changeOutcome(t, attempt, outcome);
  const changed = (await findIntent(t, intent.id))!;
  const state = stateOfPaid({ ...changed, disputes: await disputesOf(t, intent.id) });
  const moved = (await moveTo(t, changed, state)) ?? changed;
  const told: RefundOutcome = {
    refundId: attempt.refundId!,
    state: outcome === 'pending' ? 'submitted' : outcome,
    amountMinor,
    failure,
  };
  for (const { refundEnded } of followers) await refundEnded?.(t, moved, told);
  if (outcome === 'succeeded') emitPayment(t, paymentEvents.refunded, moved);
  if (returned) emitPayment(t, paymentEvents.refund_failed, moved);
  return moved;
}

const pendingAttempt = (t: TenantTx, { id }: Attempt) => sql`
  update payment_attempts set outcome = 'pending'
   where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id} and outcome is null`;
