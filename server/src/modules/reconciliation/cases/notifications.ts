import { type NotificationType, notifyOf } from '../../../platform/notifications.ts';
import { caseEvents } from './events.ts';

const category = 'billing';
const to = { scope: 'billing:read' };

export const caseNotifications: NotificationType[] = [
  notifyOf(caseEvents.opened, {
    category,
    texts: {
      en: ({ resource }) => ({
        title: 'A difference with the provider was found',
        body: `Our records and those of the provider differ. The case ${resource} says about what, and what was found out.`,
      }),
      fr: ({ resource }) => ({
        title: 'Une différence avec le fournisseur a été constatée',
        body: `Nos relevés et ceux du fournisseur diffèrent. Le dossier ${resource} dit sur quoi, et ce qui a été établi.`,
      }),
    },
    // One a day: a bad day at the provider opens many.
    notice: ({ sid, accountSid }) => ({ to, resource: sid, dedupeKey: accountSid }),
  }),
  notifyOf(caseEvents.resolved, {
    category,
    texts: {
      en: ({ resource }) => ({
        title: 'A charge was corrected',
        body: `The case ${resource} was settled, and what was charged was corrected. The case says by how much.`,
      }),
      fr: ({ resource }) => ({
        title: 'Une facturation a été corrigée',
        body: `Le dossier ${resource} a été clos, et le montant facturé a été corrigé. Le dossier dit de combien.`,
      }),
    },
    notice: ({ sid, accountSid, resolution }) =>
      resolution?.adjusted ? { to, resource: sid, dedupeKey: accountSid } : null,
  }),
];
