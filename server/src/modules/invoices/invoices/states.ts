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

/** What an invoice in another state is told: in which ones it would be possible, and what is left of it to be paid. */
export const wrongState = (
  state: InvoiceState,
  needed: readonly InvoiceState[],
  outstanding: string,
): ApiError =>
  new ApiError('CONFLICT', {
    message: `The invoice is ${state}, and ${outstanding} of it is outstanding; this needs one that is ${needed.join(' or ')}.`,
  });
