import type { TenantTx } from '../../platform/db/database.ts';
import { type NotificationType, notifyBy, notifyOf } from '../../platform/notifications.ts';
import { notify } from '../notifications/index.ts';
import { privacyRequestEvents } from './events.ts';

const to = { scope: 'privacy:write' };

const due = notifyBy('privacy_request.due', {
  category: 'action_required',
  texts: {
    en: ({ resource }) => ({
      title: 'A privacy request is due',
      body: `The privacy request ${resource} is not done. It names the day by which the law wants an answer, and what it waits for.`,
    }),
    fr: ({ resource }) => ({
      title: 'Une demande relative aux données personnelles arrive à échéance',
      body: `La demande ${resource} n'est pas terminée. Elle indique le jour avant lequel la loi exige une réponse, et ce qu'elle attend.`,
    }),
  },
});

/** Each reminder is told, also two within a day. */
export const remindOf = (t: TenantTx, sid: string, left: number): void =>
  notify(t, due, { to, resource: sid, dedupeKey: `${sid} ${left}` });

export const privacyNotifications: NotificationType[] = [
  due,
  notifyOf(privacyRequestEvents.parked, {
    category: 'security',
    texts: {
      en: ({ resource }) => ({
        title: 'An erasure waits',
        body: `The erasure ${resource} is parked: a legal hold covers the person. It goes on by itself once none does.`,
      }),
      fr: ({ resource }) => ({
        title: 'Un effacement est en attente',
        body: `L'effacement ${resource} est suspendu : une conservation légale couvre la personne. Il reprendra de lui-même ensuite.`,
      }),
    },
    notice: ({ sid }) => ({ to, resource: sid }),
  }),
  notifyOf(privacyRequestEvents.completed, {
    category: 'operation_complete',
    texts: {
      en: ({ resource }) => ({
        title: 'A privacy request is done',
        body: `The privacy request ${resource} is completed: tell the person who asked.`,
      }),
      fr: ({ resource }) => ({
        title: 'Une demande relative aux données personnelles est terminée',
        body: `La demande ${resource} est terminée : prévenez la personne qui l'a faite.`,
      }),
    },
    // What is done with the request itself is known to whoever made it.
    notice: ({ sid, operationSid }) => (operationSid === null ? null : { to, resource: sid }),
  }),
];
