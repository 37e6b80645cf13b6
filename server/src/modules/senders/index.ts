import type { Module } from '../../platform/module.ts';

export { wabaByProviderId } from '../wabas/index.ts';
export { canSend, pickSender, pickSenders } from './pick-sender.ts';
export {
  connectedSenders,
  insertSender,
  loadSender,
  loadSenders,
  type NewSender,
  pairRate,
  requireSender,
  type Sender,
  type SenderStatus,
  senderByPhoneNumberId,
  sendersOfWabas,
} from './senders.ts';
export const sendersModule: Module = {
  name: 'senders',
  tables: ['senders', 'sender_status_history', 'sender_pools', 'sender_pool_members', 'sender_pool_contacts'],
  operations: [],
  jobs: [],
  crons: [],
};
