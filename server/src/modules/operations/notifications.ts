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

/** The person who began it. A key reads no mail, and what the service began has no reader: then all who could act are told. */
const actionRequired = notifyOf(operationEvents.action_required, {
  category: 'action_required',
  needs: 'operations:read',
  texts: {
    en: ({ resource }) => ({
      title: 'An operation waits for you',
      body: `The operation ${resource} cannot go on until somebody acts. It says what is to be done, and until when.`,
    }),
    fr: ({ resource }) => ({
      title: 'Une opération vous attend',
      body: `L'opération ${resource} ne peut pas continuer sans une action de votre part. Elle dit ce qu'il faut faire, et jusqu'à quand.`,
    }),
  },
  notice: ({ sid, createdBy }) => ({
    to: createdBy.startsWith('user:') ? { principal: createdBy } : { scope: 'operations:write' },
    resource: sid,
  }),
});

export const operationNotifications: NotificationType[] = [
  actionRequired,
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
