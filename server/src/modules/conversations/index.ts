import type { Module } from '../../platform/module.ts';
import { conversationBelongings } from './belongings.ts';
import { conversationEvents } from './events.ts';
import { conversationNotifications } from './notifications.ts';
import { operations } from './routes.ts';

export { answering } from './change-conversation.ts';
export {
  claimConflict,
  claimsOn,
  isOwnClaim,
  opensClaim,
  overrideDetail,
  type StandingClaim,
} from './composer-claims.ts';
export {
  type ConversationFacts,
  conversationsOf,
  conversationsWithinReach,
  currentConversations,
  findConversations,
  saidWithinReach,
  wentOn,
} from './conversations.ts';
export { type ConversationEdit, editConversations } from './edit-conversations.ts';
export { conversationsFollow, windowsFollow } from './followers.ts';
export { type Heard, joinConversations, noteSent } from './note-messages.ts';
export { Conversation } from './schema.ts';
export {
  type EntryPoint,
  getServiceWindow,
  lastWordsOf,
  noteEntryPoints,
  type OpenWindow,
  openWindows,
  type Pair,
  talkingWith,
  type Written,
  windowsOf,
  windowsOfAudience,
} from './service-windows.ts';
export const conversationsModule: Module = {
  name: 'conversations',
  tables: ['service_windows', 'conversations', 'composer_claims', 'sender_inboxes', 'assignment_turns'],
  tags: {
    Conversations: 'What is said between a sender and a contact, assigned to people and inboxes.',
  },
  operations,
  events: Object.values(conversationEvents),
  notifications: conversationNotifications,
  jobs: [],
  crons: [],
  belongings: conversationBelongings,
};
