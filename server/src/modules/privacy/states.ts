// Which state of a privacy request follows which.
//
//   ERASURE              PENDING ▶ IN_PROGRESS ▶ SETTLING ▶ COMPLETED      PENDING, IN_PROGRESS ⇄ PARKED      not begun ▶ WITHDRAWN
//   ACCESS, PORTABILITY  PENDING ▶ IN_PROGRESS ▶ COMPLETED
//   RECTIFICATION        COMPLETED
//   RESTRICTION          ACTIVE ▶ LIFTED
//
// What is asked of somebody the account does not know is COMPLETED at once. Nothing fails: work on a request goes on until it is done.
export const requestKinds = ['ERASURE', 'ACCESS', 'PORTABILITY', 'RECTIFICATION', 'RESTRICTION'] as const;
export type RequestKind = (typeof requestKinds)[number];

export const requestStates = [
  'PENDING',
  'IN_PROGRESS',
  'PARKED',
  'SETTLING',
  'COMPLETED',
  'WITHDRAWN',
  'ACTIVE',
  'LIFTED',
] as const;
export type RequestState = (typeof requestStates)[number];

export const requestMoves = {
  start: { from: ['PENDING'], to: 'IN_PROGRESS' },
  park: { from: ['PENDING', 'IN_PROGRESS'], to: 'PARKED' },
  resume: { from: ['PARKED'], to: 'IN_PROGRESS' },
  settle: { from: ['IN_PROGRESS'], to: 'SETTLING' },
  complete: { from: ['PENDING', 'IN_PROGRESS', 'SETTLING'], to: 'COMPLETED' },
  withdraw: { from: ['PENDING', 'PARKED'], to: 'WITHDRAWN' },
  lift: { from: ['ACTIVE'], to: 'LIFTED' },
} as const satisfies Record<string, { from: readonly RequestState[]; to: RequestState }>;

export type RequestMove = keyof typeof requestMoves;

export const mayMove = (state: RequestState, move: RequestMove): boolean =>
  (requestMoves[move].from as readonly RequestState[]).includes(state);

/** Work on it is left to be done, by a day in the law. */
export const unfinishedStates = ['PENDING', 'IN_PROGRESS', 'PARKED', 'SETTLING'] as const;
/** Another of its kind for the same person is refused. */
export const openStates = [...unfinishedStates, 'ACTIVE'] as const;

export const isUnfinished = (state: RequestState): boolean =>
  (unfinishedStates as readonly RequestState[]).includes(state);
