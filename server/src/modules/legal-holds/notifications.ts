import { type NotificationType, notifyOf } from '../../platform/notifications.ts';
import { legalHoldEvents } from './events.ts';

/** What the account did itself it knows. */
export const legalHoldNotifications: NotificationType[] = [
  notifyOf(legalHoldEvents.placed, {
    category: 'security',
    texts: {
      en: ({ resource }) => ({
        title: 'The platform placed a legal hold',
        body: `Nothing the legal hold ${resource} reaches is removed until the platform releases it.`,
      }),
      fr: ({ resource }) => ({
        title: 'La plateforme a posé une conservation légale',
        body: `Rien de ce que couvre la conservation légale ${resource} n'est supprimé avant que la plateforme ne la lève.`,
      }),
    },
    notice: ({ id, placedBy }) =>
      placedBy === 'ACCOUNT' ? null : { to: { scope: 'legal_holds:manage' }, resource: id },
  }),
];
