// STAGED ──verify──▶ VERIFIED ──activate──▶ ACTIVE ──suspend──▶ SUSPENDED ──verify──▶ VERIFIED …
//
// Activation verifies first; both steps are written down in one commit, with the step-up token they cost.
export type ProviderState = 'STAGED' | 'VERIFIED' | 'ACTIVE' | 'SUSPENDED';

export const moves = {
  verify: { from: ['STAGED', 'VERIFIED', 'SUSPENDED'], to: 'VERIFIED' },
  activate: { from: ['VERIFIED'], to: 'ACTIVE' },
  suspend: { from: ['ACTIVE'], to: 'SUSPENDED' },
} as const satisfies Record<string, { from: ProviderState[]; to: ProviderState }>;

export type Move = keyof typeof moves;
