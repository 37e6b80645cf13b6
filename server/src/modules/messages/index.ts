import type { Module } from '../../platform/module.ts';
import { crons } from './crons.ts';
import { dispatchLoop } from './dispatcher.ts';
import type { SendingHooks, TimelineHooks } from './hooks.ts';
import { releaseUnknown, settleUnpriced } from './jobs.ts';
import { operations } from './routes.ts';
import { lookAtSilent } from './silence.ts';

export { applyStatuses } from './apply-statuses.ts';
export { messagesFollow } from './followers.ts';
export type {
  Arrival,
  AskedCallback,
  DeliveryTry,
  MessageHooks,
  SendingHooks,
  TimelineHooks,
} from './hooks.ts';
export { wakeLanes } from './lanes.ts';
export { getMessage, readMessages } from './messages.ts';
export { createOutwait, holdClaims } from './outwait-hand-offs.ts';
export { updateUserIds } from './people.ts';
export { asksToStop, receiveMessages } from './receive-messages.ts';
export type { Message } from './schema.ts';

export const messagesModule = (hooks: SendingHooks & TimelineHooks): Module => ({
  name: 'messages',
  tables: [
    'messages',
    'message_states',
    'message_attempts',
    'provider_messages',
    'dispatch_lanes',
    'pair_rates',
    'marketing_caps',
    'parked_statuses',
    'silence_looks',
  ],
  operations: operations(hooks),
  jobs: [settleUnpriced, releaseUnknown, lookAtSilent],
  crons,
  loops: [dispatchLoop],
});
