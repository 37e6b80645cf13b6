import { type NotificationType, notifyOf } from '../../platform/notifications.ts';
import { refundEvents } from './events.ts';

const to = { scope: 'billing:read' };

export const refundNotifications: NotificationType[] = [
  notifyOf(refundEvents.succeeded, {
    category: 'billing',
    texts: {
      en: ({ resource }) => ({
        title: 'A refund went through',
        body: `The refund ${resource} was paid back.`,
      }),
      fr: ({ resource }) => ({
        title: 'Un remboursement a abouti',
        body: `Le remboursement ${resource} a été versé.`,
      }),
    },
    notice: ({ id }) => ({ to, resource: id }),
  }),
  notifyOf(refundEvents.failed, {
    category: 'billing',
    texts: {
      en: ({ resource }) => ({
        title: 'A refund failed',
        body: `The bank did not take the refund ${resource}. Its money is where it was before.`,
      }),
      fr: ({ resource }) => ({
        title: 'Un remboursement a échoué',
        body: `La banque n'a pas accepté le remboursement ${resource}. L'argent est revenu où il était.`,
      }),
    },
    notice: ({ id }) => ({ to, resource: id }),
  }),
];
