// The objects of the payment service as they are kept: the types of its own package, with references as ids.
import type Stripe from 'stripe';

type WithIds<T, References extends keyof T> = Omit<T, References> & { [K in References]: string | null };

export type CustomerRow = Stripe.Customer;
export type MethodRow = WithIds<Stripe.PaymentMethod, 'customer'>;
export type IntentRow = WithIds<Stripe.PaymentIntent, 'customer' | 'latest_charge' | 'payment_method'>;
export type ChargeRow = WithIds<Stripe.Charge, 'customer' | 'balance_transaction' | 'payment_intent'>;
export type SessionRow = WithIds<Stripe.Checkout.Session, 'customer' | 'payment_intent'>;
export type RefundRow = WithIds<
  Stripe.Refund,
  'charge' | 'payment_intent' | 'balance_transaction' | 'customer' | 'payment_method'
>;
export type DisputeRow = Omit<WithIds<Stripe.Dispute, 'payment_intent'>, 'charge'> & { charge: string };
export type BalanceRow = WithIds<Stripe.BalanceTransaction, 'source'>;
/** Its object is kept as it was when the event happened. */
export type EventRow = Stripe.EventBase;

/** What a checkout session knows beyond what it shows. */
export type SessionPlan = {
  lineItems: Stripe.LineItem[];
  setupFutureUsage: 'off_session' | 'on_session' | null;
  intentMetadata: Record<string, string>;
  description: string | null;
  statementDescriptor: string | null;
  receiptEmail: string | null;
};

/** A payment that waits for its cardholder on the 3-D Secure page. */
export type Challenge = { token: string; method: string };

/** What a payment method knows beyond what it shows. */
export type CardSecret = { number: string; setUp: boolean };

/** What is to happen later, so that it still happens after a restart. */
export type Task = {
  kind: TaskKind;
  id: string;
  atMs: number;
  lasting: boolean;
  more?: Record<string, string>;
};
export type TaskKind =
  | 'book'
  | 'dispute'
  | 'expire'
  | 'finish-refund'
  | 'fail-refund'
  | 'finish-processing'
  | 'deliver';

/** The answer to a request with an idempotency key. */
export type KeptAnswer = {
  path: string;
  params: string;
  requestId: string;
  atMs: number;
  status: number;
  body: string;
};

export type Endpoint = {
  id: string;
  url: string;
  /** The first is the newest; while a secret is rolled there are two, and each signs. */
  secrets: string[];
  /** Types of events, or `*` for all. */
  events: string[];
  enabled: boolean;
};

export type Tables = ReturnType<typeof emptyTables>;

export function emptyTables() {
  return {
    customers: new Map<string, CustomerRow>(),
    methods: new Map<string, MethodRow>(),
    cardSecrets: new Map<string, CardSecret>(),
    intents: new Map<string, IntentRow>(),
    challenges: new Map<string, Challenge>(),
    charges: new Map<string, ChargeRow>(),
    sessions: new Map<string, SessionRow>(),
    plans: new Map<string, SessionPlan>(),
    refunds: new Map<string, RefundRow>(),
    disputes: new Map<string, DisputeRow>(),
    balance: new Map<string, BalanceRow>(),
    events: new Map<string, EventRow>(),
    tasks: new Map<string, Task>(),
    answers: new Map<string, KeptAnswer>(),
    endpoints: new Map<string, Endpoint>(),
  };
}
