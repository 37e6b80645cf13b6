import { type NotificationType, notifyOf, type Texts } from '../../platform/notifications.ts';
import { templateEvents } from './events.ts';

/** Whoever may make templates, and with them whoever made this one for as long as they still may. */
const tellMakers = (event: (typeof templateEvents)['approved'], texts: Texts): NotificationType =>
  notifyOf(event, {
    category: 'template_status',
    texts,
    notice: ({ sid }) => ({ to: { scope: 'wabas:write' }, resource: sid }),
  });

export const templateNotifications: NotificationType[] = [
  tellMakers(templateEvents.approved, {
    en: ({ resource }) => ({
      title: 'A template was approved',
      body: `The provider approved the template ${resource}. It can be sent now.`,
    }),
    fr: ({ resource }) => ({
      title: 'Un modèle a été approuvé',
      body: `Le fournisseur a approuvé le modèle ${resource}. Il peut maintenant être envoyé.`,
    }),
  }),
  tellMakers(templateEvents.rejected, {
    en: ({ resource }) => ({
      title: 'A template was rejected',
      body: `The provider rejected the template ${resource}. It cannot be sent until it is changed and approved.`,
    }),
    fr: ({ resource }) => ({
      title: 'Un modèle a été refusé',
      body: `Le fournisseur a refusé le modèle ${resource}. Il ne peut être envoyé avant d'être modifié et approuvé.`,
    }),
  }),
  tellMakers(templateEvents.paused, {
    en: ({ resource }) => ({
      title: 'A template was paused',
      body: `The provider paused the template ${resource} for its quality. Messages that use it are refused meanwhile.`,
    }),
    fr: ({ resource }) => ({
      title: 'Un modèle a été suspendu',
      body: `Le fournisseur a suspendu le modèle ${resource} en raison de sa qualité. Les messages qui l'utilisent sont refusés entre-temps.`,
    }),
  }),
  tellMakers(templateEvents.disabled, {
    en: ({ resource }) => ({
      title: 'A template was disabled',
      body: `The provider disabled the template ${resource}. It cannot be sent any more.`,
    }),
    fr: ({ resource }) => ({
      title: 'Un modèle a été désactivé',
      body: `Le fournisseur a désactivé le modèle ${resource}. Il ne peut plus être envoyé.`,
    }),
  }),
];
