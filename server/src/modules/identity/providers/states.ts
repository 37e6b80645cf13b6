// STAGED ──verify──▶ VERIFIED ──activate──▶ ACTIVE ──suspend──▶ SUSPENDED ──verify──▶ VERIFIED …
//
// Activation verifies first. Both steps are written down, so that a process that dies between them leaves a provider
// that is verified and backs nothing; activating again takes it up from there.
export type ProviderState = 'STAGED' | 'VERIFIED' | 'ACTIVE' | 'SUSPENDED';

export const moves = {
  verify: { from: ['STAGED', 'VERIFIED', 'SUSPENDED'], to: 'VERIFIED' },
  activate: { from: ['VERIFIED'], to: 'ACTIVE' },
  suspend: { from: ['ACTIVE'], to: 'SUSPENDED' },
} as const satisfies Record<string, { from: ProviderState[]; to: ProviderState }>;

export type Move = keyof typeof moves;
