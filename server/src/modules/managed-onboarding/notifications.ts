// What people are told of applications: that something waits for them, and how it ended.
import { type NotificationType, notifyOf, type Texts } from '../../platform/notifications.ts';
import { applicationEvents } from './events.ts';
import type { Application } from './schema.ts';

const tellOf = (
  verb: keyof typeof applicationEvents,
  category: NotificationType['category'],
  scope: string,
  texts: Texts,
): NotificationType =>
  notifyOf(applicationEvents[verb], {
    category,
    texts,
    notice: ({ sid }: Application) => ({ to: { scope }, resource: sid }),
  });

export const onboardingNotifications: NotificationType[] = [
  tellOf('information_requested', 'action_required', 'accounts:write', {
    en: ({ resource }) => ({
      title: 'The operator asks for information',
      body: `The application ${resource} waits for information. It says what is asked for.`,
    }),
    fr: ({ resource }) => ({
      title: "L'opérateur demande des informations",
      body: `La demande ${resource} attend des informations. Elle dit lesquelles.`,
    }),
  }),
  tellOf('quote_changed', 'action_required', 'accounts:write', {
    en: ({ resource }) => ({
      title: 'Other prices are offered',
      body: `The application ${resource} was offered another quote. It goes on once that is accepted.`,
    }),
    fr: ({ resource }) => ({
      title: "D'autres prix sont proposés",
      body: `Un autre devis a été proposé pour la demande ${resource}. Elle se poursuit une fois qu'il est accepté.`,
    }),
  }),
  tellOf('completed', 'operation_complete', 'accounts:read', {
    en: ({ resource }) => ({
      title: 'The business is set up',
      body: `The application ${resource} is completed: the business account and its number are connected.`,
    }),
    fr: ({ resource }) => ({
      title: "L'entreprise est raccordée",
      body: `La demande ${resource} est terminée : le compte professionnel et son numéro sont connectés.`,
    }),
  }),
  tellOf('rejected', 'operation_complete', 'accounts:read', {
    en: ({ resource }) => ({
      title: 'An application was rejected',
      body: `The operator rejected the application ${resource}. It says why.`,
    }),
    fr: ({ resource }) => ({
      title: 'Une demande a été refusée',
      body: `L'opérateur a refusé la demande ${resource}. Elle dit pourquoi.`,
    }),
  }),
  tellOf('failed', 'operation_complete', 'accounts:read', {
    en: ({ resource }) => ({
      title: 'A business could not be set up',
      body: `The work on the application ${resource} came to nothing, and the fee was given back. It says why.`,
    }),
    fr: ({ resource }) => ({
      title: "Une entreprise n'a pas pu être raccordée",
      body: `Le travail sur la demande ${resource} n'a pas abouti et les frais ont été rendus. Elle dit pourquoi.`,
    }),
  }),
];
