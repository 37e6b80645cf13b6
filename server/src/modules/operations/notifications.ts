import { type NotificationType, notifyOf, type Texts } from '../../platform/notifications.ts';
import { operationEvents } from './events.ts';

/** Whoever began it, a person or a key; what the service began by itself is nobody's. */
const tellStarter = (event: (typeof operationEvents)['completed'], texts: Texts): NotificationType =>
  notifyOf(event, {
    category: 'operation_complete',
    needs: 'operations:read',
    texts,
    notice: ({ sid, createdBy }) =>
      /^(user|api_key):/.test(createdBy) ? { to: { principal: createdBy }, resource: sid } : null,
  });

export const operationNotifications: NotificationType[] = [
  tellStarter(operationEvents.completed, {
    en: ({ resource }) => ({
      title: 'Your operation is done',
      body: `The operation ${resource} is done. Items that failed, if any, are listed with it.`,
    }),
    fr: ({ resource }) => ({
      title: 'Votre opération est terminée',
      body: `L'opération ${resource} est terminée. Les éléments en échec, s'il y en a, y sont listés.`,
    }),
  }),
  tellStarter(operationEvents.failed, {
    en: ({ resource }) => ({
      title: 'Your operation failed',
      body: `The operation ${resource} came to an end before everything was done. It says why, and whether it can be retried.`,
    }),
    fr: ({ resource }) => ({
      title: 'Votre opération a échoué',
      body: `L'opération ${resource} s'est arrêtée avant la fin. Elle dit pourquoi, et si elle peut être relancée.`,
    }),
  }),
  tellStarter(operationEvents.canceled, {
    en: ({ resource }) => ({
      title: 'Your operation was canceled',
      body: `The operation ${resource} was canceled. What was done stays done; a retry goes on with the rest.`,
    }),
    fr: ({ resource }) => ({
      title: 'Votre opération a été annulée',
      body: `L'opération ${resource} a été annulée. Ce qui est fait reste fait ; la relancer reprend le reste.`,
    }),
  }),
];
