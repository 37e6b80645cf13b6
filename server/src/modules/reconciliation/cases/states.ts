// Where a case can stand, and which way it can move. `investigating` says that the provider was asked about its messages; what it
// answered stands among the findings. A settled case stays settled: what is found later is another case.
export const caseStates = ['open', 'investigating', 'resolved', 'rejected'] as const;
export type CaseState = (typeof caseStates)[number];

export const movesFrom: Record<CaseState, readonly CaseState[]> = {
  open: ['investigating', 'resolved', 'rejected'],
  investigating: ['resolved', 'rejected'],
  resolved: [],
  rejected: [],
};

export const isSettled = (state: CaseState): boolean => movesFrom[state].length === 0;
