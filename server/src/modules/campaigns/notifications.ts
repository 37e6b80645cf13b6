// What people are told of campaigns: that one has ended, or rests until somebody acts.
import type { NotificationType } from '../../platform/notifications.ts';
import { notifyOf } from '../../platform/notifications.ts';
import { campaignEvents } from './events.ts';
import type { Campaign } from './schema.ts';

const to = { scope: 'messages:send' };
const about = ({ sid }: Campaign) => ({ to, resource: sid });

export const campaignNotifications: NotificationType[] = [
  notifyOf(campaignEvents.completed, {
    category: 'operation_complete',
    notice: about,
    texts: {
      en: ({ resource }) => ({
        title: 'A campaign is complete',
        body: `Each recipient of the campaign ${resource} has a message or a recorded refusal.`,
      }),
      fr: ({ resource }) => ({
        title: 'Une campagne est terminée',
        body: `Chaque destinataire de la campagne ${resource} a un message ou un refus enregistré.`,
      }),
    },
  }),
  notifyOf(campaignEvents.paused, {
    category: 'action_required',
    // Whoever pauses it knows.
    notice: (campaign) => (campaign.reason === null ? null : about(campaign)),
    texts: {
      en: ({ resource }) => ({
        title: 'A campaign has paused',
        body: `The campaign ${resource} met something that refuses all its messages. Its reason says what; once that is mended, resume it.`,
      }),
      fr: ({ resource }) => ({
        title: 'Une campagne est en pause',
        body: `La campagne ${resource} a rencontré ce qui refuse tous ses messages. Sa raison le dit ; une fois réglé, reprenez-la.`,
      }),
    },
  }),
  notifyOf(campaignEvents.failed, {
    category: 'operation_complete',
    notice: about,
    texts: {
      en: ({ resource }) => ({
        title: 'A campaign has failed',
        body: `The campaign ${resource} came to an end nobody expected. Its recipients tell who has a message.`,
      }),
      fr: ({ resource }) => ({
        title: 'Une campagne a échoué',
        body: `La campagne ${resource} s'est arrêtée de façon inattendue. Ses destinataires disent qui a un message.`,
      }),
    },
  }),
];
