// How the payment simulator behaves unless a card or a rule says otherwise. The control API changes it while it runs.
import { problemIn, type Ranges } from '../settings.ts';

export type PaymentSettings = {
  /** From a successful charge to its balance transaction. */
  balanceMs: number;
  /** From a charge with a card that is disputed to its dispute. */
  disputeMs: number;
  /** How long a refund that begins as pending, or fails after it had succeeded, takes to change. */
  refundMs: number;
  /** How long a payment that settles later is processing. */
  processingMs: number;
  /** What the service keeps of a charge: parts in a million, and minor units on top. */
  feePpm: number;
  feeFixed: number;
  disputeFee: number;
  /** How likely each webhook is sent twice, held back until after the next ones, or never sent. */
  duplicateCallbacks: number;
  reorderCallbacks: number;
  loseCallbacks: number;
  callbackTimeoutMs: number;
};

/** For whoever counts webhooks: each comes once and in its order. */
export const exactWebhooks: Partial<PaymentSettings> = {
  duplicateCallbacks: 0,
  reorderCallbacks: 0,
  loseCallbacks: 0,
};

export const defaultPaymentSettings: PaymentSettings = {
  balanceMs: 1_000,
  disputeMs: 2_000,
  refundMs: 5_000,
  processingMs: 5_000,
  feePpm: 29_000,
  feeFixed: 30,
  disputeFee: 1_500,
  duplicateCallbacks: 0.02,
  reorderCallbacks: 0.02,
  loseCallbacks: 0,
  callbackTimeoutMs: 10_000,
};

const month = 31 * 86_400_000;
const ranges: Ranges<PaymentSettings> = {
  balanceMs: [0, month],
  disputeMs: [0, month],
  refundMs: [0, month],
  processingMs: [0, month],
  feePpm: [0, 1_000_000],
  feeFixed: [0, 100_000],
  disputeFee: [0, 100_000],
  duplicateCallbacks: [0, 1],
  reorderCallbacks: [0, 1],
  loseCallbacks: [0, 1],
  callbackTimeoutMs: [100, 60_000],
};

export const paymentSettingsProblem = (change: object): string | null => problemIn(change, ranges);
