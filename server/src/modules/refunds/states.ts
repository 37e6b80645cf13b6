// The life of a refund. One that went through can still come back from the bank.
//   pending → submitted → succeeded | failed
//   unknown → either

export const refundStates = ['pending', 'submitted', 'unknown', 'succeeded', 'failed'] as const;
export type RefundState = (typeof refundStates)[number];

export const followers: Record<RefundState, readonly RefundState[]> = {
  pending: ['submitted', 'unknown', 'succeeded', 'failed'],
  submitted: ['unknown', 'succeeded', 'failed'],
  unknown: ['submitted', 'succeeded', 'failed'],
  succeeded: ['failed'],
  failed: [],
};

/** The payment service has not said what became of it. */
export const undecidedStates = ['pending', 'submitted', 'unknown'] as const satisfies RefundState[];
