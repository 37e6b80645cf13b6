// Asks the service for what was written down to be asked for: as often as it takes, and done once.
import { sql } from '../../../platform/db/query.ts';
import {
  type Attempt,
  addAttempt,
  answerAttempt,
  findAttempt,
  keyLivesMs,
  keyOf,
  resolveAttempt,
} from '../attempts/attempts.ts';
import { enqueueAttempt } from '../attempts/jobs.ts';
import type { PaymentHooks } from '../hooks.ts';
import { findIntent, type Intent, lockIntent, tokenContext } from '../intents/intents.ts';
import { serviceOf } from '../intents/service.ts';
import {
  PaymentCallFailed,
  type PaymentService,
  type SeenPayment,
  type SeenRefund,
  type SeenSession,
} from '../ports.ts';
import { isOpen } from '../states.ts';
import { applySeen } from './apply.ts';
import { endUnpaid } from './end.ts';
import type { Means } from './means.ts';
import { applyRefunds, endRefund } from './refunds.ts';

type Asked = {
  accountSid: string;
  livemode: boolean;
  attempt: Attempt;
  intent: Intent;
  customerId: string | null;
  returnUrl: string | null;
};

/** Returns once the service has answered, or there is nothing to ask any more. */
export async function runAttempt(means: Means, hooks: PaymentHooks, attemptId: string): Promise<void> {
  const asked = await means.read((t) => read(t, attemptId));
  if (!asked || asked.attempt.answeredAt !== null) return;
  const service = serviceOf(means, asked.livemode);
  if (asked.attempt.step === 'session') return openPage(means, hooks, service, asked);
  if (asked.attempt.step === 'charge') return chargeCard(means, hooks, service, asked);
  return refund(means, hooks, service, asked);
}

async function read(
  t: Parameters<Parameters<Means['read']>[0]>[0],
  attemptId: string,
): Promise<Asked | null> {
  const attempt = await findAttempt(t, attemptId);
  const intent = attempt && (await findIntent(t, attempt.intentId));
  if (!attempt || !intent) return null;
  const customer = await t.maybe<{ customerId: string }>(sql`
    select customer_id as "customerId" from payment_customers
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}`);
  const { sealedToken, id } = intent;
  const token = sealedToken && t.sealer.open(sealedToken, tokenContext(t.accountSid, id)).toString('utf8');
  const returnUrl = token && `${t.site.publicUrl}/pay/${token}/returned`;
  const { accountSid, livemode } = t;
  return { accountSid, livemode, attempt, intent, customerId: customer?.customerId ?? null, returnUrl };
}

/** What was made under the key: by asking with it, or, once the service may have forgotten it, by looking. */
async function made<T>(
  means: Means,
  { attempt }: Asked,
  ask: () => Promise<T>,
  find: () => Promise<T | null>,
): Promise<T | null> {
  const ageMs = means.now().getTime() - Date.parse(attempt.createdAt);
  if (ageMs >= keyLivesMs) return find();
  try {
    return await ask();
  } catch (error) {
    if (error instanceof PaymentCallFailed && error.outcome === 'kept') return find();
    throw error;
  }
}

/** Nothing was made, and the key is of no more use: the next attempt has another. */
async function askAnew(means: Means, { attempt, intent }: Asked): Promise<void> {
  await means.write(async (t) => {
    const now = await lockIntent(t, intent.id);
    const still = await findAttempt(t, attempt.id);
    if (still?.resolvedAt !== null) return;
    await resolveAttempt(t, attempt, 'not_made');
    const { step, refundId, amountMinor, reason } = attempt;
    const of = refundId ? { refund: { id: refundId, amountMinor: BigInt(amountMinor!), reason } } : {};
    const next = await addAttempt(t, now, { step, attempt: attempt.attempt + 1, ...of });
    enqueueAttempt(t, next.id);
  });
}

const since = ({ attempt }: Asked) => new Date(Date.parse(attempt.createdAt) - 3_600_000);

async function customerOf(means: Means, service: PaymentService, asked: Asked): Promise<string> {
  if (asked.customerId && (await service.knowsCustomer(asked.customerId))) return asked.customerId;
  const { accountSid, livemode } = asked;
  // A customer nobody pays with costs nothing: the key only keeps two requests at once from making two.
  const key = keyOf(livemode, accountSid, `customer-${asked.customerId ?? 'first'}`, 1);
  const customerId = await service.createCustomer(key, accountSid);
  return means.write(async (t) => {
    await t.run(sql`
      insert into payment_customers (account_sid, livemode, customer_id, created_at)
      values (${t.accountSid}, ${t.livemode}, ${customerId}, ${t.now})
      on conflict (account_sid, livemode) do update set customer_id = excluded.customer_id, created_at = excluded.created_at
       where payment_customers.customer_id is not distinct from ${asked.customerId}`);
    const stored = await t.one<{ customerId: string }>(sql`
      select customer_id as "customerId" from payment_customers
       where account_sid = ${t.accountSid} and livemode = ${t.livemode}`);
    return stored.customerId;
  });
}

async function openPage(
  means: Means,
  hooks: PaymentHooks,
  service: PaymentService,
  asked: Asked,
): Promise<void> {
  const { accountSid, intent, attempt, returnUrl } = asked;
  const customerId = await customerOf(means, service, asked);
  const { id: intentId, amountMinor, currency, netMinor, saveCard } = intent;
  const tax = intent.taxLines.map(({ name, amount }) => ({ name, amountMinor: BigInt(amount.amountMinor) }));
  const session = {
    accountSid,
    intentId,
    customerId,
    amountMinor,
    currency,
    saveCard,
    lines: [
      { name: intent.description, amountMinor: netMinor },
      ...tax.filter((line) => line.amountMinor > 0n),
    ],
    expiresAt: new Date(attempt.expiresAt!),
    returnUrl: returnUrl!,
  };
  const seen = await made<SeenSession>(
    means,
    asked,
    () => service.openSession(attempt.idempotencyKey, session),
    () => service.findSession(customerId, intentId, since(asked)),
  ).catch((error) => refused(error, means, hooks, asked));
  if (seen === 'refused') return;
  if (!seen) return afterNoPage(means, hooks, asked);
  await means.write(async (t) => {
    await lockIntent(t, intentId);
    await answerAttempt(t, attempt, { objectId: seen.id, url: seen.url });
    await applySeen(t, hooks, intentId, { session: seen });
  });
}

/** A page that would be over by now is not made anew. */
async function afterNoPage(means: Means, hooks: PaymentHooks, asked: Asked): Promise<void> {
  if (Date.parse(asked.attempt.expiresAt!) > means.now().getTime()) return askAnew(means, asked);
  await means.write(async (t) => {
    const intent = await lockIntent(t, asked.intent.id);
    await resolveAttempt(t, asked.attempt, 'expired');
    if (isOpen(intent.state) && intent.purpose === 'top_up') await endUnpaid(t, hooks, intent, 'expired');
  });
}

async function chargeCard(
  means: Means,
  hooks: PaymentHooks,
  service: PaymentService,
  asked: Asked,
): Promise<void> {
  const { accountSid, intent, attempt } = asked;
  const { id: intentId, amountMinor, currency, description, customerId, methodId } = intent;
  const charge = { accountSid, intentId, amountMinor, currency, description };
  const card = { customerId: customerId!, methodId: methodId! };
  const seen = await made<SeenPayment>(
    means,
    asked,
    () => service.charge(attempt.idempotencyKey, { ...charge, ...card }),
    () => service.findPayment(card.customerId, intentId, since(asked)),
  ).catch((error) => refused(error, means, hooks, asked));
  if (seen === 'refused') return;
  if (!seen) return askAnew(means, asked);
  await means.write(async (t) => {
    await lockIntent(t, intentId);
    await answerAttempt(t, attempt, { objectId: seen.id });
    await applySeen(t, hooks, intentId, { payment: seen });
  });
}

async function refund(
  means: Means,
  hooks: PaymentHooks,
  service: PaymentService,
  asked: Asked,
): Promise<void> {
  const { accountSid, intent, attempt } = asked;
  const { refundId, reason } = attempt;
  const { id: intentId, currency } = intent;
  const paymentId = intent.paymentId!;
  const amountMinor = BigInt(attempt.amountMinor!);
  const order = { accountSid, intentId, refundId: refundId!, paymentId, amountMinor, currency, reason };
  const find = async () =>
    (await service.refundsOf(paymentId)).find((one) => one.refundId === refundId) ?? null;
  const seen = await made<SeenRefund>(
    means,
    asked,
    () => service.refund(attempt.idempotencyKey, order),
    find,
  ).catch((error) => refused(error, means, hooks, asked));
  if (seen === 'refused') return;
  if (!seen) return askAnew(means, asked);
  await means.write(async (t) => {
    const now = await lockIntent(t, intentId);
    await answerAttempt(t, attempt, { objectId: seen.id });
    await applyRefunds(t, hooks, now, [seen]);
    await applySeen(t, hooks, intentId, {});
  });
}

/** The service understood and will not do it: the attempt is over. Whatever else went wrong is thrown on. */
async function refused(
  error: unknown,
  means: Means,
  hooks: PaymentHooks,
  { attempt, intent }: Asked,
): Promise<'refused'> {
  if (!(error instanceof PaymentCallFailed) || error.outcome !== 'refused') throw error;
  means.log.warn({ err: error, payment: intent.id, step: attempt.step }, 'the payment service refused');
  const failure = { code: error.code ?? 'refused', declineCode: null, message: error.message };
  await means.write(async (t) => {
    const now = await lockIntent(t, intent.id);
    const still = await findAttempt(t, attempt.id);
    if (!still || still.resolvedAt !== null) return;
    if (attempt.step === 'refund') {
      await endRefund(t, hooks, now, still, 'failed', failure.code);
    } else {
      await resolveAttempt(t, attempt, 'refused');
      await endUnpaid(t, hooks, now, 'failed', failure);
    }
  });
  return 'refused';
}
