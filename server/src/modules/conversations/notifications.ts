import { type NotificationType, notifyOf, type Texts } from '../../platform/notifications.ts';
import { principalName } from '../../platform/principal.ts';
import { conversationEvents } from './events.ts';
import type { Conversation } from './schema.ts';

const category = 'conversation';

const unassigned: Texts = {
  en: ({ resource }) => ({
    title: 'A conversation waits for an answer',
    body: `A customer wrote in the conversation ${resource}, and nobody is assigned to it.`,
  }),
  fr: ({ resource }) => ({
    title: 'Une conversation attend une réponse',
    body: `Un client a écrit dans la conversation ${resource}, et personne n'y est affecté.`,
  }),
};

/** One that is in no inbox has no members to tell. */
const toMembers = ({ sid, inboxSid, assigneeSid }: Conversation) =>
  inboxSid === null || assigneeSid !== null ? null : { to: { part: inboxSid }, resource: sid };

export const conversationNotifications: NotificationType[] = [
  notifyOf(conversationEvents.assigned, {
    category,
    needs: 'inboxes:read',
    texts: {
      en: ({ resource }) => ({
        title: 'A conversation was assigned to you',
        body: `The conversation ${resource} is yours to answer.`,
      }),
      fr: ({ resource }) => ({
        title: 'Une conversation vous a été affectée',
        body: `C'est à vous de répondre dans la conversation ${resource}.`,
      }),
    },
    // Whoever takes one knows it.
    notice: ({ sid, inboxSid, assigneeSid }, t) =>
      assigneeSid === null || principalName(t.principal) === `user:${assigneeSid}`
        ? null
        : { to: { principal: `user:${assigneeSid}`, part: inboxSid }, resource: sid },
  }),
  notifyOf(conversationEvents.opened, { category, texts: unassigned, notice: toMembers }),
  notifyOf(conversationEvents.reopened, {
    category,
    texts: unassigned,
    // A person who opens one again is at work on it; a customer who writes again waits, and so does one for whom a workflow does.
    notice: (conversation, t) =>
      t.principal.kind === 'system' || t.principal.kind === 'workflow' ? toMembers(conversation) : null,
  }),
];
