// The service's objects in the words of payments. Where an object may be an id or whole, it was asked for whole.
import type Stripe from 'stripe';
import type {
  BalanceMove,
  PaymentCard,
  PaymentEvent,
  PaymentFailure,
  SeenDispute,
  SeenPayment,
  SeenRefund,
  SeenSession,
} from '../../modules/payments/index.ts';

/** Under which names our own ids travel with everything that is made. */
export const metadataNames = {
  account: 'godwit_account',
  intent: 'godwit_intent',
  refund: 'godwit_refund',
} as const;

const idOf = (reference: string | { id: string } | null | undefined): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null);
const whole = <T extends { id: string }>(reference: string | T | null | undefined): T | null =>
  typeof reference === 'object' ? reference : null;
const metadataOf = (object: { metadata?: Record<string, string> | null }, name: string): string | null =>
  object.metadata?.[name] ?? null;
const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const uuidOf = (text: string | null): string | null => (text !== null && uuidForm.test(text) ? text : null);
const currencyOf = (currency: string) => currency.toUpperCase();

const statuses: Partial<Record<Stripe.PaymentIntent.Status, SeenPayment['status']>> = {
  processing: 'processing',
  succeeded: 'succeeded',
  canceled: 'canceled',
};

export function seenPayment(intent: Stripe.PaymentIntent): SeenPayment {
  const charge = whole(intent.latest_charge);
  return {
    id: intent.id,
    status: statuses[intent.status] ?? 'waiting',
    amountMinor: BigInt(intent.status === 'succeeded' ? intent.amount_received : intent.amount),
    currency: currencyOf(intent.currency),
    intentId: uuidOf(metadataOf(intent, metadataNames.intent)),
    customerId: idOf(intent.customer),
    methodId: idOf(intent.payment_method),
    card: cardOf(charge),
    failure: intent.status === 'succeeded' ? null : failureOf(intent.last_payment_error),
    charge: charge && {
      id: charge.id,
      disputed: charge.disputed,
      refundedMinor: BigInt(charge.amount_refunded),
      move: moveOrNull(charge.balance_transaction),
    },
  };
}

function cardOf(charge: Stripe.Charge | null): PaymentCard | null {
  const card = charge?.payment_method_details?.card;
  if (!card) return null;
  return {
    brand: card.brand ?? 'unknown',
    last4: card.last4 ?? '',
    expMonth: card.exp_month,
    expYear: card.exp_year,
  };
}

function failureOf(error: Stripe.PaymentIntent.LastPaymentError | null): PaymentFailure | null {
  if (!error) return null;
  return {
    code: error.code ?? error.type,
    declineCode: error.decline_code ?? null,
    message: error.message ?? 'The payment failed.',
  };
}

export const seenSession = (session: Stripe.Checkout.Session): SeenSession => {
  const payment = whole(session.payment_intent);
  return {
    id: session.id,
    status: stateOfSession(session.status),
    intentId: uuidOf(metadataOf(session, metadataNames.intent)),
    url: session.url,
    payment: payment && seenPayment(payment),
  };
};

function stateOfSession(status: string | null): SeenSession['status'] {
  return status === 'complete' || status === 'expired' ? status : 'open';
}

export const seenRefund = (refund: Stripe.Refund): SeenRefund => ({
  id: refund.id,
  status:
    refund.status === 'succeeded'
      ? 'succeeded'
      : refund.status === 'failed' || refund.status === 'canceled'
        ? 'failed'
        : 'pending',
  amountMinor: BigInt(refund.amount),
  currency: currencyOf(refund.currency),
  refundId: uuidOf(metadataOf(refund, metadataNames.refund)),
  failure: refund.failure_reason ?? null,
});

export function seenDispute(dispute: Stripe.Dispute): SeenDispute {
  return {
    id: dispute.id,
    state: stateOfDispute(dispute.status),
    amountMinor: BigInt(dispute.amount),
    currency: currencyOf(dispute.currency),
    reason: dispute.reason,
    moves: dispute.balance_transactions.map(balanceMove),
  };
}

function stateOfDispute(status: string): SeenDispute['state'] {
  if (status === 'won' || status === 'lost') return status;
  return status.startsWith('warning') ? 'inquiry' : 'open';
}

const moveOrNull = (reference: string | Stripe.BalanceTransaction | null): BalanceMove | null => {
  const move = whole(reference);
  return move && balanceMove(move);
};

export const balanceMove = (move: Stripe.BalanceTransaction): BalanceMove => ({
  id: move.id,
  sourceId: idOf(move.source),
  type: move.type,
  amountMinor: BigInt(move.amount),
  feeMinor: BigInt(move.fee),
  currency: currencyOf(move.currency),
  createdAt: new Date(move.created * 1000),
});

type AnyObject = {
  id?: string;
  object?: string;
  payment_intent?: string | { id: string } | null;
  metadata?: Record<string, string> | null;
};

/** What leads from an event to a payment: our own ids where the object carries them, and the service's. */
export function paymentEvent(event: Stripe.Event): PaymentEvent {
  const object = event.data.object as AnyObject;
  const paymentId = object.object === 'payment_intent' ? object.id : idOf(object.payment_intent);
  return {
    id: event.id,
    type: event.type,
    livemode: event.livemode,
    objectId: object.id ?? '',
    paymentId: paymentId ?? null,
    accountSid: metadataOf(object, metadataNames.account),
    intentId: uuidOf(metadataOf(object, metadataNames.intent)),
    happenedAt: new Date(event.created * 1000),
  };
}
