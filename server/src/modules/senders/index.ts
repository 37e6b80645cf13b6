import type { Module } from '../../platform/module.ts';
import type { Sandbox } from '../wabas/index.ts';
import { forgetCopiesOfMedia, senderBelongings } from './belongings.ts';
import { senderEvents } from './events.ts';
import { senderNotifications } from './notifications.ts';
import { poolOperations } from './pool-routes.ts';
import { readFlowKey, rereadMissingFlowKeys } from './read-flow-key.ts';
import { operations } from './routes.ts';

export { wabaByProviderId } from '../wabas/index.ts';
export { numbersListed } from './apply-listing.ts';
export { disconnectSenders, reachSender, refuseOverCap } from './connect-sender.ts';
export { type Move, moveSender, pausedSenders, pauseSender, resumeSender } from './moving/move-sender.ts';
export {
  type Choice,
  chooseFrom,
  type OpenPool,
  openPools,
  recallChoices,
  rememberChoices,
} from './open-pools.ts';
export { applyPhoneNumberUpdate, applyPhoneNumberUpdates } from './provider-updates.ts';
export { requestFlowKeys } from './read-flow-key.ts';
export {
  connectedSenders,
  insertSender,
  loadSender,
  loadSenders,
  lockSender,
  type NewSender,
  numbersInUse,
  pairRate,
  requireSender,
  type Sender,
  type SenderStatus,
  senderByPhoneNumberId,
  senderStatuses,
  sendersOfWabas,
} from './senders.ts';
export const sendersModule = (sandbox: Sandbox): Module => ({
  name: 'senders',
  tables: [
    'senders',
    'sender_former_ids',
    'sender_status_history',
    'sender_pools',
    'sender_pool_members',
    'sender_pool_contacts',
  ],
  tags: {
    Senders: 'Phone numbers that messages leave from and arrive at.',
    'Sender pools': 'Several senders that share the contacts of one audience.',
  },
  operations: [...operations(sandbox), ...poolOperations],
  events: Object.values(senderEvents),
  notifications: senderNotifications,
  jobs: [readFlowKey, forgetCopiesOfMedia],
  crons: [rereadMissingFlowKeys],
  belongings: senderBelongings,
});
