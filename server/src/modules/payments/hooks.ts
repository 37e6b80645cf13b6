// Who hears of what becomes of payments: invoices and refunds, which stand above this module. `main/hooks.ts` connects them.
import type { TenantTx } from '../../platform/db/database.ts';
import type { Intent } from './intents/intents.ts';

/** A refund as the payment service left it. It may still fail after it had succeeded. */
export type RefundOutcome = {
  refundId: string;
  state: 'submitted' | 'succeeded' | 'failed' | 'unknown';
  amountMinor: bigint;
  failure: string | null;
};
export type DisputeChange = {
  /** What the ledger knows this change by. A dispute can be opened again, and each change of it moves money of its own. */
  reference: string;
  /** The references of the changes of this dispute before. */
  earlier: string[];
  /** How much went or came back this time. */
  amountMinor: bigint;
  reason: string | null;
};

/**
 * Each is called in the transaction that notes the change, after the payment's row is locked and before the wallet is, once for
 * each change however often the service tells of it.
 */
export type PaymentFollower = {
  /** Money came in. That of top-ups is in the wallet already; that of an invoice is the follower's to post. */
  succeeded?(t: TenantTx, intent: Intent): Promise<void>;
  /** It ended without money: `intent.state` says how, `intent.failure` why. */
  failed?(t: TenantTx, intent: Intent): Promise<void>;
  /** A bank took money back. */
  disputed?(t: TenantTx, intent: Intent, dispute: DisputeChange): Promise<void>;
  /** The dispute was won: the money is back, and goes where it was taken from. */
  reinstated?(t: TenantTx, intent: Intent, dispute: DisputeChange): Promise<void>;
  refundEnded?(t: TenantTx, intent: Intent, refund: RefundOutcome): Promise<void>;
};

export type PaymentHooks = { followers: readonly PaymentFollower[] };
