// A payment comes to an end, or goes on: the one place where its state moves.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { lockWalletById, moveMoney, widen } from '../../billing/index.ts';
import { wakeOperation } from '../../operations/index.ts';
import { attemptsOf, resolveAttempt } from '../attempts/attempts.ts';
import { emitPayment } from '../attempts/start-intent.ts';
import { paymentEvents } from '../events.ts';
import type { PaymentHooks } from '../hooks.ts';
import {
  type Intent,
  type IntentRow,
  intentAt,
  intentColumns,
  moneyOf,
  toIntent,
} from '../intents/intents.ts';
import type { PaymentFailure, SeenPayment } from '../ports.ts';
import { issueReceipt } from '../receipts/receipts.ts';
import { followingStates, type PaymentState } from '../states.ts';

/** Moves the payment, whose row is locked; null where that state does not follow, as from an old answer that comes late. */
export async function moveTo(
  t: TenantTx,
  intent: Intent,
  state: PaymentState,
  also: Sql = sql``,
): Promise<Intent | null> {
  if (!followingStates[intent.state].includes(state)) return null;
  const row = await t.maybe<IntentRow>(sql`
    update payment_intents set state = ${state}, updated_at = ${t.now} ${also}
     where ${intentAt(t, intent.id)} and state = ${intent.state}
    returning ${intentColumns}`);
  return row ? toIntent(row) : null;
}

/** The money has come in. What the service took for it is told later. */
export async function succeed(
  t: TenantTx,
  { followers }: PaymentHooks,
  intent: Intent,
  payment: SeenPayment,
): Promise<Intent> {
  const moved = await moveTo(
    t,
    intent,
    'succeeded',
    sql`, succeeded_at = ${t.now}, payment_id = ${payment.id}, charge_id = ${payment.charge?.id ?? null},
      customer_id = ${payment.customerId}, method_id = ${payment.methodId}, card = ${JSON.stringify(payment.card)}::json,
      failure = null, cancel_asked_at = null`,
  );
  if (!moved) return intent;
  await resolveAll(t, moved.id, 'paid');
  const paid = moved.purpose === 'top_up' ? await issueReceipt(t, moved) : moved;
  for (const { succeeded } of followers) await succeeded?.(t, paid);
  if (paid.purpose === 'top_up') await creditTopUp(t, paid);
  emitPayment(t, paymentEvents.succeeded, paid);
  if (paid.operationSid) await wakeOperation(t, paid.operationSid);
  return paid;
}

async function creditTopUp(t: TenantTx, intent: Intent): Promise<void> {
  const { walletId, id: reference, netMinor, taxMinor } = intent;
  const wide = await widening(t, intent);
  await moveMoney(t, { walletId, reference, moves: { top_up: wide(netMinor), top_up_tax: wide(taxMinor) } });
}

/** From the currency's own minor units to those of the wallet. */
export async function widening(t: TenantTx, intent: Intent): Promise<(amountMinor: bigint) => bigint> {
  const wallet = await lockWalletById(t, intent.walletId);
  return (amountMinor) => widen(moneyOf(intent, amountMinor), wallet!.scale).amountMinor;
}

const ends = {
  failed: paymentEvents.failed,
  canceled: paymentEvents.canceled,
  expired: paymentEvents.expired,
};

/** Nothing was paid, and nothing is expected any more. */
export async function endUnpaid(
  t: TenantTx,
  { followers }: PaymentHooks,
  intent: Intent,
  state: 'failed' | 'canceled' | 'expired',
  failure: PaymentFailure | null = intent.failure,
): Promise<Intent> {
  const moved = await moveTo(t, intent, state, sql`, failure = ${failure && JSON.stringify(failure)}::json`);
  if (!moved) return intent;
  await resolveAll(t, moved.id, state);
  for (const { failed } of followers) await failed?.(t, moved);
  emitPayment(t, ends[state], moved);
  if (moved.operationSid) await wakeOperation(t, moved.operationSid);
  return moved;
}

async function resolveAll(t: TenantTx, intentId: string, outcome: string): Promise<void> {
  for (const attempt of await attemptsOf(t, intentId))
    if (attempt.resolvedAt === null && attempt.step !== 'refund') await resolveAttempt(t, attempt, outcome);
}

/** A person must look: nothing moves. */
export async function park(t: TenantTx, { id }: Intent, why: string): Promise<void> {
  await t.run(sql`
    update payment_intents set parked = coalesce(parked, ${why}), updated_at = ${t.now} where ${intentAt(t, id)}`);
}
