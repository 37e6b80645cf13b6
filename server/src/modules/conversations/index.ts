import type { Module } from '../../platform/module.ts';
import { operations } from './routes.ts';

export { type ConversationFacts, conversationsOf, findConversations } from './conversations.ts';
export { windowsFollow } from './followers.ts';
export { type Heard, joinConversations, noteSent } from './note-messages.ts';
export { getServiceWindow, type OpenWindow, openWindow, type Pair, windowsOf } from './service-windows.ts';
export const conversationsModule: Module = {
  name: 'conversations',
  tables: ['service_windows', 'conversations', 'composer_claims', 'sender_inboxes'],
  operations,
  jobs: [],
  crons: [],
};
