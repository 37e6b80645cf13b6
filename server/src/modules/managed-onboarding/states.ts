// The life of an application. Which state follows which stands here and nowhere else.
//   SUBMITTED → IN_REVIEW ⇄ INFORMATION_REQUESTED | QUOTE_CHANGED
//   IN_REVIEW → APPROVED → PROVISIONING ⇄ PORTING → COMPLETED
//   FAILED → APPROVED       by a retry, for which the fee is set aside anew

export const applicationStates = [
  'SUBMITTED',
  'IN_REVIEW',
  'INFORMATION_REQUESTED',
  'QUOTE_CHANGED',
  'APPROVED',
  'PROVISIONING',
  'PORTING',
  'COMPLETED',
  'REJECTED',
  'FAILED',
  'WITHDRAWN',
] as const;
export type ApplicationState = (typeof applicationStates)[number];

export const followers: Record<ApplicationState, readonly ApplicationState[]> = {
  SUBMITTED: ['IN_REVIEW', 'WITHDRAWN'],
  IN_REVIEW: ['INFORMATION_REQUESTED', 'QUOTE_CHANGED', 'APPROVED', 'REJECTED', 'WITHDRAWN'],
  INFORMATION_REQUESTED: ['IN_REVIEW', 'REJECTED', 'WITHDRAWN'],
  // Also by a quote that takes the place of one nobody has accepted.
  QUOTE_CHANGED: ['IN_REVIEW', 'QUOTE_CHANGED', 'REJECTED', 'WITHDRAWN'],
  APPROVED: ['PROVISIONING', 'FAILED'],
  PROVISIONING: ['PORTING', 'COMPLETED', 'FAILED'],
  PORTING: ['PROVISIONING', 'FAILED'],
  COMPLETED: [],
  REJECTED: [],
  FAILED: ['APPROVED', 'REJECTED'],
  WITHDRAWN: [],
};

export const mayFollow = (from: ApplicationState, to: ApplicationState): boolean =>
  followers[from].includes(to);

const ended: readonly ApplicationState[] = ['COMPLETED', 'REJECTED', 'FAILED', 'WITHDRAWN'];

/** Nothing more happens by itself. */
export const hasEnded = (state: ApplicationState): boolean => ended.includes(state);
