import { type NotificationType, notifyOf } from '../../../platform/notifications.ts';
import { endpointEvents } from './events.ts';

export const endpointNotifications: NotificationType[] = [
  notifyOf(endpointEvents.suspended, {
    category: 'action_required',
    texts: {
      en: ({ resource }) => ({
        title: 'A webhook endpoint was suspended',
        body: `The endpoint ${resource} kept failing and gets no events any more. Repair it and resume it; what it missed can then be redelivered.`,
      }),
      fr: ({ resource }) => ({
        title: "Un point d'accès de webhook a été suspendu",
        body: `Le point d'accès ${resource} échouait sans cesse et ne reçoit plus d'événements. Réparez-le et réactivez-le ; ce qu'il a manqué pourra être renvoyé.`,
      }),
    },
    notice: ({ sid }) => ({ to: { scope: 'webhooks:write' }, resource: sid }),
  }),
];
