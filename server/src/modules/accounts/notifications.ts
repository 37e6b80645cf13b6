// What people are told of their account: that it may not act, and that it may again.
import { type NotificationType, notifyOf } from '../../platform/notifications.ts';
import { accountEvents } from './events.ts';
import type { Account } from './schema.ts';

const category = 'action_required';
const notice = ({ sid }: Account) => ({ to: { scope: 'accounts:read' }, resource: sid });

export const accountNotifications: NotificationType[] = [
  notifyOf(accountEvents.suspended, {
    category,
    texts: {
      en: ({ resource }) => ({
        title: 'The account was suspended',
        body: `The account ${resource} is suspended: nothing is sent and nothing can be changed. The account itself shows why; support can lift it.`,
      }),
      fr: ({ resource }) => ({
        title: 'Le compte a été suspendu',
        body: `Le compte ${resource} est suspendu : rien n’est envoyé et rien ne peut être modifié. Le compte en indique la raison ; l’assistance peut lever la suspension.`,
      }),
    },
    notice,
  }),
  notifyOf(accountEvents.resumed, {
    category,
    texts: {
      en: ({ resource }) => ({
        title: 'The account may act again',
        body: `The account ${resource} is no longer suspended. Messages that waited leave now.`,
      }),
      fr: ({ resource }) => ({
        title: 'Le compte peut de nouveau agir',
        body: `Le compte ${resource} n’est plus suspendu. Les messages en attente partent maintenant.`,
      }),
    },
    notice,
  }),
];
