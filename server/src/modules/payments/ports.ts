// What payments need of the outside world: a service on whose pages people pay by card, which keeps cards and charges them
// later. Amounts are whole minor units of the currency itself.

export type PaymentCard = { brand: string; last4: string; expMonth: number; expYear: number };

/** Why nothing was paid, in the service's words: `declineCode` is the bank's. */
export type PaymentFailure = { code: string; declineCode: string | null; message: string };

/** What the service's own account with us moved by, and what it kept for that. */
export type BalanceMove = {
  id: string;
  /** What it belongs to: a charge, a refund, a dispute. */
  sourceId: string | null;
  type: string;
  amountMinor: bigint;
  feeMinor: bigint;
  currency: string;
  createdAt: Date;
};

export type SeenPayment = {
  id: string;
  status: 'waiting' | 'processing' | 'succeeded' | 'canceled';
  amountMinor: bigint;
  currency: string;
  /** Which payment of ours it is, as we told the service. */
  intentId: string | null;
  customerId: string | null;
  methodId: string | null;
  card: PaymentCard | null;
  /** Of the last card that was tried, unless it paid. */
  failure: PaymentFailure | null;
  charge: { id: string; disputed: boolean; refundedMinor: bigint; move: BalanceMove | null } | null;
};

/** A page on which somebody pays once. */
export type SeenSession = {
  id: string;
  status: 'open' | 'complete' | 'expired';
  intentId: string | null;
  /** Where it is, while it is open. */
  url: string | null;
  payment: SeenPayment | null;
};

export type SeenRefund = {
  id: string;
  status: 'pending' | 'succeeded' | 'failed';
  amountMinor: bigint;
  currency: string;
  /** Which refund of ours it is, as we told the service. */
  refundId: string | null;
  failure: string | null;
};

export type SeenDispute = {
  id: string;
  state: 'inquiry' | 'open' | 'won' | 'lost';
  amountMinor: bigint;
  currency: string;
  reason: string | null;
  moves: BalanceMove[];
};

/** Something happened at the service. It is a hint: what is so is asked of the service. */
export type PaymentEvent = {
  id: string;
  type: string;
  livemode: boolean;
  objectId: string;
  paymentId: string | null;
  accountSid: string | null;
  intentId: string | null;
  happenedAt: Date;
};

/**
 * Why a call brought no answer.
 *   refused   it was understood and not done, and never will be
 *   not_taken nothing was done: it may be asked again at any time
 *   unknown   nobody can tell whether it was done: the same key asks again
 *   kept      the service answers this key with a failure for ever: look what there is, then ask under another key
 */
export type CallOutcome = 'refused' | 'not_taken' | 'unknown' | 'kept';

export class PaymentCallFailed extends Error {
  readonly outcome: CallOutcome;
  readonly code: string | null;

  constructor(outcome: CallOutcome, code: string | null, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'PaymentCallFailed';
    this.outcome = outcome;
    this.code = code;
  }
}

type Amount = { amountMinor: bigint; currency: string };
type Ours = { accountSid: string; intentId: string };

export type NewSession = Ours &
  Amount & {
    customerId: string;
    /** What the page calls it, line by line; the amounts sum to the whole. */
    lines: { name: string; amountMinor: bigint }[];
    saveCard: boolean;
    expiresAt: Date;
    returnUrl: string;
  };
export type NewCharge = Ours & Amount & { customerId: string; methodId: string; description: string };
export type NewRefund = Ours & Amount & { refundId: string; paymentId: string; reason: string | null };

/** Creating calls take the idempotency key they are known by. All of them throw `PaymentCallFailed`, and nothing else. */
export interface PaymentService {
  createCustomer(key: string, accountSid: string): Promise<string>;
  knowsCustomer(id: string): Promise<boolean>;
  openSession(key: string, session: NewSession): Promise<SeenSession>;
  readSession(id: string): Promise<SeenSession>;
  /** The newest session made for a payment; for when the answer was lost for longer than keys are remembered. */
  findSession(customerId: string, intentId: string, since: Date): Promise<SeenSession | null>;
  /** Nobody can pay on it afterwards; one that is over already stays as it is. Answers how it is now. */
  closeSession(id: string): Promise<SeenSession>;
  /** Charges a saved card while its holder is away. A decline is an answer, with its `failure`. */
  charge(key: string, charge: NewCharge): Promise<SeenPayment>;
  readPayment(id: string): Promise<SeenPayment>;
  findPayment(customerId: string, intentId: string, since: Date): Promise<SeenPayment | null>;
  refund(key: string, refund: NewRefund): Promise<SeenRefund>;
  refundsOf(paymentId: string): Promise<SeenRefund[]>;
  disputesOf(paymentId: string): Promise<SeenDispute[]>;
  /** What happened since then, the newest first. */
  events(since: Date): AsyncIterable<PaymentEvent>;
  /** What its account with us moved by since then, the newest first. */
  moves(since: Date): AsyncIterable<BalanceMove>;
}

export type Payments = {
  /** Null where no payments are taken: live without keys. */
  service(livemode: boolean, baseUrl: string): PaymentService | null;
  /** The event a webhook carries; null when its signature does not prove it, or is old at `now`. */
  readCallback(livemode: boolean, body: Buffer, signature: string, now: Date): Promise<PaymentEvent | null>;
  /** Whether webhooks of an environment can be proven. */
  takesCallbacks(livemode: boolean): boolean;
  close(): Promise<void>;
};

declare module '../../platform/ports.ts' {
  interface Ports {
    payments: Payments;
  }
  interface Site {
    /** Where the payment service answers; null where no payments are taken. */
    payments: { live: string | null; sandbox: string };
  }
}
