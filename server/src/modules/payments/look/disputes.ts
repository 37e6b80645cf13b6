// Banks take payments back, and give them again or do not.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newUuid } from '../../../platform/ids.ts';
import { money, multiplyRatio } from '../../../platform/money.ts';
import { movedFor, moveMoney, type TransferKind } from '../../billing/index.ts';
import { attemptsOf } from '../attempts/attempts.ts';
import { emitPayment } from '../attempts/start-intent.ts';
import { paymentEvents } from '../events.ts';
import type { DisputeChange, PaymentHooks } from '../hooks.ts';
import { findIntent, type Intent, intentAt, moneyOf } from '../intents/intents.ts';
import type { SeenDispute } from '../ports.ts';
import { isPaid, stateOfPaid } from '../states.ts';
import { moveTo, park, widening } from './end.ts';

type Dispute = {
  id: string;
  disputeId: string;
  state: SeenDispute['state'];
  amountMinor: string;
  withdrawnMinor: string;
  feeMinor: string;
  moves: number;
};

const columns = sql`id, dispute_id as "disputeId", state, amount_minor as "amountMinor",
  withdrawn_minor as "withdrawnMinor", fee_minor as "feeMinor", moves`;

export const disputesOf = (t: TenantTx, intentId: string): Promise<Dispute[]> =>
  t.many<Dispute>(sql`
    select ${columns} from payment_disputes
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and intent_id = ${intentId} order by id`);

const ranks: Record<SeenDispute['state'], number> = { inquiry: 1, open: 2, won: 3, lost: 3 };

export async function applyDisputes(
  t: TenantTx,
  hooks: PaymentHooks,
  intent: Intent,
  seen: SeenDispute[],
): Promise<Intent> {
  // A dispute can only be about what was paid; until that is known here it waits for the next look.
  if (!isPaid(intent.state)) return intent;
  const known = await disputesOf(t, intent.id);
  let current = intent;
  for (const dispute of seen) {
    const before = known.find(({ disputeId }) => disputeId === dispute.id);
    const isNews =
      !before || ranks[dispute.state] > ranks[before.state] || dispute.moves.length > before.moves;
    if (isNews) current = await applyDispute(t, hooks, current, dispute, before ?? null);
  }
  return current;
}

async function applyDispute(
  t: TenantTx,
  hooks: PaymentHooks,
  intent: Intent,
  dispute: SeenDispute,
  before: Dispute | null,
): Promise<Intent> {
  if ([dispute, ...dispute.moves].some(({ currency }) => currency !== intent.currency)) {
    await park(t, intent, `dispute ${dispute.id} is in another currency`);
    return intent;
  }
  const withdrawn = dispute.moves.reduce((sum, { amountMinor }) => sum - amountMinor, 0n);
  const fee = dispute.moves.reduce((sum, { feeMinor }) => sum + feeMinor, 0n);
  const id = before?.id ?? newUuid(t.now);
  await t.run(sql`
    insert into payment_disputes (account_sid, livemode, id, intent_id, dispute_id, state, amount_minor, reason,
      withdrawn_minor, fee_minor, moves, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${id}, ${intent.id}, ${dispute.id}, ${dispute.state}, ${dispute.amountMinor},
      ${dispute.reason}, ${withdrawn}, ${fee}, ${dispute.moves.length}, ${t.now}, ${t.now})
    on conflict (account_sid, livemode, dispute_id) do update set state = excluded.state,
      amount_minor = excluded.amount_minor, withdrawn_minor = excluded.withdrawn_minor, fee_minor = excluded.fee_minor,
      moves = excluded.moves, updated_at = excluded.updated_at`);
  await t.run(sql`
    update payment_intents set updated_at = ${t.now}, disputed_minor = (
        select coalesce(sum(amount_minor), 0) from payment_disputes d
         where d.account_sid = ${t.accountSid} and d.livemode = ${t.livemode} and d.intent_id = ${intent.id}
           and d.state in ('open', 'lost'))
     where ${intentAt(t, intent.id)}`);
  const changed = (await findIntent(t, intent.id))!;
  const state = stateOfPaid({ ...changed, disputes: await disputesOf(t, intent.id) });
  const moved = (await moveTo(t, changed, state)) ?? changed;
  await tell(t, hooks, moved, { id, dispute, withdrawn, before });
  const wide = await widening(t, moved);
  const newFee = fee - BigInt(before?.feeMinor ?? '0');
  if (newFee > 0n)
    await moveMoney(t, {
      walletId: moved.walletId,
      reference: `${id}:${dispute.moves.length}`,
      moves: { processor_fee: wide(newFee) },
      repeated: 'skipped',
    });
  return moved;
}

type Change = { id: string; dispute: SeenDispute; withdrawn: bigint; before: Dispute | null };

/** The first change of a dispute is known by the dispute itself, each later one also by its place. */
const referenceOf = (id: string, place: number) => (place === 1 ? id : `${id}:${place}`);
const referencesOf = (id: string, changes: number) =>
  Array.from({ length: changes }, (_, i) => referenceOf(id, i + 1));

/** Money went, or came back: posted for a top-up, told for an invoice. */
async function tell(
  t: TenantTx,
  { followers }: PaymentHooks,
  intent: Intent,
  { id, dispute, withdrawn, before }: Change,
): Promise<void> {
  const gone = BigInt(before?.withdrawnMinor ?? '0');
  const change: DisputeChange = {
    reference: referenceOf(id, dispute.moves.length),
    earlier: referencesOf(id, dispute.moves.length - 1),
    amountMinor: withdrawn > gone ? withdrawn - gone : gone - withdrawn,
    reason: dispute.reason,
  };
  if (withdrawn > gone) {
    for (const { disputed } of followers) await disputed?.(t, intent, change);
    if (intent.purpose === 'top_up') await takeFromWallet(t, intent, change);
    emitPayment(t, paymentEvents.disputed, intent);
  } else if (withdrawn < gone) {
    for (const { reinstated } of followers) await reinstated?.(t, intent, change);
    if (intent.purpose === 'top_up') await returnToWallet(t, intent, change);
    emitPayment(t, paymentEvents.reinstated, intent);
  }
  if (dispute.state === 'lost' && before?.state !== 'lost')
    emitPayment(t, paymentEvents.charged_back, intent);
}

/** Tax goes back in proportion, and never more of it than is left of what was paid; whatever else is gone is the wallet's. */
async function takeFromWallet(
  t: TenantTx,
  intent: Intent,
  { reference, amountMinor }: DisputeChange,
): Promise<void> {
  const { walletId, taxMinor, amountMinor: paid } = intent;
  const part = amountMinor < paid ? amountMinor : paid;
  const wide = await widening(t, intent);
  const due = wide(multiplyRatio(moneyOf(intent, taxMinor), part, paid).amountMinor);
  const left = wide(taxMinor) - (await taxGone(t, intent));
  const tax = due < left ? due : left > 0n ? left : 0n;
  const moves = { dispute_open: wide(amountMinor) - tax, dispute_open_tax: tax };
  await moveMoney(t, { walletId, reference, moves, repeated: 'skipped' });
}

/** What of a payment's tax went back before, by refunds and by other disputes, in the wallet's units. */
async function taxGone(t: TenantTx, { id }: Intent): Promise<bigint> {
  const refunds = (await attemptsOf(t, id)).flatMap(({ refundId }) => refundId ?? []);
  const disputes = (await disputesOf(t, id)).flatMap(({ id: disputeId, moves }) =>
    referencesOf(disputeId, moves),
  );
  const moved = await movedFor(t, [...new Set([...refunds, ...disputes])]);
  const sum = (gone: TransferKind, back: TransferKind) => (moved[gone] ?? 0n) - (moved[back] ?? 0n);
  return sum('refund_hold_tax', 'refund_failed_tax') + sum('dispute_open_tax', 'dispute_won_tax');
}

/** Into the wallet and the tax as it was taken from them. */
async function returnToWallet(
  t: TenantTx,
  intent: Intent,
  { reference, earlier, amountMinor }: DisputeChange,
): Promise<void> {
  const moved = await movedFor(t, earlier);
  const net = (moved.dispute_open ?? 0n) - (moved.dispute_won ?? 0n);
  const tax = (moved.dispute_open_tax ?? 0n) - (moved.dispute_won_tax ?? 0n);
  const whole = (await widening(t, intent))(amountMinor);
  const taxBack =
    net + tax === 0n ? 0n : multiplyRatio(money(tax, intent.currency, 0), whole, net + tax).amountMinor;
  const moves = { dispute_won: whole - taxBack, dispute_won_tax: taxBack };
  await moveMoney(t, { walletId: intent.walletId, reference, moves, repeated: 'skipped' });
}
