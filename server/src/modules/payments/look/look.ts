// Looks at what the service holds of a payment and puts it into effect: because it told that something happened, because
// somebody came back from its page, or because it has been silent.
import { attemptsOf } from '../attempts/attempts.ts';
import type { PaymentHooks } from '../hooks.ts';
import { findIntent, type Intent } from '../intents/intents.ts';
import { serviceOf } from '../intents/service.ts';
import { isOpen } from '../states.ts';
import { applySeen, type Seen } from './apply.ts';
import { disputesOf } from './disputes.ts';
import { endUnpaid } from './end.ts';
import type { Means } from './means.ts';
import { runAttempt } from './run-attempt.ts';

/** The payment as it is now; null when there is none. */
export async function look(means: Means, hooks: PaymentHooks, intentId: string): Promise<Intent | null> {
  const found = await means.read(async (t) => {
    const intent = await findIntent(t, intentId);
    if (!intent) return null;
    const attempts = await attemptsOf(t, intentId);
    return { intent, attempts, disputes: await disputesOf(t, intentId), livemode: t.livemode };
  });
  if (found?.intent.provider !== 'stripe') return found?.intent ?? null;
  const { intent, attempts, livemode } = found;
  const unanswered = attempts.find(({ answeredAt }) => answeredAt === null);
  if (unanswered) await runAttempt(means, hooks, unanswered.id);
  const service = serviceOf(means, livemode);
  const page = attempts.findLast(
    ({ step, resolvedAt, objectId }) => step === 'session' && !resolvedAt && objectId,
  );
  const session = page ? await service.readSession(page.objectId!) : null;
  const paymentId = session ? null : intent.paymentId;
  const payment = paymentId ? await service.readPayment(paymentId) : null;
  const current = payment ?? session?.payment ?? null;
  const seen: Seen = { session, payment };
  if (current?.charge) {
    const { disputed, refundedMinor } = current.charge;
    if (disputed || found.disputes.length > 0) seen.disputes = await service.disputesOf(current.id);
    if (refundedMinor > 0n || attempts.some(({ step }) => step === 'refund'))
      seen.refunds = await service.refundsOf(current.id);
  }
  return means.write((t) => applySeen(t, hooks, intentId, seen));
}

/** Closes the page on which a payment could be made, and notes what had become of it. */
export async function closePage(means: Means, hooks: PaymentHooks, intentId: string): Promise<void> {
  const unanswered = await pageOf(means, intentId);
  if (unanswered?.objectId === null) await runAttempt(means, hooks, unanswered.id);
  const page = await pageOf(means, intentId);
  const session = page?.objectId ? await serviceOf(means, page.livemode).closeSession(page.objectId) : null;
  await means.write(async (t) => {
    const intent = await applySeen(t, hooks, intentId, { session });
    if (!session && intent.cancelAskedAt && isOpen(intent.state))
      await endUnpaid(t, hooks, intent, 'canceled');
  });
}

const pageOf = (means: Means, intentId: string) =>
  means.read(async (t) => {
    const attempts = await attemptsOf(t, intentId);
    const page = attempts.findLast(({ step, resolvedAt }) => step === 'session' && !resolvedAt);
    return page && { id: page.id, objectId: page.objectId, livemode: t.livemode };
  });
