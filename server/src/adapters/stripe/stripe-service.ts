// The calls of the payment service, by its own package.
import type Stripe from 'stripe';
import type { NewCharge, NewRefund, NewSession, PaymentService } from '../../modules/payments/index.ts';
import { callFailed } from './failures.ts';
import {
  balanceMove,
  metadataNames,
  paymentEvent,
  seenDispute,
  seenPayment,
  seenRefund,
  seenSession,
} from './from-wire.ts';

const paymentParts = ['latest_charge.balance_transaction'];
const sessionParts = ['payment_intent.latest_charge.balance_transaction'];
const page = 100;

/** `client` is asked for at each call: the package is loaded by the first. */
export function stripeService(client: () => Promise<Stripe>): PaymentService {
  const call = async <T>(work: (stripe: Stripe) => Promise<T>): Promise<T> => {
    try {
      return await work(await client());
    } catch (error) {
      throw callFailed(error);
    }
  };
  return {
    createCustomer: (key, accountSid) =>
      call(async (stripe) => {
        const metadata = { [metadataNames.account]: accountSid };
        const { id } = await stripe.customers.create({ metadata }, { idempotencyKey: key });
        return id;
      }),
    knowsCustomer: (id) =>
      call(async (stripe) => {
        try {
          return (await stripe.customers.retrieve(id)).deleted !== true;
        } catch (error) {
          if ((error as { statusCode?: number }).statusCode === 404) return false;
          throw error;
        }
      }),
    openSession: (key, session) =>
      call(async (stripe) =>
        seenSession(await stripe.checkout.sessions.create(sessionParams(session), { idempotencyKey: key })),
      ),
    readSession: (id) =>
      call(async (stripe) =>
        seenSession(await stripe.checkout.sessions.retrieve(id, { expand: sessionParts })),
      ),
    findSession: (customer, intentId, since) =>
      call(async (stripe) => {
        const sessions = stripe.checkout.sessions.list({ customer, created: from(since), limit: page });
        for await (const { id, metadata } of sessions)
          if (metadata?.[metadataNames.intent] === intentId)
            return seenSession(await stripe.checkout.sessions.retrieve(id, { expand: sessionParts }));
        return null;
      }),
    closeSession: (id) =>
      call(async (stripe) => {
        const now = await stripe.checkout.sessions.retrieve(id);
        if (now.status === 'open')
          await stripe.checkout.sessions.expire(id).catch((error) => {
            // Somebody paid, or it expired, in between; how it is now is read below.
            if ((error as { statusCode?: number }).statusCode !== 400) throw error;
          });
        return seenSession(await stripe.checkout.sessions.retrieve(id, { expand: sessionParts }));
      }),
    charge: (key, charge) =>
      call(async (stripe) => {
        try {
          return seenPayment(
            await stripe.paymentIntents.create(chargeParams(charge), { idempotencyKey: key }),
          );
        } catch (error) {
          const declined = (error as Partial<Stripe.errors.StripeError>).payment_intent;
          if ((error as { statusCode?: number }).statusCode === 402 && declined) return seenPayment(declined);
          throw error;
        }
      }),
    readPayment: (id) =>
      call(async (stripe) => seenPayment(await stripe.paymentIntents.retrieve(id, { expand: paymentParts }))),
    findPayment: (customer, intentId, since) =>
      call(async (stripe) => {
        const payments = stripe.paymentIntents.list({ customer, created: from(since), limit: page });
        for await (const { id, metadata } of payments)
          if (metadata[metadataNames.intent] === intentId)
            return seenPayment(await stripe.paymentIntents.retrieve(id, { expand: paymentParts }));
        return null;
      }),
    refund: (key, refund) =>
      call(async (stripe) =>
        seenRefund(await stripe.refunds.create(refundParams(refund), { idempotencyKey: key })),
      ),
    refundsOf: (paymentId) =>
      call(async (stripe) => {
        const found = [];
        for await (const refund of stripe.refunds.list({ payment_intent: paymentId, limit: page }))
          found.push(seenRefund(refund));
        return found;
      }),
    disputesOf: (paymentId) =>
      call(async (stripe) => {
        const found = [];
        for await (const dispute of stripe.disputes.list({ payment_intent: paymentId, limit: page }))
          found.push(seenDispute(dispute));
        return found;
      }),
    async *events(since) {
      const stripe = await call(async (loaded) => loaded);
      yield* each(stripe.events.list({ created: from(since), limit: page }), paymentEvent);
    },
    async *moves(since) {
      const stripe = await call(async (loaded) => loaded);
      yield* each(stripe.balanceTransactions.list({ created: from(since), limit: page }), balanceMove);
    },
  };
}

const from = (since: Date) => ({ gte: Math.floor(since.getTime() / 1000) });

async function* each<T, R>(items: AsyncIterable<T>, read: (item: T) => R): AsyncGenerator<R> {
  try {
    for await (const item of items) yield read(item);
  } catch (error) {
    throw callFailed(error);
  }
}

const ours = ({ accountSid, intentId }: { accountSid: string; intentId: string }) => ({
  [metadataNames.account]: accountSid,
  [metadataNames.intent]: intentId,
});

function sessionParams(session: NewSession): Stripe.Checkout.SessionCreateParams {
  const currency = session.currency.toLowerCase();
  return {
    mode: 'payment',
    allowed_payment_method_types: ['card'],
    customer: session.customerId,
    client_reference_id: session.intentId,
    line_items: session.lines.map(({ name, amountMinor }) => ({
      quantity: 1,
      price_data: { currency, unit_amount: Number(amountMinor), product_data: { name } },
    })),
    success_url: session.returnUrl,
    cancel_url: session.returnUrl,
    expires_at: Math.floor(session.expiresAt.getTime() / 1000),
    metadata: ours(session),
    // A session has no payment until somebody tries to pay, and that one has no metadata but this.
    payment_intent_data: {
      metadata: ours(session),
      ...(session.saveCard && { setup_future_usage: 'off_session' as const }),
    },
  };
}

const chargeParams = (charge: NewCharge): Stripe.PaymentIntentCreateParams => ({
  amount: Number(charge.amountMinor),
  currency: charge.currency.toLowerCase(),
  customer: charge.customerId,
  payment_method: charge.methodId,
  automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
  off_session: true,
  confirm: true,
  description: charge.description,
  metadata: ours(charge),
  expand: paymentParts,
});

const refundParams = (refund: NewRefund): Stripe.RefundCreateParams => ({
  payment_intent: refund.paymentId,
  amount: Number(refund.amountMinor),
  metadata: { ...ours(refund), [metadataNames.refund]: refund.refundId },
});
