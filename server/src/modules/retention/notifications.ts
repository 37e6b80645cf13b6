import { type NotificationType, notifyOf } from '../../platform/notifications.ts';
import { retentionPolicyEvents } from './events.ts';

export const retentionNotifications: NotificationType[] = [
  notifyOf(retentionPolicyEvents.changed, {
    category: 'security',
    texts: {
      en: () => ({
        title: 'Data is kept for a shorter time',
        body: 'The retention policy was shortened. It counts from 24 hours after the change; until then it can be taken back.',
      }),
      fr: () => ({
        title: 'Les données sont conservées moins longtemps',
        body: "La politique de conservation a été raccourcie. Elle s'applique 24 heures après le changement ; d'ici là, on peut la rétablir.",
      }),
    },
    notice: ({ accountSid, effectiveFrom }) =>
      effectiveFrom === null ? null : { to: { scope: 'retention:write' }, resource: accountSid },
  }),
];
