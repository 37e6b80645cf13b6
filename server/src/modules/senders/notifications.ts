// What people are told of senders: that one cannot send any more, or is about to lose its good standing. That it is well again
// needs nobody to act.
import type { TenantTx } from '../../platform/db/database.ts';
import { type NotificationType, notifyBy } from '../../platform/notifications.ts';
import { notify } from '../notifications/index.ts';

const category = 'sender_health';
const to = { scope: 'wabas:write' };

const stopped = notifyBy('sender.stopped', {
  category,
  texts: {
    en: ({ resource }) => ({
      title: 'A sender cannot send',
      body: `The provider restricts the sender ${resource}: messages from it are refused. Its status says why.`,
    }),
    fr: ({ resource }) => ({
      title: 'Un expéditeur ne peut plus envoyer',
      body: `Le fournisseur restreint l'expéditeur ${resource} : ses messages sont refusés. Son statut dit pourquoi.`,
    }),
  },
});

const qualityDropped = notifyBy('sender.quality_dropped', {
  category,
  texts: {
    en: ({ resource }) => ({
      title: 'The quality of a sender dropped',
      body: `People block or report what the sender ${resource} writes. If its quality stays low, the provider restricts it.`,
    }),
    fr: ({ resource }) => ({
      title: "La qualité d'un expéditeur a baissé",
      body: `Des destinataires bloquent ou signalent les messages de l'expéditeur ${resource}. Si sa qualité reste basse, le fournisseur le restreindra.`,
    }),
  },
});

const disconnected = notifyBy('sender.disconnected', {
  category,
  texts: {
    en: ({ resource }) => ({
      title: 'A sender was disconnected',
      body: `The sender ${resource} is no longer connected: nothing can be sent from it.`,
    }),
    fr: ({ resource }) => ({
      title: 'Un expéditeur a été déconnecté',
      body: `L'expéditeur ${resource} n'est plus connecté : rien ne peut en être envoyé.`,
    }),
  },
});

export const senderNotifications: NotificationType[] = [stopped, qualityDropped, disconnected];

type Standing = { sid: string; wabaSid: string | null; status: string; quality: string };

// The greater, the worse; what is not listed is fine, or not ready yet.
const statusRanks: Record<string, number> = {
  FLAGGED: 1,
  RATE_LIMITED: 1,
  RESTRICTED: 2,
  BANNED: 3,
  DISCONNECTED: 3,
  DELETED: 3,
  MIGRATED: 3,
};
const qualityRanks: Record<string, number> = { YELLOW: 1, RED: 2 };

/** One notification for what is known at once: that a sender cannot send says all. */
export function tellIfWorse(t: TenantTx, before: Standing, after: Standing): void {
  const worsened = (ranks: Record<string, number>, of: 'status' | 'quality') =>
    (ranks[after[of]] ?? 0) > (ranks[before[of]] ?? 0);
  const { sid: resource, wabaSid } = after;
  // The senders of a business account leave together: one notification counts them.
  if (worsened(statusRanks, 'status') && after.status === 'DISCONNECTED')
    notify(t, disconnected, { to, resource, dedupeKey: wabaSid ?? resource });
  else if (worsened(statusRanks, 'status')) notify(t, stopped, { to, resource });
  else if (worsened(qualityRanks, 'quality')) notify(t, qualityDropped, { to, resource });
}
