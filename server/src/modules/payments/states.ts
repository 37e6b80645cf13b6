// Which state of a payment follows which. What the service says last is what counts, so success follows every state in which
// nothing was paid: somebody may pay in the moment in which a page expires.
export const paymentStates = [
  'created',
  'requires_action',
  'processing',
  'succeeded',
  'failed',
  'canceled',
  'expired',
  'partially_refunded',
  'refunded',
  'disputed',
  'charged_back',
] as const;
export type PaymentState = (typeof paymentStates)[number];

const paidStates = ['succeeded', 'partially_refunded', 'refunded', 'disputed', 'charged_back'] as const;
const endedUnpaid = ['failed', 'canceled', 'expired'] as const;

const others = (state: PaymentState) => paidStates.filter((other) => other !== state);

export const followingStates: Record<PaymentState, readonly PaymentState[]> = {
  created: ['requires_action', 'processing', 'succeeded', ...endedUnpaid],
  requires_action: ['processing', 'succeeded', ...endedUnpaid],
  processing: ['succeeded', ...endedUnpaid],
  failed: ['succeeded'],
  canceled: ['succeeded'],
  expired: ['succeeded'],
  // A refund that went through can fail afterwards, and a dispute that was won can be opened again.
  succeeded: others('succeeded'),
  partially_refunded: others('partially_refunded'),
  refunded: others('refunded'),
  disputed: others('disputed'),
  charged_back: others('charged_back'),
};

export const isPaid = (state: PaymentState): boolean => (paidStates as readonly string[]).includes(state);
/** Nothing was paid, and nothing is expected to be. */
export const isOver = (state: PaymentState): boolean => (endedUnpaid as readonly string[]).includes(state);
export const isOpen = (state: PaymentState): boolean => !isPaid(state) && !isOver(state);

type Amounts = { amountMinor: bigint; refundedMinor: bigint; disputes: { state: string }[] };

/** Of a payment that was paid: what refunds and disputes have made of it. */
export function stateOfPaid({ amountMinor, refundedMinor, disputes }: Amounts): PaymentState {
  if (disputes.some(({ state }) => state === 'open')) return 'disputed';
  if (disputes.some(({ state }) => state === 'lost')) return 'charged_back';
  if (refundedMinor >= amountMinor) return 'refunded';
  return refundedMinor > 0n ? 'partially_refunded' : 'succeeded';
}
