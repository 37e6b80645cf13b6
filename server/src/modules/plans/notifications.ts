// What people are told of their plan: that little or nothing is left of the month, and that it is another.
import { type NotificationType, notifyOf } from '../../platform/notifications.ts';
import { planEvents } from './events.ts';
import type { AccountPlan } from './schema.ts';

const category = 'billing';
/** Once a month: the same again within a day is counted with the first. */
const notice = ({ accountSid }: AccountPlan) => ({ to: { scope: 'accounts:read' }, resource: accountSid });

export const planNotifications: NotificationType[] = [
  notifyOf(planEvents.changed, {
    category,
    texts: {
      en: ({ resource }) => ({
        title: 'The plan of an account was changed',
        body: `The account ${resource} has another plan. What it may use now stands with it.`,
      }),
      fr: ({ resource }) => ({
        title: 'Le forfait d’un compte a été modifié',
        body: `Le compte ${resource} a un autre forfait. Ce qu’il peut désormais utiliser y est indiqué.`,
      }),
    },
    notice,
  }),
  notifyOf(planEvents.quota_nearly_used, {
    category,
    texts: {
      en: ({ resource }) => ({
        title: 'Four fifths of the month’s messages are used',
        body: `The account ${resource} has used four fifths of the messages its plan allows this month. Beyond that messages are refused.`,
      }),
      fr: ({ resource }) => ({
        title: 'Quatre cinquièmes des messages du mois sont utilisés',
        body: `Le compte ${resource} a utilisé quatre cinquièmes des messages que son forfait permet ce mois-ci. Au-delà, les messages sont refusés.`,
      }),
    },
    notice,
  }),
  notifyOf(planEvents.quota_used, {
    category,
    texts: {
      en: ({ resource }) => ({
        title: 'The month’s messages are used up',
        body: `The account ${resource} has used all messages its plan allows this month. More are refused until the next month.`,
      }),
      fr: ({ resource }) => ({
        title: 'Les messages du mois sont épuisés',
        body: `Le compte ${resource} a utilisé tous les messages que son forfait permet ce mois-ci. Les suivants sont refusés jusqu’au mois prochain.`,
      }),
    },
    notice,
  }),
];
