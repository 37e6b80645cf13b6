// Which state of an invoice follows which, and by what.
//
//   draft ▶ pending_provider ▶ open ─────────▶ paid ◀── uncollectible
//                │    ▲         ├▶ past_due ──▶│ ▲           ▲
//                ▼    │         │    │  ▲──────┘ │           │
//              failed ┘         ▼    ▼  (dispute)└───────────┤
//                └────────────▶ void └──(write-off)──────────┘
import { ApiError } from '../../../platform/errors/errors.ts';

export const invoiceStates = [
  'draft',
  'pending_provider',
  'open',
  'past_due',
  'paid',
  'void',
  'uncollectible',
  'failed',
] as const;
export type InvoiceState = (typeof invoiceStates)[number];

export const moves = {
  submit: { from: ['draft', 'failed'], to: 'pending_provider' },
  issue: { from: ['pending_provider'], to: 'open' },
  fail: { from: ['pending_provider'], to: 'failed' },
  fallDue: { from: ['open'], to: 'past_due' },
  pay: { from: ['open', 'past_due', 'uncollectible'], to: 'paid' },
  dispute: { from: ['paid'], to: 'past_due' },
  void: { from: ['open', 'past_due', 'failed'], to: 'void' },
  writeOff: { from: ['past_due'], to: 'uncollectible' },
} as const satisfies Record<string, { from: readonly InvoiceState[]; to: InvoiceState }>;
export type Move = keyof typeof moves;

export const mayMove = (state: InvoiceState, move: Move): boolean =>
  (moves[move].from as readonly InvoiceState[]).includes(state);

/** Refuses what the state does not allow, and says in which ones it would be. */
export function requireMove(state: InvoiceState, move: Move): void {
  if (mayMove(state, move)) return;
  const message = `The invoice is ${state}; this needs one that is ${moves[move].from.join(' or ')}.`;
  throw new ApiError('CONFLICT', { message });
}
