// Which state of a campaign follows which.
//
//   DRAFT ▶ SCHEDULED ▶ RUNNING ⇄ PAUSED        RUNNING ▶ COMPLETED
//             └───────────┴──────────┴─▶ CANCELED, FAILED
//
// A draft that is deleted is gone.
export const campaignStates = [
  'DRAFT',
  'SCHEDULED',
  'RUNNING',
  'PAUSED',
  'COMPLETED',
  'CANCELED',
  'FAILED',
] as const;
export type CampaignState = (typeof campaignStates)[number];

export const campaignMoves = {
  launch: { from: ['DRAFT'], to: 'SCHEDULED' },
  start: { from: ['SCHEDULED'], to: 'RUNNING' },
  pause: { from: ['RUNNING'], to: 'PAUSED' },
  resume: { from: ['PAUSED'], to: 'RUNNING' },
  complete: { from: ['RUNNING'], to: 'COMPLETED' },
  cancel: { from: ['SCHEDULED', 'RUNNING', 'PAUSED'], to: 'CANCELED' },
  fail: { from: ['SCHEDULED', 'RUNNING', 'PAUSED'], to: 'FAILED' },
} as const satisfies Record<string, { from: readonly CampaignState[]; to: CampaignState }>;

export type CampaignMove = keyof typeof campaignMoves;

export const mayMove = (state: CampaignState, move: CampaignMove): boolean =>
  (campaignMoves[move].from as readonly CampaignState[]).includes(state);

export const hasEnded = (state: CampaignState): boolean =>
  state === 'COMPLETED' || state === 'CANCELED' || state === 'FAILED';
