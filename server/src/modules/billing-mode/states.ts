// The life of a switch. `direct` is where a switch that was taken back ends: its account pays the provider itself again.
//   requested → awaiting_acceptance → accepted → allocating → verifying → active
//   active → revoking → confirming → direct

export const switchStates = [
  'requested',
  'awaiting_acceptance',
  'accepted',
  'allocating',
  'verifying',
  'active',
  'failed',
  'revoking',
  'confirming',
  'direct',
] as const;
export type SwitchState = (typeof switchStates)[number];

export const followers: Record<SwitchState, readonly SwitchState[]> = {
  requested: ['awaiting_acceptance', 'failed'],
  // Nothing was given yet that would have to be taken back.
  awaiting_acceptance: ['accepted', 'failed', 'direct'],
  accepted: ['allocating', 'failed'],
  allocating: ['verifying', 'failed'],
  verifying: ['active', 'failed'],
  active: ['revoking'],
  // One that failed after the credit line was shared can still have it taken back.
  failed: ['revoking'],
  // Back to where it was, when the provider refuses to take the line back.
  revoking: ['confirming', 'active', 'failed'],
  confirming: ['direct'],
  direct: [],
};

/** The account has the credit line, or is about to. */
export const holdingStates = ['allocating', 'verifying', 'active'] as const satisfies SwitchState[];
