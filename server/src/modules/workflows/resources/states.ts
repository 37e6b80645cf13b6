// Which state of a workflow and of a run follows which.
//
//   DRAFT ▶ PUBLISHED ⇄ STOPPED        RUNNING ⇄ WAITING ▶ COMPLETED, FAILED, TIMED_OUT, STOPPED
//
// A workflow that is deleted is gone. A stopped one holds its runs where they are: they do not change their state.
export const workflowStatuses = ['DRAFT', 'PUBLISHED', 'STOPPED'] as const;
export type WorkflowStatus = (typeof workflowStatuses)[number];

/** In every state it starts from, `to` included, what is asked for is answered; in any other it is refused. */
export const workflowMoves = {
  create: { from: [], to: 'DRAFT' },
  publish: { from: ['DRAFT', 'PUBLISHED', 'STOPPED'], to: 'PUBLISHED' },
  stop: { from: ['PUBLISHED', 'STOPPED'], to: 'STOPPED' },
  delete: { from: ['DRAFT', 'STOPPED'], to: null },
} as const satisfies Record<string, { from: readonly WorkflowStatus[]; to: WorkflowStatus | null }>;

export const mayMove = (status: WorkflowStatus, move: keyof typeof workflowMoves): boolean =>
  (workflowMoves[move].from as readonly WorkflowStatus[]).includes(status);

export const runStatuses = ['RUNNING', 'WAITING', 'COMPLETED', 'FAILED', 'TIMED_OUT', 'STOPPED'] as const;
export type RunStatus = (typeof runStatuses)[number];

const ends = ['COMPLETED', 'FAILED', 'TIMED_OUT', 'STOPPED'] as const;

/** What may come after each. */
export const runMoves: Record<RunStatus, readonly RunStatus[]> = {
  RUNNING: ['WAITING', ...ends],
  WAITING: ['RUNNING', ...ends],
  COMPLETED: [],
  FAILED: [],
  TIMED_OUT: [],
  STOPPED: [],
};

export const isUnderWay = (status: RunStatus): boolean => runMoves[status].length > 0;
